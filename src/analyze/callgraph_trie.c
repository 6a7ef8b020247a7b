#include "analyze/callgraph_trie.h"

#include <stdlib.h>

/* An id that is valid while its stamp is the current one. */
struct stamped {
	uint32_t stamp, id;
};

struct who_weight {
	uint32_t who, row;
	uint64_t weight;
};

struct builder {
	struct callgraph_trie *t;
	const struct hist *h;
	const struct hist_keys *keys;
	const struct profile *p;
	const struct trie_options *opt;
	struct index index;   /* of (parent, sym) */
	struct stamped *memo; /* by stack_id: its node in the trie of the stamp, a root */
	VEC(uint32_t) path;
	uint32_t root;
	uint32_t who;
	struct stamped *place_entry;    /* by place: its entry if that has a graph; stamp: who */
	struct who_weight *sym_weights; /* by sym; NULL: those of the entries tell as much */
};

/* --- what is kept ---------------------------------------------------------------------------- */

static bool has_graph(const struct builder *b, const struct hist_entry *e)
{
	uint64_t weight = b->opt->children ? e->children : e->weight;
	return b->opt->everything || weight >= b->opt->threshold;
}

static uint32_t entry_at(const struct builder *b, uint32_t place)
{
	const struct stamped *e = &b->place_entry[place];
	return e->stamp == b->who ? e->id : 0;
}

static void mark_entries(struct builder *b)
{
	for (uint32_t i = b->h->who_entries[b->who]; i < b->h->who_entries[b->who + 1]; i++) {
		const struct hist_entry *e = &b->h->entries.v[i];
		if (has_graph(b, e))
			b->place_entry[e->place] = (struct stamped){b->who, i};
	}
}

/* The entry of the row's samples; 0: it has no graph. */
static uint32_t row_entry(const struct builder *b, const struct profile_row *row)
{
	return entry_at(b, b->keys->frame_place[row->leaf.v]);
}

/* Whether the row's stack is in any graph. */
static bool row_counts(const struct builder *b, const struct profile_row *row)
{
	return row->stack.v && (b->opt->children || row_entry(b, row));
}

/* Adds up each function's share of the rows that count. */
static void weigh_syms(struct builder *b)
{
	const struct profile_stack *stacks = b->p->stacks.v;
	for (uint32_t i = b->h->who_rows[b->who]; i < b->h->who_rows[b->who + 1]; i++) {
		const struct profile_row *row = &b->p->rows.v[b->h->rows[i]];
		if (!row_counts(b, row))
			continue;
		for (uint32_t s = hist_stack(b->h, row).v; s; s = stacks[s].parent.v) {
			struct who_weight *w =
				&b->sym_weights[b->keys->frame_sym[stacks[s].frame.v]];
			if (w->who != b->who)
				*w = (struct who_weight){.who = b->who};
			if (w->row != i + 1)
				w->weight += row->weight;
			w->row = i + 1;
		}
	}
}

/* The frame's sym, or the nameless one of its place. */
static uint32_t reduced(const struct builder *b, uint32_t frame)
{
	uint32_t sym = b->keys->frame_sym[frame], place = b->keys->frame_place[frame];
	if (b->opt->everything)
		return sym;
	uint32_t entry = entry_at(b, place);
	if (b->sym_weights ? b->sym_weights[sym].weight >= b->opt->threshold : entry != 0)
		return sym;
	return b->keys->sym_count + (entry ? place : 0);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static uint32_t new_node(struct builder *b, uint32_t parent, uint32_t sym)
{
	struct callgraph_trie *t = b->t;
	uint32_t id = (uint32_t)t->nodes.n;
	uint32_t place = trie_nameless(b->keys, sym) ? sym - b->keys->sym_count
						     : b->keys->sym_place[sym];
	vec_push(&t->nodes, (struct trie_node){.parent = parent,
					       .sym = sym,
					       .next = t->nodes.v[parent].first_child,
					       .entry = place ? entry_at(b, place) : 0});
	t->nodes.v[parent].first_child = id;
	return id;
}

static uint32_t child(struct builder *b, uint32_t parent, uint32_t sym)
{
	const struct trie_node *above = &b->t->nodes.v[parent];
	if (above->sym == sym && trie_nameless(b->keys, sym))
		return parent;
	uint64_t h = hash_mix((uint64_t)parent << 32 | sym, 0);
	for (struct index_probe at = index_probe(&b->index, h); index_next(&b->index, &at);) {
		const struct trie_node *n = &b->t->nodes.v[at.value];
		if (n->parent == parent && n->sym == sym)
			return at.value;
	}
	uint32_t id = new_node(b, parent, sym);
	index_put(&b->index, h, id);
	return id;
}

static uint32_t node_of(struct builder *b, stack_id stack)
{
	const struct profile_stack *stacks = b->p->stacks.v;
	uint32_t at = stack.v;
	vec_clear(&b->path);
	for (; at && b->memo[at].stamp != b->root; at = stacks[at].parent.v)
		vec_push(&b->path, at);
	uint32_t node = at ? b->memo[at].id : b->root;
	while (b->path.n) {
		at = b->path.v[--b->path.n];
		node = child(b, node, reduced(b, stacks[at].frame.v));
		b->memo[at] = (struct stamped){b->root, node};
	}
	return node;
}

static void add_end(struct callgraph_trie *t, uint32_t node, uint32_t entry,
		    const struct profile_row *row)
{
	struct trie_node *n = &t->nodes.v[node];
	if (!n->end || t->ends.v[n->end - 1].entry != entry) {
		vec_push(&t->ends, (struct trie_end){.entry = entry, .node = node});
		n->end = (uint32_t)t->ends.n;
	}
	t->ends.v[n->end - 1].weight += row->weight;
	t->ends.v[n->end - 1].count += row->count;
}

static void add_who(struct builder *b, uint32_t who)
{
	b->who = who;
	mark_entries(b);
	if (b->sym_weights)
		weigh_syms(b);
	b->root = (uint32_t)b->t->nodes.n;
	vec_push(&b->t->nodes, (struct trie_node){0});
	for (uint32_t i = b->h->who_rows[who]; i < b->h->who_rows[who + 1]; i++) {
		const struct profile_row *row = &b->p->rows.v[b->h->rows[i]];
		if (!row_counts(b, row))
			continue;
		uint32_t node = node_of(b, hist_stack(b->h, row)), entry = row_entry(b, row);
		b->t->nodes.v[node].weight += row->weight;
		b->t->nodes.v[node].count += row->count;
		if (entry)
			add_end(b->t, node, entry, row);
	}
}

/* --- the whole ------------------------------------------------------------------------------- */

static void sum(struct callgraph_trie *t)
{
	struct trie_node *nodes = t->nodes.v;
	for (size_t i = t->nodes.n; i-- > 1;) {
		nodes[nodes[i].parent].weight += nodes[i].weight;
		nodes[nodes[i].parent].count += nodes[i].count;
	}
}

/* Depth first through one trie; innermost[e] is the latest node of entry e on the way down. */
static void link_below(struct trie_node *nodes, uint32_t root, uint32_t *innermost)
{
	uint32_t n = nodes[root].first_child;
	while (n && n != root) {
		nodes[n].outer = innermost[nodes[n].entry];
		innermost[nodes[n].entry] = n;
		if (nodes[n].first_child) {
			n = nodes[n].first_child;
			continue;
		}
		while (n != root) {
			innermost[nodes[n].entry] = nodes[n].outer;
			if (nodes[n].next)
				break;
			n = nodes[n].parent;
		}
		if (n != root)
			n = nodes[n].next;
	}
}

/* `outer` and the lists of each entry's nodes. */
static void link_entries(struct callgraph_trie *t, size_t entry_count)
{
	uint32_t *innermost = mem_calloc(entry_count, sizeof *innermost);
	for (uint32_t i = 1; i < t->nodes.n; i++)
		if (!t->nodes.v[i].parent)
			link_below(t->nodes.v, i, innermost);
	free(innermost);
	t->first_node = mem_calloc(entry_count, sizeof *t->first_node);
	for (uint32_t i = (uint32_t)t->nodes.n; i-- > 1;) {
		struct trie_node *n = &t->nodes.v[i];
		n->next_of_entry = t->first_node[n->entry];
		t->first_node[n->entry] = i;
	}
	t->first_node[0] = 0;
}

static int cmp_ends(const void *x, const void *y)
{
	const struct trie_end *a = x, *b = y;
	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

void callgraph_trie_build(struct callgraph_trie *t, const struct hist *h,
			  const struct hist_keys *keys, const struct trie_options *opt)
{
	*t = (struct callgraph_trie){0};
	struct builder b = {.t = t, .h = h, .keys = keys, .p = keys->p, .opt = opt};
	vec_push(&t->nodes, (struct trie_node){0});
	b.memo = mem_calloc(b.p->stacks.n, sizeof *b.memo);
	b.place_entry = mem_calloc(keys->place_count, sizeof *b.place_entry);
	/* Where functions are a key and children count, an entry weighs what its function does. */
	bool told = opt->children && hist_fields_sort_by(keys->fields, FIELD_SYMBOL);
	if (!opt->everything && !told)
		b.sym_weights = mem_calloc(keys->sym_count, sizeof *b.sym_weights);
	for (uint32_t who = 1; who < h->who_count; who++)
		if (h->who_rows[who + 1] > h->who_rows[who])
			add_who(&b, who);
	free(b.memo);
	free(b.place_entry);
	free(b.sym_weights);
	vec_free(&b.path);
	index_free(&b.index);
	sum(t);
	if (t->ends.n)
		qsort(t->ends.v, t->ends.n, sizeof *t->ends.v, cmp_ends);
	if (opt->children)
		link_entries(t, h->entries.n);
}

void callgraph_trie_free(struct callgraph_trie *t)
{
	vec_free(&t->nodes);
	vec_free(&t->ends);
	free(t->first_node);
	*t = (struct callgraph_trie){0};
}
