/*
 * The stacks of one who while its children's shares are added up. Each distinct stack is looked at
 * once, however many rows end in it; weights then run up from callees to callers.
 */
#ifndef KILN_HIST_CHILDREN_H
#define KILN_HIST_CHILDREN_H

#include "analyze/hist_keys.h"

struct children_node {
	uint32_t parent; /* < its own number; 0: none above */
	uint32_t frame : 31;
	uint32_t repeats : 1; /* its place is on the stack above, too */
	uint32_t seen;        /* a bit for every place from the root to here, by hash */
	uint16_t depth;       /* from the root, 1 there */
	uint16_t deepest;     /* depth of the deepest below */
	uint64_t weight;      /* of rows at or below, once summed */
};

struct children {
	const struct hist_keys *keys;
	VEC(struct children_node) nodes; /* [0] stands above the roots */
	struct {
		uint32_t who, node;
	} * memo; /* by stack_id */
	VEC(uint32_t) path;
	uint32_t who;
};

void children_init(struct children *c, const struct hist_keys *keys);
void children_free(struct children *c);

/* Forgets the nodes of the who before. */
void children_begin(struct children *c, uint32_t who);

/* The node of a stack; new ones are appended, callers before callees. */
uint32_t children_node(struct children *c, stack_id stack);

bool children_has_place(const struct children *c, uint32_t node, uint32_t place);

/* Makes `weight` of every node that of all rows at or below it. */
void children_sum(struct children *c);

#endif
