/* The name perf would give an event of which only the attr is known. */
#ifndef KILN_ATTR_NAME_H
#define KILN_ATTR_NAME_H

#include "base/arena.h"
#include "perfdata/attr.h"

/* "cpu-clock:u", "L1-dcache-load-misses", "raw 0x1a8:k", "mem:0x4000:rw" … */
struct str attr_name(const struct attr *a, struct arena *arena);

/* The same without modifiers; NULL when the number means nothing here. */
const char *attr_hardware_name(uint64_t config);
const char *attr_software_name(uint64_t config);

#endif
