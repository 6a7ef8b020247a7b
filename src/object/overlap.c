#include "object/overlap.h"

#include <stdlib.h>

#include "object/rbtree.h"

/* While looking for doubtful ranges: symbol is not known yet. */
#define UNDECIDED (UINT32_MAX - 1)

/* Ranges that a symbol covers which is not the nearest one: from each start up to the next start,
 * as far as some earlier symbol reaches. */
static void find_doubtful(struct symtab *t, struct symtab_wanted wanted)
{
	uint64_t reach = 0;
	for (size_t i = 0; i < t->syms.n; i++) {
		const struct symbol *s = &t->syms.v[i];
		uint64_t next = i + 1 < t->syms.n ? t->syms.v[i + 1].start : UINT64_MAX;
		uint64_t to = MIN(next, reach);
		if (to > s->start && (!wanted.fn || wanted.fn(wanted.ctx, s->start, to)))
			vec_push(&t->patches, (struct symtab_patch){.from = s->start,
								    .to = to,
								    .symbol = UNDECIDED});
		reach = MAX(reach, s->end);
	}
}

/* Cuts the ranges at every end of a symbol: the answer is one within each piece. A symbol without
 * size covers its own address. */
static void cut_at_ends(struct symtab *t)
{
	struct sort_key *ends = mem_calloc(t->syms.n, sizeof *ends);
	for (size_t i = 0; i < t->syms.n; i++)
		ends[i].key = MAX(t->syms.v[i].end, t->syms.v[i].start + 1);
	sort_keys(ends, t->syms.n);

	size_t n = t->patches.n, e = 0;
	for (size_t i = 0; i < n; i++) {
		struct symtab_patch p = t->patches.v[i];
		uint64_t last = p.from;
		for (; e < t->syms.n && ends[e].key < p.to; e++) {
			if (ends[e].key <= last)
				continue;
			vec_push(&t->patches, (struct symtab_patch){.from = last,
								    .to = ends[e].key,
								    .symbol = UNDECIDED});
			last = ends[e].key;
		}
		t->patches.v[i].from = last;
	}
	free(ends);

	/* The pieces cut off stand behind the ranges: bring all in order. */
	struct sort_key *keys = mem_calloc(t->patches.n, sizeof *keys);
	struct symtab_patch *sorted = mem_calloc(t->patches.n, sizeof *sorted);
	for (size_t i = 0; i < t->patches.n; i++)
		keys[i] = (struct sort_key){.key = t->patches.v[i].from, .index = (uint32_t)i};
	sort_keys(keys, t->patches.n);
	for (size_t i = 0; i < t->patches.n; i++)
		sorted[i] = t->patches.v[keys[i].index];
	memcpy(t->patches.v, sorted, t->patches.n * sizeof *sorted);
	free(sorted);
	free(keys);
}

static void grow(struct rb_tree *tree, const struct symtab_build *b)
{
	size_t i = 0, d = 0;
	rb_init(tree, b->all.n);
	for (unsigned pass = 0; pass < b->passes; pass++) {
		for (; i < b->pass[pass].inserted; i++)
			rb_insert(tree, (uint32_t)i + 1, b->all.v[i].start);
		for (; d < b->pass[pass].dropped; d++)
			rb_erase(tree, b->dropped.v[d] + 1);
	}
}

/* The node perf's search ends at; 0: none. */
static uint32_t search(const struct rb_tree *tree, const struct symtab_build *b, uint64_t addr)
{
	uint32_t at = tree->root;
	while (at) {
		const struct symbol *s = &b->all.v[at - 1];
		if (addr < s->start)
			at = tree->nodes[at].child[0];
		else if (addr >= s->end && addr != s->start)
			at = tree->nodes[at].child[1];
		else
			return at;
	}
	return 0;
}

static void merge_equal_neighbours(struct symtab *t)
{
	size_t kept = 0;
	for (size_t i = 1; i < t->patches.n; i++) {
		struct symtab_patch *last = &t->patches.v[kept], p = t->patches.v[i];
		if (last->to == p.from && last->symbol == p.symbol)
			last->to = p.to;
		else
			t->patches.v[++kept] = p;
	}
	t->patches.n = kept + 1;
}

void overlap_patch(const struct symtab_build *b, struct symtab *t, struct symtab_wanted wanted)
{
	find_doubtful(t, wanted);
	if (!t->patches.n)
		return;
	cut_at_ends(t);

	struct rb_tree tree;
	grow(&tree, b);
	uint32_t *place = mem_calloc(b->all.n + 1, sizeof *place); /* node -> index in t->syms */
	for (size_t i = 0; i < b->live.n; i++)
		place[b->live.v[i].index + 1] = (uint32_t)i;
	for (size_t i = 0; i < t->patches.n; i++) {
		uint32_t node = search(&tree, b, t->patches.v[i].from);
		t->patches.v[i].symbol = node ? place[node] : UINT32_MAX;
	}
	free(place);
	rb_free(&tree);
	merge_equal_neighbours(t);
}
