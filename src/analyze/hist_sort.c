/*
 * The order of entries. perf sorts twice: it collects entries in a tree ordered by their keys
 * (addresses), then inserts them in that order into one ordered by numbers and names; entries that
 * compare equal there stay in the order of the first. So: numbers and names first, keys decide
 * ties.
 */
#include <stdlib.h>

#include "analyze/hist.h"

struct sorter {
	const struct hist *h;
	const struct hist_keys *keys;
	const struct hist_options *opt;
};

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static const struct profile_frame *frame_of(const struct sorter *s, const struct hist_entry *e)
{
	return profile_frame_at(s->keys->p, hist_keys_frame(s->keys, e->sym));
}

static int cmp_string(const struct sorter *s, string_id a, string_id b)
{
	return a.v == b.v ? 0 : str_cmp(profile_str(s->keys->p, a), profile_str(s->keys->p, b));
}

/* Unknown ones are last. */
static int cmp_dso(const struct sorter *s, const struct hist_entry *a, const struct hist_entry *b)
{
	object_id x = frame_of(s, a)->object, y = frame_of(s, b)->object;
	if (!x.v || !y.v)
		return !x.v - !y.v;
	const struct profile_object *objects = s->keys->p->objects.v;
	return cmp_string(s, objects[x.v].name, objects[y.v].name);
}

static int cmp_symbol_name(const struct sorter *s, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	const struct profile_func *funcs = s->keys->p->funcs.v;
	string_id x = funcs[frame_of(s, a)->func.v].name, y = funcs[frame_of(s, b)->func.v].name;
	if (!x.v || !y.v)
		return !x.v - !y.v;
	return cmp_string(s, x, y);
}

static int cmp_symbol_addr(const struct sorter *s, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	const struct profile_func *funcs = s->keys->p->funcs.v;
	const struct profile_frame *x = frame_of(s, a), *y = frame_of(s, b);
	const struct profile_func *f = &funcs[x->func.v], *g = &funcs[y->func.v];
	if (!f->name.v && !g->name.v)
		return cmp_u64(x->addr, y->addr);
	int c = cmp_dso(s, a, b);
	if (!c && (!f->name.v || !g->name.v))
		c = !f->name.v - !g->name.v;
	if (!c)
		c = cmp_u64(f->start, g->start);
	if (!c)
		c = cmp_u64(f->size, g->size);
	return c;
}

static int cmp_children(const struct sorter *s, const struct hist_entry *a,
			const struct hist_entry *b)
{
	if (!s->opt->children)
		return 0;
	int c = cmp_u64(b->children, a->children);
	if (c || !s->opt->graphs)
		return c;
	const struct profile_thread *threads = s->keys->p->threads.v;
	const struct profile_thread *x = &threads[a->thread.v], *y = &threads[b->thread.v];
	if (x->tid != y->tid || x->pid != y->pid || x->process != y->process)
		return 0;
	return s->opt->caller_first ? cmp_u64(b->depth, a->depth) : cmp_u64(a->depth, b->depth);
}

static int cmp_key(const struct sorter *s, enum hist_field f, const struct hist_entry *a,
		   const struct hist_entry *b)
{
	const struct profile_thread *threads = s->keys->p->threads.v;
	switch (f) {
	case FIELD_PID:
	case FIELD_TID:
		return (threads[a->thread.v].tid > threads[b->thread.v].tid) -
		       (threads[a->thread.v].tid < threads[b->thread.v].tid);
	case FIELD_COMM:
		return cmp_string(s, threads[a->thread.v].comm, threads[b->thread.v].comm);
	case FIELD_DSO:
		return cmp_dso(s, a, b);
	case FIELD_SYMBOL:
		return cmp_symbol_name(s, a, b);
	case FIELD_CPU:
		return ((int32_t)a->cpu > (int32_t)b->cpu) - ((int32_t)a->cpu < (int32_t)b->cpu);
	case FIELD_TRACE:
		return cmp_string(s, a->trace, b->trace);
	default:
		return 0;
	}
}

static int cmp_number(const struct sorter *s, enum hist_field f, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	switch (f) {
	case FIELD_OVERHEAD:
	case FIELD_PERIOD:
		return cmp_u64(b->weight, a->weight);
	case FIELD_OVERHEAD_SYS:
		return cmp_u64(b->by_kind[CODE_KERNEL], a->by_kind[CODE_KERNEL]);
	case FIELD_OVERHEAD_US:
		return cmp_u64(b->by_kind[CODE_USER], a->by_kind[CODE_USER]);
	case FIELD_OVERHEAD_GUEST_SYS:
		return cmp_u64(b->by_kind[CODE_GUEST_KERNEL], a->by_kind[CODE_GUEST_KERNEL]);
	case FIELD_OVERHEAD_GUEST_US:
		return cmp_u64(b->by_kind[CODE_GUEST_USER], a->by_kind[CODE_GUEST_USER]);
	case FIELD_CHILDREN:
		return cmp_children(s, a, b);
	case FIELD_SAMPLES:
		return cmp_u64(b->count, a->count);
	default:
		return 0;
	}
}

static int cmp_entries(const void *x, const void *y, void *ctx)
{
	const struct sorter *s = ctx;
	const struct hist_fields *fields = &s->opt->fields;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	const struct hist_entry *a = &s->h->entries.v[i], *b = &s->h->entries.v[j];
	int c = 0;
	for (size_t k = 0; !c && k < fields->sort_count; k++) {
		enum hist_field f = fields->sort[k];
		if (hist_field_shown(fields, f))
			c = hist_field_is_key(f) ? cmp_key(s, f, a, b) : cmp_number(s, f, a, b);
	}
	for (size_t k = 0; !c && k < fields->sort_count; k++) {
		enum hist_field f = fields->sort[k];
		if (hist_field_is_key(f))
			c = f == FIELD_SYMBOL ? cmp_symbol_addr(s, a, b) : cmp_key(s, f, a, b);
	}
	return c ? c : cmp_u64(i, j);
}

void hist_sort(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt)
{
	size_t n = h->entries.n - 1;
	h->order = mem_calloc(n + 1, sizeof *h->order);
	for (uint32_t i = 0; i < n; i++)
		h->order[i] = i + 1;
	struct sorter s = {h, keys, opt};
	qsort_r(h->order, n, sizeof *h->order, cmp_entries, &s);
}
