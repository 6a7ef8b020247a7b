/*
 * One address space over time: mappings are put in as they happen, each hiding what it covers, and
 * can then be asked for any address at any moment.
 *
 * A segment tree over the mappings' end points: every mapping hangs on O(log n) nodes, each node's
 * list is in order of time, so a query costs O(log^2 n) whatever the input says, and memory is
 * O(n log n). Mappings are numbered in order of time: the largest number that covers wins.
 */
#ifndef KILN_SPACETIME_H
#define KILN_SPACETIME_H

#include "base/base.h"
#include "base/vec.h"

struct mapping {
	uint64_t start, end; /* end exclusive */
	uint64_t bias;       /* ip + bias = address in the object */
	uint64_t time;
	object_id object; /* 0: a hole, e.g. a kernel symbol that went away */
};

struct spacetime {
	VEC(struct mapping) maps; /* in order of time */
	uint64_t *coords;         /* sorted end points */
	size_t coord_count;
	uint32_t *
		node_first; /* per tree node: where its list begins in items; one more at the end */
	uint32_t *items;    /* numbers of mappings */
};

/* Times must not decrease from call to call. Empty mappings are dropped. */
void spacetime_add(struct spacetime *st, const struct mapping *m);
/* After the last add. */
void spacetime_seal(struct spacetime *st);
void spacetime_free(struct spacetime *st);

/* How many mappings exist at `time`. */
size_t spacetime_epoch(const struct spacetime *st, uint64_t time);

/* NULL when nothing covers ip. Narrows [*lo, *hi) to where the answer is the same. */
const struct mapping *spacetime_at(const struct spacetime *st, uint64_t ip, uint64_t time,
				   uint64_t *lo, uint64_t *hi);

#endif
