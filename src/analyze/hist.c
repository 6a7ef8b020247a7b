#include "analyze/hist.h"

#include <stdlib.h>

#include "analyze/hist_children.h"
#include "analyze/hist_sort.h"
#include "object/sort.h"

/* What is known of a place while the rows of one who are read. */
struct place_mark {
	uint32_t who;   /* the rest is about this one */
	uint32_t entry; /* 0: none yet */
	uint32_t depth;
	uint64_t children;
};

struct builder {
	struct hist *h;
	struct hist_keys *keys;
	const struct hist_options *opt;
	const struct profile *p;
	bool modes;
	struct place_mark *marks; /* by place */
	struct children children;
};

/* Who was first decides about widths and ties, as in perf. It is not worth sorting very many rows.
 */
#define MAX_ROWS_BY_TIME 262144

static void sort_by_time(const struct profile *p, uint32_t *rows, size_t n)
{
	struct sort_key *keys = mem_calloc(n + 1, sizeof *keys);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){p->rows.v[rows[i]].time, rows[i]};
	sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		rows[i] = keys[i].index;
	free(keys);
}

/* Rows of the event, grouped by who; inside a group in order of time. */
static void group_rows(struct builder *b)
{
	struct hist *h = b->h;
	VEC(uint32_t) picked = {0}, whos = {0};
	for (uint32_t i = 0; i < b->p->rows.n; i++) {
		const struct profile_row *r = &b->p->rows.v[i];
		if (r->event.v != h->event.v)
			continue;
		h->total_weight += r->weight;
		h->total_count += r->count;
		if (filter_hides(&b->opt->filter, r->thread, r->leaf))
			continue;
		h->shown_weight += r->weight;
		h->shown_count += r->count;
		vec_push(&picked, i);
	}
	if (picked.n <= MAX_ROWS_BY_TIME)
		sort_by_time(b->p, picked.v, picked.n);
	for (size_t i = 0; i < picked.n; i++)
		vec_push(&whos, hist_keys_who(b->keys, &b->p->rows.v[picked.v[i]]));
	h->who_count = b->keys->whos.n;
	h->rows = mem_calloc(picked.n + 1, sizeof *h->rows);
	h->who_rows = mem_calloc(h->who_count + 2, sizeof *h->who_rows);
	/* Counting sort; starts are kept one slot further up until all rows have moved. */
	uint32_t *start = h->who_rows + 1;
	for (size_t i = 0; i < picked.n; i++)
		start[whos.v[i]]++;
	uint32_t at = 0;
	for (size_t w = 0; w <= h->who_count; w++) {
		uint32_t n = start[w];
		start[w] = at;
		at += n;
	}
	for (size_t i = 0; i < picked.n; i++)
		h->rows[start[whos.v[i]]++] = picked.v[i];
	vec_free(&picked);
	vec_free(&whos);
}

static struct place_mark *mark_of(struct builder *b, uint32_t who, uint32_t place)
{
	struct place_mark *m = &b->marks[place];
	if (m->who != who)
		*m = (struct place_mark){.who = who};
	return m;
}

static uint32_t entry_of(struct builder *b, struct place_mark *m, uint32_t frame, thread_id thread)
{
	if (!m->entry) {
		m->entry = (uint32_t)b->h->entries.n;
		vec_push(&b->h->entries, (struct hist_entry){.who = m->who,
							     .place = b->keys->frame_place[frame],
							     .sym = b->keys->frame_sym[frame],
							     .thread = thread});
		if (b->modes)
			vec_push(&b->h->modes, (struct hist_modes){0});
	}
	return m->entry;
}

static void add_stack(struct builder *b, uint32_t who, const struct profile_row *row,
		      struct place_mark *leaf)
{
	struct children *c = &b->children;
	uint32_t leaf_place = b->keys->frame_place[row->leaf.v];
	size_t known = c->nodes.n;
	uint32_t node = children_node(c, hist_stack(b->h, row));
	c->nodes.v[node].weight += row->weight;
	/* An entry's own chains are shown whole. */
	leaf->depth = MAX(leaf->depth, c->nodes.v[node].depth);
	if (!children_has_place(c, node, leaf_place))
		leaf->children += row->weight;
	for (; known < c->nodes.n; known++) {
		const struct children_node *n = &c->nodes.v[known];
		if (!n->repeats)
			(void)entry_of(b, mark_of(b, who, b->keys->frame_place[n->frame]), n->frame,
				       row->thread);
	}
}

/* Of several functions of one name the first one by object and address stands for all, as in perf,
 * whose trees are ordered by signed differences of addresses. */
static bool stands_before(const struct hist_keys *k, uint32_t sym, uint32_t other)
{
	const struct profile *p = k->p;
	const struct profile_frame *a = profile_frame_at(p, hist_keys_frame(k, sym));
	const struct profile_frame *b = profile_frame_at(p, hist_keys_frame(k, other));
	const struct profile_func *f = &p->funcs.v[a->func.v], *g = &p->funcs.v[b->func.v];
	if (!f->name.v)
		return (int64_t)(a->addr - b->addr) < 0;
	int dsos = str_cmp(profile_str(p, p->objects.v[a->object.v].name),
			   profile_str(p, p->objects.v[b->object.v].name));
	return dsos ? dsos < 0 : (int64_t)(f->start - g->start) < 0;
}

static void choose_name(struct builder *b, struct hist_entry *e, uint32_t sym,
			const struct profile_row *row)
{
	if (sym == e->sym || !hist_fields_sort_by(b->keys->fields, FIELD_SYMBOL) ||
	    !stands_before(b->keys, sym, e->sym))
		return;
	e->sym = sym;
	e->thread = row->thread;
}

static void add_row(struct builder *b, uint32_t who, const struct profile_row *row)
{
	struct place_mark *m = mark_of(b, who, b->keys->frame_place[row->leaf.v]);
	uint32_t entry = entry_of(b, m, row->leaf.v, row->thread);
	struct hist_entry *e = &b->h->entries.v[entry];
	e->weight += row->weight;
	e->count += row->count;
	if (b->keys->fields->by_name)
		choose_name(b, e, b->keys->frame_sym[row->leaf.v], row);
	if (b->modes)
		b->h->modes.v[entry].weight[MIN(b->p->frames.v[row->leaf.v].kind,
						CODE_KINDS - 1)] += row->weight;
	if (b->opt->children)
		add_stack(b, who, row, m);
}

/* Each sample counts once for a place: where it is outermost. */
static void add_children(struct builder *b, uint32_t who)
{
	children_sum(&b->children);
	for (size_t i = 1; i < b->children.nodes.n; i++) {
		const struct children_node *n = &b->children.nodes.v[i];
		struct place_mark *m = mark_of(b, who, b->keys->frame_place[n->frame]);
		uint32_t depth = b->opt->caller_first ? n->deepest - n->depth + 1u : n->depth;
		m->depth = MAX(m->depth, depth);
		if (!n->repeats)
			m->children += n->weight;
	}
	for (uint32_t i = b->h->who_entries[who]; i < b->h->entries.n; i++) {
		struct hist_entry *e = &b->h->entries.v[i];
		e->children = b->marks[e->place].children;
		e->depth = b->marks[e->place].depth;
	}
}

/* The tables are larger than the caches, and rows lead everywhere in them. */
#define PREFETCH_ROWS 8

static void prefetch_row(const struct builder *b, const struct profile_row *row)
{
	__builtin_prefetch(&b->marks[b->keys->frame_place[row->leaf.v]]);
	if (b->opt->children)
		__builtin_prefetch(&b->children.memo[row->stack.v]);
}

static void add_who(struct builder *b, uint32_t who)
{
	const struct hist *h = b->h;
	if (b->opt->children)
		children_begin(&b->children, who);
	uint32_t end = h->who_rows[who + 1];
	for (uint32_t i = h->who_rows[who]; i < end; i++) {
		if (i + PREFETCH_ROWS < end)
			prefetch_row(b, &b->p->rows.v[h->rows[i + PREFETCH_ROWS]]);
		add_row(b, who, &b->p->rows.v[h->rows[i]]);
	}
	if (b->opt->children)
		add_children(b, who);
}

static uint32_t *cut_stacks(const struct profile *p, uint32_t max_depth)
{
	uint32_t *cut = mem_calloc(p->stacks.n, sizeof *cut);
	CLEANUP(mem_free_ptr) uint32_t *depth = mem_calloc(p->stacks.n, sizeof *depth);
	for (uint32_t i = 1; i < p->stacks.n; i++) {
		uint32_t parent = p->stacks.v[i].parent.v;
		depth[i] = depth[parent] + 1;
		cut[i] = depth[i] <= max_depth ? i : cut[parent];
	}
	return cut;
}

static bool wants_modes(const struct hist_fields *f)
{
	for (enum hist_field i = FIELD_OVERHEAD_SYS; i <= FIELD_OVERHEAD_GUEST_US; i++)
		if (hist_fields_sort_by(f, i))
			return true;
	return false;
}

/* Entries stay what they are, some are just not listed; so relative percentages are of the rest. */
static void list_named(struct hist *h, const struct hist_keys *keys, const char *part)
{
	const struct profile *p = keys->p;
	size_t n = 0;
	h->shown_weight = 0;
	for (size_t i = 0; i < h->order_count; i++) {
		const struct hist_entry *e = &h->entries.v[h->order[i]];
		const struct profile_frame *fr = profile_frame_at(p, hist_keys_frame(keys, e->sym));
		struct str name = profile_str(p, p->funcs.v[fr->func.v].name);
		if (!name.n || !memmem(name.p, name.n, part, strlen(part)))
			continue;
		h->order[n++] = h->order[i];
		h->shown_weight += e->weight;
	}
	h->order_count = n;
}

void hist_order(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt)
{
	hist_sort(h, keys, opt);
	if (opt->symbol_part)
		list_named(h, keys, opt->symbol_part);
}

void hist_build(struct hist *h, struct hist_keys *keys, const struct hist_options *opt,
		event_id event)
{
	*h = (struct hist){.event = event};
	struct builder b = {
		.h = h, .keys = keys, .opt = opt, .p = keys->p, .modes = wants_modes(&opt->fields)};
	vec_reserve(&h->entries, keys->place_count);
	vec_push(&h->entries, (struct hist_entry){0});
	if (b.modes)
		vec_push(&h->modes, (struct hist_modes){0});
	group_rows(&b);
	b.marks = mem_calloc(keys->place_count, sizeof *b.marks);
	if (opt->max_depth)
		h->cut = cut_stacks(keys->p, opt->max_depth);
	if (opt->children)
		children_init(&b.children, keys);
	h->who_entries = mem_calloc(h->who_count + 1, sizeof *h->who_entries);
	for (uint32_t who = 0; who < h->who_count; who++) {
		h->who_entries[who] = (uint32_t)h->entries.n;
		add_who(&b, who);
	}
	h->who_entries[h->who_count] = (uint32_t)h->entries.n;
	free(b.marks);
	children_free(&b.children);
	hist_order(h, keys, opt);
}

uint64_t hist_number(const struct hist *h, enum hist_field f, uint32_t entry)
{
	const struct hist_entry *e = &h->entries.v[entry];
	switch (f) {
	case FIELD_OVERHEAD:
	case FIELD_PERIOD:
		return e->weight;
	case FIELD_OVERHEAD_SYS:
		return h->modes.v[entry].weight[CODE_KERNEL];
	case FIELD_OVERHEAD_US:
		return h->modes.v[entry].weight[CODE_USER];
	case FIELD_OVERHEAD_GUEST_SYS:
		return h->modes.v[entry].weight[CODE_GUEST_KERNEL];
	case FIELD_OVERHEAD_GUEST_US:
		return h->modes.v[entry].weight[CODE_GUEST_USER];
	case FIELD_CHILDREN:
		return e->children;
	case FIELD_SAMPLES:
		return e->count;
	default:
		return 0;
	}
}

void hist_free(struct hist *h)
{
	for (size_t i = 0; i < h->member_count; i++)
		hist_free(&h->members[i]);
	free(h->members);
	free(h->pairs);
	vec_free(&h->entries);
	vec_free(&h->modes);
	free(h->who_entries);
	free(h->order);
	free(h->rows);
	free(h->who_rows);
	free(h->cut);
	*h = (struct hist){0};
}
