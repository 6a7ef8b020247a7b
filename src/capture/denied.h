/* Why the kernel said EACCES, EPERM or ENOSYS: from what /proc tells about us and the target. */
#ifndef KILN_DENIED_H
#define KILN_DENIED_H

#include "base/err.h"

struct counter;

/* What decides. Read by denied_facts(); a test may make them up. */
struct denied_facts {
	bool level_known;
	int64_t level;       /* kernel.perf_event_paranoid; Debian and Ubuntu have 3 and 4, too */
	bool root;           /* user 0 */
	bool capable;        /* CAP_PERFMON or CAP_SYS_ADMIN */
	bool user_namespace; /* root and capable of this namespace only */
	bool filtered;       /* a seccomp filter is on */
	bool all_refused;    /* even what every user may have */
	bool foreign;        /* the target belongs to another user */
	bool outside;        /* the target is in another user namespace */
};

/* tid: the target, -1 for CPUs. */
void denied_facts(struct denied_facts *f, int32_t tid);

/* One sentence and what to do. name: the event, as it was asked for. */
void denied_explain(const struct denied_facts *f, const struct counter *c, const char *name,
		    int32_t tid, struct err *err);

/* ENOSYS: no such system call, or a filter that says so. */
void denied_explain_missing(const struct denied_facts *f, const char *name, struct err *err);

#endif
