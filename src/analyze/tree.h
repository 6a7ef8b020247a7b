/*
 * Call trees by function: the shape behind flame graphs and `report -g`. Nodes are laid out in
 * preorder with parent < child; children of one node are in the order asked for.
 */
#ifndef KILN_TREE_H
#define KILN_TREE_H

#include "profile/profile.h"

struct tree_node {
	uint32_t parent; /* index; the root (0) is its own parent */
	uint32_t depth;  /* root 0 */
	string_id name;  /* as shown */
	func_id func;    /* 0 for made-up frames (root, comm) */
	uint8_t kind;    /* enum code_kind */
	uint8_t flags;   /* enum frame_flag */
	uint64_t self;
	uint64_t total;                   /* self + children's totals */
	uint64_t self_count, total_count; /* samples */
};

struct tree {
	VEC(struct tree_node) nodes; /* preorder */
	uint32_t max_depth;
	struct strtab names; /* of nodes; tree_node.name indexes this */
};

enum tree_root { TREE_ROOT_COMM, TREE_ROOT_COMM_PID, TREE_ROOT_COMM_TID, TREE_ROOT_NONE };

struct tree_options {
	event_id event;      /* 0: all */
	enum tree_root root; /* what the first level is */
	bool inverted;       /* leaf first */
	bool weights;        /* self/total are periods; else sample counts */
	bool annotate_kinds; /* names get _[k] for kernel, _[j] for JIT, _[i] for inlined frames */
	bool addresses;      /* unresolved frames keep their address instead of "[unknown]" */
};

/* Children are sorted by name (bytes), as flame graphs are. */
void tree_build(struct tree *t, const struct profile *p, const struct tree_options *opt);
void tree_free(struct tree *t);

#endif
