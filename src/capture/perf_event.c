#include "capture/perf_event.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_event_open_cgroup(const struct attr *a, int cgroup_fd, int32_t cpu, int group_fd)
{
	_Alignas(8) uint8_t bytes[ATTR_BYTES];
	attr_encode(a, bytes);
	return (int)syscall(SYS_perf_event_open, bytes, cgroup_fd, cpu, group_fd,
			    PERF_EVENT_OPEN_FLAGS | PERF_FLAG_PID_CGROUP);
}

int perf_event_open(const struct attr *a, int32_t tid, int32_t cpu, int group_fd)
{
	_Alignas(8) uint8_t bytes[ATTR_BYTES];
	attr_encode(a, bytes);
	return (int)syscall(SYS_perf_event_open, bytes, tid, cpu, group_fd, PERF_EVENT_OPEN_FLAGS);
}
