#include "analyze/hist.h"

#include <stdlib.h>

/* What is known of a place while the rows of one who are read. */
struct place_mark {
	uint32_t who;   /* the rest is about this one */
	uint32_t entry; /* 0: none yet */
	uint32_t row;   /* latest row that counted here; from 1 */
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
	VEC(uint32_t) touched;    /* places of the current who */
	uint32_t *stack_depth;    /* by stack_id; NULL unless needed */
};

/* Rows of the event, grouped by who; inside a group in the order of the profile. */
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
		vec_push(&whos, hist_keys_who(b->keys, r));
	}
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
	if (m->who != who) {
		*m = (struct place_mark){.who = who};
		vec_push(&b->touched, place);
	}
	return m;
}

static uint32_t entry_of(struct builder *b, struct place_mark *m, uint32_t sym, thread_id thread)
{
	if (!m->entry) {
		m->entry = (uint32_t)b->h->entries.n;
		vec_push(&b->h->entries, (struct hist_entry){.who = m->who,
							     .place = b->keys->sym_place[sym],
							     .sym = sym,
							     .thread = thread});
		if (b->modes)
			vec_push(&b->h->modes, (struct hist_modes){0});
	}
	return m->entry;
}

/* Counts the row once for every place on its stack. */
static void add_stack(struct builder *b, uint32_t who, const struct profile_row *row, uint32_t id)
{
	const struct profile_stack *stacks = b->p->stacks.v;
	uint32_t from_leaf = 1;
	for (uint32_t s = row->stack.v; s; s = stacks[s].parent.v, from_leaf++) {
		uint32_t frame = stacks[s].frame.v;
		struct place_mark *m = mark_of(b, who, b->keys->frame_place[frame]);
		if (b->stack_depth) {
			uint32_t depth = b->opt->caller_first ? from_leaf : b->stack_depth[s];
			m->depth = MAX(m->depth, depth);
		}
		if (m->row == id)
			continue;
		m->row = id;
		m->children += row->weight;
		(void)entry_of(b, m, b->keys->frame_sym[frame], row->thread);
	}
}

static void add_row(struct builder *b, uint32_t who, const struct profile_row *row, uint32_t id)
{
	uint32_t sym = b->keys->frame_sym[row->leaf.v];
	struct place_mark *m = mark_of(b, who, b->keys->sym_place[sym]);
	uint32_t entry = entry_of(b, m, sym, row->thread);
	struct hist_entry *e = &b->h->entries.v[entry];
	e->weight += row->weight;
	e->count += row->count;
	if (b->modes)
		b->h->modes.v[entry].weight[MIN(b->p->frames.v[row->leaf.v].kind,
						CODE_KINDS - 1)] += row->weight;
	if (!b->opt->children)
		return;
	m->row = id;
	m->children += row->weight;
	if (b->stack_depth)
		m->depth = MAX(m->depth, b->stack_depth[row->stack.v]);
	add_stack(b, who, row, id);
}

static void add_who(struct builder *b, uint32_t who)
{
	struct hist *h = b->h;
	for (uint32_t i = h->who_rows[who]; i < h->who_rows[who + 1]; i++)
		add_row(b, who, &b->p->rows.v[h->rows[i]], i + 1);
	for (size_t i = 0; i < b->touched.n; i++) {
		const struct place_mark *m = &b->marks[b->touched.v[i]];
		h->entries.v[m->entry].children = m->children;
		h->entries.v[m->entry].depth = m->depth;
	}
	vec_clear(&b->touched);
}

static uint32_t *measure_stacks(const struct profile *p)
{
	uint32_t *depth = mem_calloc(p->stacks.n, sizeof *depth);
	for (size_t i = 1; i < p->stacks.n; i++)
		depth[i] = depth[p->stacks.v[i].parent.v] + 1;
	return depth;
}

static bool wants_modes(const struct hist_fields *f)
{
	for (enum hist_field i = FIELD_OVERHEAD_SYS; i <= FIELD_OVERHEAD_GUEST_US; i++)
		if (hist_fields_sort_by(f, i))
			return true;
	return false;
}

void hist_build(struct hist *h, struct hist_keys *keys, const struct hist_options *opt,
		event_id event)
{
	*h = (struct hist){.event = event};
	struct builder b = {
		.h = h, .keys = keys, .opt = opt, .p = keys->p, .modes = wants_modes(&opt->fields)};
	vec_push(&h->entries, (struct hist_entry){0});
	if (b.modes)
		vec_push(&h->modes, (struct hist_modes){0});
	group_rows(&b);
	b.marks = mem_calloc(keys->place_count, sizeof *b.marks);
	if (opt->children && opt->graphs)
		b.stack_depth = measure_stacks(keys->p);
	h->who_entries = mem_calloc(h->who_count + 1, sizeof *h->who_entries);
	for (uint32_t who = 0; who < h->who_count; who++) {
		h->who_entries[who] = (uint32_t)h->entries.n;
		add_who(&b, who);
	}
	h->who_entries[h->who_count] = (uint32_t)h->entries.n;
	free(b.marks);
	free(b.stack_depth);
	vec_free(&b.touched);
	hist_sort(h, keys, opt);
}

void hist_free(struct hist *h)
{
	vec_free(&h->entries);
	vec_free(&h->modes);
	free(h->who_entries);
	free(h->order);
	free(h->rows);
	free(h->who_rows);
	*h = (struct hist){0};
}
