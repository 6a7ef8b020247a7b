/*
 * Counters: one per event of the plan (and one more that tracks side-band where perf has one),
 * each opened on every thread and CPU that is watched.
 */
#ifndef KILN_COUNTERS_H
#define KILN_COUNTERS_H

#include "base/hash.h"
#include "capture/capture.h"
#include "capture/cpus.h"
#include "capture/filter_load.h"

/* What is watched. A single -1 stands for all threads, or for any CPU. */
struct targets {
	VEC(int32_t) tids;
	VEC(int32_t) cpus;
	VEC(int32_t) user_pids; /* the processes of a user, whose threads are in tids */
	struct u64map seen;     /* tids */
	struct cpu_list online;
	bool system_wide;
	bool command; /* the one thread is the command's: its events start when it execs */
};

#define TRACKING_NAME "dummy:HG" /* of the event that only tracks; perf's name for it */

struct counter_fd {
	int fd;
	uint64_t id;
	uint64_t lost; /* samples, as far as written to a file */
	int32_t cpu;   /* -1: any */
	int32_t tid;   /* -1: all */
	uint32_t ring;
};

struct counter {
	enum event_class class;
	const char *name;
	const char *asked; /* the name before anything was given up */
	struct attr attr;
	bool max_precise;
	bool clock; /* in place of hardware that is not there */
	bool wants_kernel;
	bool tracking; /* side-band records come from this one */
	bool dummy;    /* and nothing else does */
	bool in_cgroup;
	int cgroup_fd;                             /* of in_cgroup */
	const char *filter;                        /* of a tracepoint; NULL: none */
	const struct kernel_filter *kernel_filter; /* of another event; NULL: none */
	struct filter_loaded *loaded;              /* NULL: not yet, or no kernel_filter */
	const struct event *event;                 /* NULL: none of the plan's */
	size_t leader;    /* index of its group's leader; its own when it leads */
	uint32_t members; /* of the group it leads, itself included */
	const char *group_name;
	VEC(struct counter_fd) fds;
};

struct counters {
	struct arena arena; /* names */
	VEC(struct counter) v;
	uint64_t kernel_flags; /* the optional attr flags this kernel accepts */
	uint64_t read_format;
	bool user_only; /* the kernel was given up, for lack of rights */
};

/* Makes attrs of the plan. */
MUST_USE bool counters_configure(struct counters *cs, const struct capture_plan *plan,
				 const struct targets *t, struct err *err);

/* counters_attr.c: what samples hold and what is tracked, in every counter's attr. frequency: 0
 * when the plan has a period. */
MUST_USE bool counters_set_fields(struct counters *cs, const struct capture_plan *plan,
				  const struct targets *t, uint64_t frequency, struct err *err);

/* Opens all, falling back where the machine or the rights fall short: another event for cycles,
 * less precision, user space only. */
MUST_USE bool counters_open(struct counters *cs, const struct targets *t,
			    const struct capture_plan *plan, struct err *err);

void counters_enable(struct counters *cs);
void counters_disable(struct counters *cs);
void counter_turn(struct counter *c, bool on);
/* Those that sample; side-band goes on. */
void counters_pause(struct counters *cs);
void counters_close(struct counters *cs);

/* Bytes of the sample-id trailer; the same for all. */
size_t counters_trailer(const struct counters *cs);

#endif
