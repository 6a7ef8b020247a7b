/* The system call, and the sysctls around it. */
#ifndef KILN_PERF_EVENT_H
#define KILN_PERF_EVENT_H

#include "perfdata/attr.h"

#define PARANOID_FILE "/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"
#define MLOCK_FILE "/proc/sys/kernel/perf_event_mlock_kb"

#define PERF_EVENT_OPEN_FLAGS 8UL /* PERF_FLAG_FD_CLOEXEC */

/* Close-on-exec; -1 and errno on failure. */
int perf_event_open(const struct attr *a, int32_t tid, int32_t cpu, int group_fd);

/* For the tasks of a control group, given by its directory, while they run on that CPU. */
int perf_event_open_cgroup(const struct attr *a, int cgroup_fd, int32_t cpu, int group_fd);

#endif
