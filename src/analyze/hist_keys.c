#include "analyze/hist_keys.h"

#include <stdlib.h>

/* --- syms and places ------------------------------------------------------------------------ */

static bool resolved(const struct profile *p, const struct profile_frame *fr)
{
	return p->funcs.v[fr->func.v].name.v != 0;
}

/* The first frame of each (function, line); syms of SYM_LINE are named after it. */
static uint32_t line_sym(struct u64map *known, const struct profile_frame *fr, uint32_t frame)
{
	uint64_t key = (uint64_t)fr->func.v << 32 | fr->srcline.v;
	uint32_t *first = u64map_get(known, key);
	if (first)
		return *first;
	u64map_put(known, key, frame);
	return frame;
}

static void number_syms(struct hist_keys *k, enum sym_kind kind)
{
	const struct profile *p = k->p;
	uint32_t funcs = (uint32_t)p->funcs.n;
	struct u64map lines = {0};
	k->frame_sym = mem_calloc(p->frames.n, sizeof *k->frame_sym);
	k->func_frame = mem_calloc(p->funcs.n, sizeof *k->func_frame);
	k->sym_count = funcs + (uint32_t)p->frames.n;
	for (uint32_t i = 1; i < p->frames.n; i++) {
		const struct profile_frame *fr = &p->frames.v[i];
		if (kind == SYM_LINE && fr->srcline.v)
			k->frame_sym[i] = funcs + line_sym(&lines, fr, i);
		else
			k->frame_sym[i] = resolved(p, fr) && kind != SYM_ADDRESS ? fr->func.v
										 : funcs + i;
		if (resolved(p, fr) && !k->func_frame[fr->func.v])
			k->func_frame[fr->func.v] = i;
	}
	u64map_free(&lines);
}

/* The part of "file:line" before the colon; of other texts nothing, as perf has it. */
static void find_files(struct hist_keys *k)
{
	const struct profile *p = k->p;
	if (!hist_fields_sort_by(k->fields, FIELD_SRCFILE))
		return;
	k->files = mem_calloc(p->frames.n, sizeof *k->files);
	for (size_t i = 1; i < p->frames.n; i++) {
		struct str line = profile_str(p, p->frames.v[i].srcline), rest;
		struct str file = str_split(line, ':', &rest);
		if (rest.p && !str_is(line, "??:0"))
			k->files[i] = strtab_find(&p->strings, file);
	}
}

static uint32_t dso_name(const struct profile *p, const struct profile_frame *fr)
{
	return p->objects.v[fr->object.v].name.v;
}

/* Functions are the same when name, extent and object's short name are: so the copies of a library
 * under several paths count as one. Unknown functions are told apart by address alone. */
static uint64_t place_hash(const struct hist_keys *k, uint32_t frame)
{
	const struct profile *p = k->p;
	const struct profile_frame *fr = &p->frames.v[frame];
	uint64_t h = 1;
	if (hist_fields_sort_by(k->fields, FIELD_SRCLINE))
		h = hash_mix(h, fr->srcline.v);
	if (k->files)
		h = hash_mix(h, k->files[frame].v);
	if (hist_fields_sort_by(k->fields, FIELD_DSO))
		h = hash_mix(h, dso_name(p, fr));
	if (!hist_fields_sort_by(k->fields, FIELD_SYMBOL))
		return h;
	const struct profile_func *f = &p->funcs.v[fr->func.v];
	if (k->fields->by_name)
		return hash_mix(h, f->name.v);
	if (!f->name.v)
		return hash_mix(h, fr->addr);
	return hash_mix(hash_mix(h, f->start), (uint64_t)f->name.v << 32 | dso_name(p, fr));
}

static bool same_place(const struct hist_keys *k, uint32_t x, uint32_t y)
{
	const struct profile *p = k->p;
	const struct profile_frame *a = &p->frames.v[x], *b = &p->frames.v[y];
	if (hist_fields_sort_by(k->fields, FIELD_SRCLINE) && a->srcline.v != b->srcline.v)
		return false;
	if (k->files && k->files[x].v != k->files[y].v)
		return false;
	if (hist_fields_sort_by(k->fields, FIELD_DSO) && dso_name(p, a) != dso_name(p, b))
		return false;
	if (!hist_fields_sort_by(k->fields, FIELD_SYMBOL))
		return true;
	const struct profile_func *f = &p->funcs.v[a->func.v], *g = &p->funcs.v[b->func.v];
	if (f->name.v != g->name.v)
		return false;
	if (k->fields->by_name)
		return true;
	if (!f->name.v)
		return a->addr == b->addr;
	return f->start == g->start && f->size == g->size && dso_name(p, a) == dso_name(p, b);
}

static void number_places(struct hist_keys *k)
{
	const struct profile *p = k->p;
	VEC(uint32_t) frame_of = {0}; /* place -> one of its frames */
	struct index index = {0};
	vec_push(&frame_of, 0);
	index_reserve(&index, p->frames.n);
	k->sym_place = mem_calloc(k->sym_count, sizeof *k->sym_place);
	k->frame_place = mem_calloc(p->frames.n, sizeof *k->frame_place);
	bool by_line = hist_fields_lines(k->fields);
	for (uint32_t i = 1; i < p->frames.n; i++) {
		uint32_t *of_sym = &k->sym_place[k->frame_sym[i]], *place = &k->frame_place[i];
		if (*of_sym && !by_line) {
			*place = *of_sym;
			continue;
		}
		uint64_t h = place_hash(k, i);
		for (struct index_probe at = index_probe(&index, h);
		     !*place && index_next(&index, &at);)
			if (same_place(k, i, frame_of.v[at.value]))
				*place = at.value;
		if (!*place) {
			*place = (uint32_t)frame_of.n;
			index_put(&index, h, *place);
			vec_push(&frame_of, i);
		}
		if (!*of_sym)
			*of_sym = *place;
	}
	k->place_count = (uint32_t)frame_of.n;
	k->place_frame = frame_of.v;
	index_free(&index);
}

/* --- threads and who ------------------------------------------------------------------------ */

static void number_threads(struct hist_keys *k)
{
	const struct profile *p = k->p;
	bool by_comm = hist_fields_sort_by(k->fields, FIELD_COMM);
	bool by_tid = hist_fields_sort_by(k->fields, FIELD_PID) ||
		      hist_fields_sort_by(k->fields, FIELD_TID);
	struct u64map keys = {0};
	k->thread_key = mem_calloc(p->threads.n, sizeof *k->thread_key);
	for (uint32_t i = 0; i < p->threads.n; i++) {
		const struct profile_thread *t = &p->threads.v[i];
		uint64_t key = (by_comm ? (uint64_t)t->comm.v << 32 : 0) |
			       (by_tid ? (uint32_t)t->tid : 0);
		uint32_t *known = u64map_get(&keys, key);
		if (known) {
			k->thread_key[i] = *known;
			continue;
		}
		k->thread_key[i] = (uint32_t)k->whos.n;
		u64map_put(&keys, key, k->thread_key[i]);
		vec_push(&k->whos, (struct hist_who){.thread_key = k->thread_key[i]});
	}
	u64map_free(&keys);
	/* With more to tell apart these were only numbers for threads. */
	if (k->by_cpu || k->by_trace)
		k->whos.n = 1;
}

uint32_t hist_keys_find_who(struct hist_keys *k, const struct profile_row *row)
{
	struct hist_who who = {.thread_key = k->thread_key[row->thread.v]};
	if (k->by_cpu)
		who.cpu = row->cpu;
	if (k->by_trace)
		who.trace = row->trace;
	uint64_t h = hash_mix((uint64_t)who.thread_key << 32 | who.cpu, who.trace.v);
	for (struct index_probe at = index_probe(&k->who_index, h); index_next(&k->who_index, &at);)
		if (memcmp(&k->whos.v[at.value], &who, sizeof who) == 0)
			return at.value;
	uint32_t id = (uint32_t)k->whos.n;
	vec_push(&k->whos, who);
	index_put(&k->who_index, h, id);
	return id;
}

void hist_keys_init(struct hist_keys *k, const struct profile *p, const struct hist_fields *fields,
		    enum sym_kind syms, const struct str *last_comms)
{
	*k = (struct hist_keys){.p = p, .fields = fields, .last_comms = last_comms};
	k->by_cpu = hist_fields_sort_by(fields, FIELD_CPU);
	k->by_trace = hist_fields_sort_by(fields, FIELD_TRACE);
	vec_push(&k->whos, (struct hist_who){0});
	number_syms(k, syms);
	find_files(k);
	number_places(k);
	number_threads(k);
}

void hist_keys_free(struct hist_keys *k)
{
	free(k->frame_sym);
	free(k->func_frame);
	free(k->sym_place);
	free(k->frame_place);
	free(k->place_frame);
	free(k->files);
	free(k->thread_key);
	vec_free(&k->whos);
	index_free(&k->who_index);
	*k = (struct hist_keys){0};
}
