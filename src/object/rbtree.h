/*
 * The textbook red-black tree over indices, used for nothing but its shape: nodes are inserted and
 * erased in a given order, then the tree is walked by the caller. Index 0 is the (black) nil node,
 * so item i is node i + 1.
 */
#ifndef KILN_RBTREE_H
#define KILN_RBTREE_H

#include "base/base.h"

struct rb_node {
	uint64_t key;
	uint32_t parent;
	uint32_t child[2]; /* less; equal or greater */
	uint32_t red;
};

struct rb_tree {
	struct rb_node *nodes;
	uint32_t root;
};

void rb_init(struct rb_tree *t, size_t items);
void rb_free(struct rb_tree *t);
/* Equal keys go to the right of those already there. */
void rb_insert(struct rb_tree *t, uint32_t node, uint64_t key);
void rb_erase(struct rb_tree *t, uint32_t node);

#endif
