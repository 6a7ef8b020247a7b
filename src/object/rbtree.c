#include "object/rbtree.h"

#include <stdlib.h>

#include "base/mem.h"

void rb_init(struct rb_tree *t, size_t items)
{
	t->nodes = mem_calloc(items + 1, sizeof *t->nodes);
	t->root = 0;
}

void rb_free(struct rb_tree *t)
{
	free(t->nodes);
	t->nodes = NULL;
}

static int side_of(const struct rb_tree *t, uint32_t node)
{
	return t->nodes[t->nodes[node].parent].child[1] == node;
}

/* Puts `to` into the place of `node` under its parent. */
static void replace(struct rb_tree *t, uint32_t node, uint32_t to)
{
	uint32_t parent = t->nodes[node].parent;
	if (!parent)
		t->root = to;
	else
		t->nodes[parent].child[side_of(t, node)] = to;
	t->nodes[to].parent = parent; /* also of nil: erasing needs it */
}

/* The child opposite to `side` comes up; `node` goes down to `side`. */
static void rotate(struct rb_tree *t, uint32_t node, int side)
{
	struct rb_node *n = t->nodes;
	uint32_t up = n[node].child[!side], middle = n[up].child[side];
	replace(t, node, up);
	n[node].child[!side] = middle;
	if (middle)
		n[middle].parent = node;
	n[up].child[side] = node;
	n[node].parent = up;
}

void rb_insert(struct rb_tree *t, uint32_t node, uint64_t key)
{
	struct rb_node *n = t->nodes;
	uint32_t parent = 0;
	int side = 0;
	for (uint32_t at = t->root; at; at = n[at].child[side]) {
		parent = at;
		side = key >= n[at].key;
	}
	n[node] = (struct rb_node){.key = key, .parent = parent, .red = 1};
	if (parent)
		n[parent].child[side] = node;
	else
		t->root = node;

	while (n[n[node].parent].red) {
		uint32_t up = n[node].parent, grand = n[up].parent;
		side = side_of(t, up);
		uint32_t uncle = n[grand].child[!side];
		if (n[uncle].red) {
			n[up].red = n[uncle].red = 0;
			n[grand].red = 1;
			node = grand;
			continue;
		}
		if (side_of(t, node) != side) {
			rotate(t, up, side);
			node = up;
			up = n[node].parent;
		}
		n[up].red = 0;
		n[grand].red = 1;
		rotate(t, grand, !side);
	}
	n[t->root].red = 0;
}

/* `node` (nil, perhaps) is one black short: moves the lack up or mends it. */
static void rebalance(struct rb_tree *t, uint32_t node)
{
	struct rb_node *n = t->nodes;
	while (node != t->root && !n[node].red) {
		uint32_t parent = n[node].parent;
		int side = n[parent].child[1] == node;
		uint32_t sibling = n[parent].child[!side];
		if (n[sibling].red) {
			n[sibling].red = 0;
			n[parent].red = 1;
			rotate(t, parent, side);
			sibling = n[parent].child[!side];
		}
		if (!n[n[sibling].child[0]].red && !n[n[sibling].child[1]].red) {
			n[sibling].red = 1;
			node = parent;
			continue;
		}
		if (!n[n[sibling].child[!side]].red) {
			n[n[sibling].child[side]].red = 0;
			n[sibling].red = 1;
			rotate(t, sibling, !side);
			sibling = n[parent].child[!side];
		}
		n[sibling].red = n[parent].red;
		n[parent].red = 0;
		n[n[sibling].child[!side]].red = 0;
		rotate(t, parent, side);
		node = t->root;
	}
	n[node].red = 0;
}

void rb_erase(struct rb_tree *t, uint32_t node)
{
	struct rb_node *n = t->nodes;
	uint32_t moved; /* what fills the hole, at the place where a node vanished */
	bool lost_black = !n[node].red;
	if (!n[node].child[0] || !n[node].child[1]) {
		moved = n[node].child[0] ? n[node].child[0] : n[node].child[1];
		replace(t, node, moved);
	} else {
		uint32_t next = n[node].child[1];
		while (n[next].child[0])
			next = n[next].child[0];
		lost_black = !n[next].red;
		moved = n[next].child[1];
		if (n[next].parent == node) {
			n[moved].parent = next;
		} else {
			replace(t, next, moved);
			n[next].child[1] = n[node].child[1];
			n[n[next].child[1]].parent = next;
		}
		replace(t, node, next);
		n[next].child[0] = n[node].child[0];
		n[n[next].child[0]].parent = next;
		n[next].red = n[node].red;
	}
	if (lost_black)
		rebalance(t, moved);
	n[0] = (struct rb_node){0};
}
