/*
 * Call trees by name: the shape behind flame graphs and folded stacks. Frames merge when they are
 * shown alike. Nodes lie in preorder, so that a subtree is one range and parents come before
 * children; the children of a node are ordered by name (bytes). The same profile gives the same
 * tree whatever the order of its rows.
 */
#ifndef KILN_TREE_H
#define KILN_TREE_H

#include "profile/profile.h"

struct tree_node {
	uint32_t parent; /* index; the root (0) is its own parent */
	uint32_t end;    /* index behind the last node of its subtree */
	uint32_t depth;  /* root 0 */
	string_id name;  /* as shown; in tree.names */
	uint8_t kind;    /* enum code_kind; of merged frames the highest */
	uint8_t flags;   /* enum frame_flag; of merged frames all */
	uint64_t self;
	uint64_t total; /* self + children's totals */
};

struct tree {
	VEC(struct tree_node) nodes; /* preorder; [0] is the root, named "all" */
	uint32_t max_depth;
	struct strtab names;
};

/* What the first level below the root is. Rows without thread have none. */
enum tree_root { TREE_ROOT_COMM, TREE_ROOT_COMM_PID, TREE_ROOT_COMM_TID, TREE_ROOT_NONE };

struct tree_options {
	event_id event;      /* 0: all */
	enum tree_root root; /* COMM, COMM-PID or COMM-PID/TID; a number that is unknown is "?" */
	bool inverted;       /* leaf first; the thread comes last */
	bool weights;        /* self and total are periods; else sample counts */
	bool mark_kernel;    /* names get _[k] in the kernel, … */
	bool mark_jit;       /* … _[j] in JIT code, … */
	bool mark_inlined;   /* … _[i] where inlined */
	bool addresses;      /* unresolved frames show their address: "[libc.so.6 <1f00>]" */
	bool verbatim;       /* names are from folded text: a nameless frame stays nameless */
	bool folded;         /* names fit for folded text: ';' becomes ':', line ends blanks */
};

/* Unresolved frames are named by their object, "[libc.so.6]", or "[unknown]". Sums that exceed 64
 * bits stay at the greatest value. */
void tree_build(struct tree *t, const struct profile *p, const struct tree_options *opt);
void tree_free(struct tree *t);

static inline struct str tree_name(const struct tree *t, uint32_t node)
{
	return strtab_get(&t->names, t->nodes.v[node].name);
}

#endif
