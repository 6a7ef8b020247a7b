/* Which CPUs each reader thread of --threads looks after, and where it runs itself. */
#ifndef KILN_THREAD_MASKS_H
#define KILN_THREAD_MASKS_H

#include "capture/cpus.h"

struct thread_mask {
	struct cpu_list cpus;     /* whose rings it reads */
	struct cpu_list affinity; /* where it runs */
};

struct thread_masks {
	VEC(struct thread_mask) v;
};

/* spec: "cpu" (or empty), "core", "package", "numa", or masks of one's own,
 * CPUS/AFFINITY:CPUS/AFFINITY:…. CPUs that are not online are left out; a mask with no other fails,
 * as do masks that overlap. */
MUST_USE bool thread_masks_make(struct thread_masks *m, const char *spec,
				const struct cpu_list *online, struct err *err);
void thread_masks_free(struct thread_masks *m);

/* The index of the mask with this CPU; m->v.n: none. */
size_t thread_masks_of(const struct thread_masks *m, uint32_t cpu);

/* Sets where the calling thread runs. What the kernel does not allow is left as it is. */
void cpus_run_on(const struct cpu_list *cpus);

/* The CPUs of the node that `cpu` is in; `cpu` alone where there are none. */
void cpus_of_node(struct cpu_list *out, uint32_t cpu);

#endif
