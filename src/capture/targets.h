/* From the plan to threads and CPUs. */
#ifndef KILN_TARGETS_H
#define KILN_TARGETS_H

#include "capture/counters.h"

/* command_pid: the forked command, 0 when there is none. Fails when a pid or tid does not exist or
 * a CPU is not online. */
MUST_USE bool targets_find(struct targets *t, const struct capture_plan *plan, int32_t command_pid,
			   struct err *err);
/* Leaves only the CPUs that some thread of --threads reads. */
struct thread_masks;
MUST_USE bool targets_limit(struct targets *t, const struct thread_masks *masks,
			    const struct capture_plan *plan, struct err *err);
void targets_free(struct targets *t);

#endif
