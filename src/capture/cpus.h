/* Lists of CPUs, in the kernel's notation: "0-3,8". */
#ifndef KILN_CPUS_H
#define KILN_CPUS_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

#define CPU_LIMIT 65536

#define ONLINE_FILE "/sys/devices/system/cpu/online"

struct cpu_list {
	VEC(uint32_t) v; /* ascending, each once */
};

MUST_USE bool cpus_parse(struct cpu_list *list, struct str text, struct err *err);

/* The CPUs that are online. */
MUST_USE bool cpus_online(struct cpu_list *list, struct err *err);

bool cpus_has(const struct cpu_list *list, uint32_t cpu);

#endif
