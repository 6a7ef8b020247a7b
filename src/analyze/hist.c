#include "analyze/hist.h"

#include <stdlib.h>

struct builder {
	struct hist *h;
	struct hist_keys *keys;
	const struct hist_options *opt;
	const struct profile *p;
	bool stacks; /* the trie is wanted */
	/* The entry of each place for the current who. */
	struct {
		uint32_t who, entry;
	} * place_entry;
};

/* Rows of the event, grouped by who; inside a group in the order of the profile. */
struct groups {
	uint32_t *rows;
	uint32_t *start; /* by who: its first, [who_count] is the end */
	size_t who_count;
};

static struct groups group_rows(struct builder *b)
{
	VEC(uint32_t) picked = {0}, whos = {0};
	for (uint32_t i = 0; i < b->p->rows.n; i++) {
		const struct profile_row *r = &b->p->rows.v[i];
		if (r->event.v != b->h->event.v)
			continue;
		b->h->total_weight += r->weight;
		b->h->total_count += r->count;
		if (filter_hides(&b->opt->filter, r->thread, r->leaf))
			continue;
		b->h->shown_weight += r->weight;
		b->h->shown_count += r->count;
		vec_push(&picked, i);
		vec_push(&whos, hist_keys_who(b->keys, r));
	}
	struct groups g = {.who_count = b->keys->whos.n};
	g.start = mem_calloc(g.who_count + 1, sizeof *g.start);
	g.rows = mem_calloc(picked.n + 1, sizeof *g.rows);
	for (size_t i = 0; i < picked.n; i++)
		g.start[whos.v[i]]++;
	uint32_t at = 0;
	for (size_t w = 0; w <= g.who_count; w++) {
		uint32_t n = g.start[w];
		g.start[w] = at;
		at += n;
	}
	for (size_t i = 0; i < picked.n; i++)
		g.rows[g.start[whos.v[i]]++] = picked.v[i];
	/* Each start has moved to its end, which is the next one's start. */
	memmove(g.start + 1, g.start, g.who_count * sizeof *g.start);
	g.start[0] = 0;
	vec_free(&picked);
	vec_free(&whos);
	return g;
}

static uint32_t entry_of(struct builder *b, uint32_t who, uint32_t sym,
			 const struct profile_row *row)
{
	uint32_t place = b->keys->sym_place[sym];
	if (b->place_entry[place].who == who)
		return b->place_entry[place].entry;
	uint32_t id = (uint32_t)b->h->entries.n;
	vec_push(&b->h->entries, (struct hist_entry){.who = who,
						     .place = place,
						     .sym = sym,
						     .thread = row->thread,
						     .cpu = row->cpu,
						     .trace = row->trace});
	b->place_entry[place].who = who;
	b->place_entry[place].entry = id;
	return id;
}

static void add_stack(struct builder *b, uint32_t who, const struct profile_row *row, uint32_t sym,
		      uint32_t entry)
{
	struct callgraph_trie *t = &b->h->trie;
	size_t known = t->nodes.n;
	uint32_t node = callgraph_trie_add(t, b->keys, row->stack);
	if (b->opt->children)
		for (; known < t->nodes.n; known++)
			t->nodes.v[known].entry = entry_of(b, who, t->nodes.v[known].sym, row);
	struct trie_node *n = &t->nodes.v[node];
	if (b->keys->sym_place[n->sym] != b->keys->sym_place[sym]) {
		vec_push(&t->loose, (struct trie_loose){entry, node, row->weight, row->count});
		return;
	}
	n->entry = entry;
	n->self_weight += row->weight;
	n->self_count += row->count;
}

static void add_rows(struct builder *b, uint32_t who, const uint32_t *rows, size_t count)
{
	if (b->stacks)
		callgraph_trie_root(&b->h->trie);
	for (size_t i = 0; i < count; i++) {
		const struct profile_row *row = &b->p->rows.v[rows[i]];
		uint32_t sym = b->keys->frame_sym[row->leaf.v];
		uint32_t entry = entry_of(b, who, sym, row);
		struct hist_entry *e = &b->h->entries.v[entry];
		e->weight += row->weight;
		e->count += row->count;
		unsigned kind = b->p->frames.v[row->leaf.v].kind;
		if (kind < CODE_KINDS)
			e->by_kind[kind] += row->weight;
		if (b->stacks && row->stack.v)
			add_stack(b, who, row, sym, entry);
		else if (b->opt->children)
			e->children += row->weight;
	}
}

static void list_nodes(struct hist *h)
{
	for (uint32_t i = (uint32_t)h->trie.nodes.n; i-- > 1;) {
		struct trie_node *n = &h->trie.nodes.v[i];
		struct hist_entry *e = &h->entries.v[n->entry];
		n->next_of_entry = e->first_node;
		e->first_node = i;
	}
	h->entries.v[0].first_node = 0;
}

static bool on_path(const struct callgraph_trie *t, uint32_t node, uint32_t entry)
{
	for (; node; node = t->nodes.v[node].parent)
		if (t->nodes.v[node].entry == entry)
			return true;
	return false;
}

static void add_children(struct hist *h)
{
	struct callgraph_trie *t = &h->trie;
	callgraph_trie_link(t, h->entries.n);
	/* A function that calls itself is counted where it is outermost. */
	for (size_t i = 1; i < t->nodes.n; i++)
		if (!t->nodes.v[i].outer)
			h->entries.v[t->nodes.v[i].entry].children += t->nodes.v[i].weight;
	for (size_t i = 0; i < t->loose.n; i++)
		if (!on_path(t, t->loose.v[i].node, t->loose.v[i].entry))
			h->entries.v[t->loose.v[i].entry].children += t->loose.v[i].weight;
}

/* Among entries of equal weight the one nearer to the root is listed first; perf measures that by
 * the longest chain in an entry's call graph, so it depends on the graph's direction. */
static void measure_depth(struct hist *h, bool caller_first)
{
	const struct trie_node *nodes = h->trie.nodes.v;
	size_t n = h->trie.nodes.n;
	uint32_t *deepest = mem_calloc(n, sizeof *deepest);
	for (size_t i = n; i-- > 1;) {
		deepest[i] = MAX(deepest[i], nodes[i].depth);
		deepest[nodes[i].parent] = MAX(deepest[nodes[i].parent], deepest[i]);
	}
	for (size_t i = 1; i < n; i++) {
		struct hist_entry *e = &h->entries.v[nodes[i].entry];
		uint32_t depth = caller_first ? deepest[i] - nodes[i].depth + 1 : nodes[i].depth;
		if (nodes[i].self_count)
			depth = MAX(depth, nodes[i].depth);
		e->depth = MAX(e->depth, depth);
	}
	free(deepest);
}

void hist_build(struct hist *h, struct hist_keys *keys, const struct hist_options *opt,
		event_id event)
{
	*h = (struct hist){.event = event};
	vec_push(&h->entries, (struct hist_entry){0});
	struct builder b = {.h = h, .keys = keys, .opt = opt, .p = keys->p};
	b.stacks = (opt->graphs || opt->children) && keys->p->events.v[event.v].has_stacks;
	b.place_entry = mem_calloc(keys->place_count, sizeof *b.place_entry);
	if (b.stacks)
		callgraph_trie_init(&h->trie, keys->p);

	struct groups g = group_rows(&b);
	for (uint32_t who = 1; who < g.who_count; who++)
		if (g.start[who + 1] > g.start[who])
			add_rows(&b, who, g.rows + g.start[who], g.start[who + 1] - g.start[who]);
	free(g.rows);
	free(g.start);
	free(b.place_entry);

	if (b.stacks) {
		callgraph_trie_sum(&h->trie);
		list_nodes(h);
		if (opt->children)
			add_children(h);
		if (opt->children && opt->graphs)
			measure_depth(h, opt->caller_first);
	}
	hist_sort(h, keys, opt);
}

void hist_free(struct hist *h)
{
	vec_free(&h->entries);
	free(h->order);
	callgraph_trie_free(&h->trie);
	*h = (struct hist){0};
}
