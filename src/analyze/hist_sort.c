/*
 * The order of entries. perf sorts twice: it collects entries in a tree ordered by their keys
 * (symbols by address), then inserts them in that order into one ordered by numbers and names. So
 * numbers and names come first, and addresses decide what is equal then.
 */
#include "analyze/hist_sort.h"

#include <stdlib.h>

#include "object/sort.h"

/* --- strings by rank ------------------------------------------------------------------------- */

static uint64_t first_bytes(struct str s)
{
	uint64_t v = 0;
	for (size_t i = 0; i < 8; i++)
		v = v << 8 | (i < s.n ? (uint8_t)s.p[i] : 0);
	return v;
}

static int cmp_strings(const void *x, const void *y, void *ctx)
{
	const struct strtab *t = ctx;
	const struct sort_key *a = x, *b = y;
	return str_cmp(t->items.v[a->index], t->items.v[b->index]);
}

/* rank[id]: place of the string in alphabetical order, from 1; 0 for the empty one. */
static uint32_t *rank_strings(const struct strtab *t)
{
	size_t n = t->items.n;
	struct sort_key *keys = mem_calloc(n + 1, sizeof *keys);
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){first_bytes(t->items.v[i]), i};
	sort_keys(keys, n);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && keys[to].key == keys[from].key;)
			to++;
		if (to - from > 1)
			qsort_r(keys + from, to - from, sizeof *keys, cmp_strings, (void *)t);
	}
	uint32_t *rank = mem_calloc(n + 1, sizeof *rank);
	for (uint32_t i = 0; i < n; i++)
		rank[keys[i].index] = i;
	free(keys);
	return rank;
}

/* --- keys as numbers ------------------------------------------------------------------------- */

static void rank_entries(struct hist_sorter *s)
{
	const struct profile *p = s->keys->p;
	s->ranks = mem_calloc(s->h->entries.n, sizeof *s->ranks);
	for (size_t i = 1; i < s->h->entries.n; i++) {
		const struct hist_entry *e = &s->h->entries.v[i];
		const struct profile_frame *fr = profile_frame_at(p,
								  hist_keys_frame(s->keys, e->sym));
		const struct profile_func *f = &p->funcs.v[fr->func.v];
		string_id dso = p->objects.v[fr->object.v].name;
		uint32_t in_place = s->keys->place_frame[e->place];
		string_id file = s->keys->files ? s->keys->files[in_place] : (string_id){0};
		s->ranks[i] = (struct hist_ranks){
			.addr = f->name.v ? f->start : fr->addr,
			.comm = s->rank[p->threads.v[e->thread.v].comm.v],
			.dso = fr->object.v ? s->rank[dso.v] : UINT32_MAX,
			.symbol = f->name.v ? s->rank[f->name.v] : UINT32_MAX,
			.line = s->rank[p->frames.v[in_place].srcline.v],
			.file = s->rank[file.v],
		};
	}
}

static uint64_t signed_key(int32_t v)
{
	return (uint32_t)v ^ 0x80000000u;
}

static uint64_t key_key(const struct hist_sorter *s, enum hist_field f, uint32_t entry)
{
	const struct hist_entry *e = &s->h->entries.v[entry];
	switch (f) {
	case FIELD_PID:
	case FIELD_TID:
		return signed_key(s->keys->p->threads.v[e->thread.v].tid);
	case FIELD_COMM:
		return s->ranks[entry].comm;
	case FIELD_DSO:
		return s->ranks[entry].dso;
	case FIELD_SYMBOL:
		return s->ranks[entry].symbol;
	case FIELD_SRCLINE:
		return s->ranks[entry].line;
	case FIELD_SRCFILE:
		return s->ranks[entry].file;
	case FIELD_CPU:
		return signed_key((int32_t)s->keys->whos.v[e->who].cpu);
	case FIELD_TRACE:
		return s->rank[s->keys->whos.v[e->who].trace.v];
	default:
		return 0;
	}
}

size_t hist_sort_parts(const struct hist_sorter *s, enum hist_field f)
{
	return hist_field_is_key(f) || f == FIELD_CHILDREN ? 1 : 1 + s->h->member_count;
}

uint64_t hist_sort_key(const struct hist_sorter *s, enum hist_field f, uint32_t entry, size_t part)
{
	const struct hist *h = s->h;
	if (hist_field_is_key(f))
		return key_key(s, f, entry);
	if (!part)
		return ~hist_number(h, f, entry);
	return ~hist_number(&h->members[part - 1], f, h->pairs[entry * h->member_count + part - 1]);
}

/* --- passes, the least deciding one first ---------------------------------------------------- */

/* Functions by object and address, unknown ones behind them. */
static void sort_by_address(const struct hist_sorter *s, struct sort_key *k, size_t n)
{
	/* perf takes the sign of a 64-bit difference: the upper half of all addresses comes first.
	 */
	for (size_t i = 0; i < n; i++)
		k[i].key = s->ranks[k[i].index].addr ^ (uint64_t)1 << 63;
	sort_keys(k, n);
	for (size_t i = 0; i < n; i++) {
		const struct hist_ranks *r = &s->ranks[k[i].index];
		k[i].key = r->symbol == UINT32_MAX ? UINT32_MAX : r->dso;
	}
	sort_keys(k, n);
}

static void sort_by_field(const struct hist_sorter *s, enum hist_field f, struct sort_key *k,
			  size_t n)
{
	for (size_t part = hist_sort_parts(s, f); part-- > 0;) {
		for (size_t i = 0; i < n; i++)
			k[i].key = hist_sort_key(s, f, k[i].index, part);
		sort_keys(k, n);
	}
}

/* By keys alone: the order in which perf meets the entries when it sorts them. */
static void sort_by_keys(const struct hist_sorter *s, struct sort_key *k, size_t n)
{
	const struct hist_fields *fields = &s->opt->fields;
	for (size_t i = fields->sort_count; i-- > 0;) {
		if (fields->sort[i] == FIELD_SYMBOL)
			sort_by_address(s, k, n);
		else if (hist_field_is_key(fields->sort[i]))
			sort_by_field(s, fields->sort[i], k, n);
	}
}

/* Of keys only addresses are left to decide once all names are equal. */
static void sort_by_all(const struct hist_sorter *s, struct sort_key *k, size_t n)
{
	const struct hist_fields *fields = &s->opt->fields;
	if (hist_fields_sort_by(fields, FIELD_SYMBOL))
		sort_by_address(s, k, n);
	for (size_t i = fields->sort_count; i-- > 0;)
		if (hist_field_shown(fields, fields->sort[i]))
			sort_by_field(s, fields->sort[i], k, n);
}

void hist_sort(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt)
{
	size_t n = h->entries.n - 1;
	struct hist_sorter s = {
		.h = h, .keys = keys, .opt = opt, .rank = rank_strings(&keys->p->strings)};
	rank_entries(&s);
	struct sort_key *k = mem_calloc(n + 1, sizeof *k);
	for (uint32_t i = 0; i < n; i++)
		k[i].index = i + 1;
	bool in_tree = opt->children && opt->graphs && n <= HIST_TREE_MAX;
	if (in_tree)
		sort_by_keys(&s, k, n);
	else
		sort_by_all(&s, k, n);
	h->order = mem_calloc(n + 1, sizeof *h->order);
	h->order_count = n;
	for (size_t i = 0; i < n; i++)
		h->order[i] = k[i].index;
	if (in_tree)
		hist_sort_in_tree(&s, h->order, n);
	free(k);
	free(s.rank);
	free(s.ranks);
}
