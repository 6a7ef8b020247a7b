/*
 * perf puts a caller above its callee when both have the same weight, by comparing how long their
 * call chains are, but only if both were first seen in the same thread. That is no order: A may go
 * before B, B before C, and C before A. What comes out depends on the red-black tree it is done
 * with, so it is done with the same tree here.
 */
#include <stdlib.h>

#include "analyze/hist_sort.h"

struct tree_node {
	uint32_t parent;
	uint32_t child[2]; /* before; after */
	bool red;
};

struct tree {
	const struct hist_sorter *s;
	struct tree_node *nodes; /* by entry; 0 is nil */
	uint32_t root;
};

static bool same_task(const struct hist_sorter *s, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	const struct profile_thread *threads = s->keys->p->threads.v;
	const struct profile_thread *x = &threads[a->thread.v], *y = &threads[b->thread.v];
	return x->tid == y->tid && x->pid == y->pid && x->process == y->process;
}

static bool goes_before(const struct hist_sorter *s, uint32_t x, uint32_t y)
{
	const struct hist_fields *fields = &s->opt->fields;
	for (size_t i = 0; i < fields->sort_count; i++) {
		enum hist_field f = fields->sort[i];
		if (!hist_field_shown(fields, f))
			continue;
		for (size_t part = 0; part < hist_sort_parts(s, f); part++) {
			uint64_t a = hist_sort_key(s, f, x, part), b = hist_sort_key(s, f, y, part);
			if (a != b)
				return a < b;
		}
		const struct hist_entry *e = &s->h->entries.v[x], *g = &s->h->entries.v[y];
		if (f == FIELD_CHILDREN && e->depth != g->depth && same_task(s, e, g))
			return s->opt->caller_first ? e->depth > g->depth : e->depth < g->depth;
	}
	return false;
}

static int side_of(const struct tree *t, uint32_t n)
{
	return t->nodes[t->nodes[n].parent].child[1] == n;
}

/* The child opposite to `side` comes up, n goes down to `side`. */
static void rotate(struct tree *t, uint32_t n, int side)
{
	struct tree_node *nodes = t->nodes;
	uint32_t up = nodes[n].child[!side], middle = nodes[up].child[side];
	uint32_t parent = nodes[n].parent;
	if (parent)
		nodes[parent].child[side_of(t, n)] = up;
	else
		t->root = up;
	nodes[up].parent = parent;
	nodes[n].child[!side] = middle;
	if (middle)
		nodes[middle].parent = n;
	nodes[up].child[side] = n;
	nodes[n].parent = up;
}

static void balance(struct tree *t, uint32_t n)
{
	struct tree_node *nodes = t->nodes;
	while (nodes[nodes[n].parent].red) {
		uint32_t up = nodes[n].parent, grand = nodes[up].parent;
		int side = side_of(t, up);
		uint32_t uncle = nodes[grand].child[!side];
		if (nodes[uncle].red) {
			nodes[up].red = nodes[uncle].red = false;
			nodes[grand].red = true;
			n = grand;
			continue;
		}
		if (side_of(t, n) != side) {
			rotate(t, up, side);
			n = up;
			up = nodes[n].parent;
		}
		nodes[up].red = false;
		nodes[grand].red = true;
		rotate(t, grand, !side);
	}
	nodes[t->root].red = false;
}

static void insert(struct tree *t, uint32_t entry)
{
	uint32_t parent = 0;
	int side = 0;
	for (uint32_t at = t->root; at; at = t->nodes[at].child[side]) {
		parent = at;
		side = !goes_before(t->s, entry, at);
	}
	t->nodes[entry] = (struct tree_node){.parent = parent, .red = true};
	if (parent)
		t->nodes[parent].child[side] = entry;
	else
		t->root = entry;
	balance(t, entry);
}

static uint32_t leftmost(const struct tree *t, uint32_t n)
{
	while (n && t->nodes[n].child[0])
		n = t->nodes[n].child[0];
	return n;
}

static uint32_t following(const struct tree *t, uint32_t n)
{
	if (t->nodes[n].child[1])
		return leftmost(t, t->nodes[n].child[1]);
	while (t->nodes[n].parent && side_of(t, n) == 1)
		n = t->nodes[n].parent;
	return t->nodes[n].parent;
}

void hist_sort_in_tree(const struct hist_sorter *s, uint32_t *order, size_t n)
{
	struct tree t = {.s = s, .nodes = mem_calloc(s->h->entries.n, sizeof *t.nodes)};
	for (size_t i = 0; i < n; i++)
		insert(&t, order[i]);
	size_t at = 0;
	for (uint32_t e = leftmost(&t, t.root); e; e = following(&t, e))
		order[at++] = e;
	free(t.nodes);
}
