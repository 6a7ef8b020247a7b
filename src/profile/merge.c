#include "profile/merge.h"

#include <stdlib.h>

struct merge {
	struct profile *into;
	const struct profile *from;
	object_id *objects; /* by id in `from`; the others, too. 0: not met yet */
	func_id *funcs;
	frame_id *frames;
	thread_id *threads;
	uint32_t first_process;
};

static object_id merge_object(struct merge *m, object_id id)
{
	if (!id.v || m->objects[id.v].v)
		return m->objects[id.v];
	const struct profile_object *o = &m->from->objects.v[id.v];
	m->objects[id.v] = profile_object(m->into, profile_str(m->from, o->path),
					  profile_str(m->from, o->name), o->kind);
	m->into->objects.v[m->objects[id.v].v].jit |= o->jit;
	return m->objects[id.v];
}

static func_id merge_func(struct merge *m, func_id id)
{
	if (!id.v || m->funcs[id.v].v)
		return m->funcs[id.v];
	const struct profile_func *f = &m->from->funcs.v[id.v];
	m->funcs[id.v] = profile_func(m->into, profile_str(m->from, f->name),
				      merge_object(m, f->object), f->start, f->size);
	return m->funcs[id.v];
}

static string_id merge_line(struct merge *m, string_id id)
{
	struct str rest, line = profile_str(m->from, id);
	/* The file alone is looked up among the strings, too. */
	(void)strtab_intern(&m->into->strings, str_split(line, ':', &rest));
	return strtab_intern(&m->into->strings, line);
}

static frame_id merge_frame(struct merge *m, frame_id id)
{
	if (!id.v || m->frames[id.v].v)
		return m->frames[id.v];
	const struct profile_frame *fr = &m->from->frames.v[id.v];
	uint32_t known = (uint32_t)m->into->frames.n;
	frame_id to = profile_frame(m->into, merge_func(m, fr->func), merge_object(m, fr->object),
				    fr->addr, fr->kind, fr->flags);
	string_id line = merge_line(m, fr->srcline);
	struct profile_frame *made = &m->into->frames.v[to.v];
	if (to.v < known && made->srcline.v != line.v) {
		/* Compiled again: the same address has come from another line. */
		struct profile_frame other = *made;
		other.srcline = line;
		to.v = known;
		vec_push(&m->into->frames, other);
	} else {
		made->srcline = line;
	}
	m->frames[id.v] = to;
	return to;
}

static void merge_threads(struct merge *m)
{
	for (size_t i = 1; i < m->from->threads.n; i++) {
		const struct profile_thread *t = &m->from->threads.v[i];
		uint32_t process = t->process ? m->first_process + t->process : 0;
		m->threads[i] = profile_thread(m->into, t->pid, t->tid,
					       profile_str(m->from, t->comm), process);
	}
}

static void merge_events(struct merge *m)
{
	for (size_t i = 1; i < m->from->events.n; i++) {
		struct profile_event e = m->from->events.v[i];
		e.name = strtab_intern(&m->into->strings, profile_str(m->from, e.name));
		e.unit = strtab_intern(&m->into->strings, profile_str(m->from, e.unit));
		vec_push(&m->into->events, e);
	}
}

static void merge_rows(struct merge *m, uint32_t events)
{
	vec_reserve(&m->into->rows, m->from->rows.n);
	for (size_t i = 0; i < m->from->rows.n; i++) {
		struct profile_row row = m->from->rows.v[i];
		row.event.v += events;
		row.thread = m->threads[row.thread.v];
		row.stack = (stack_id){0};
		row.leaf = merge_frame(m, row.leaf);
		if (row.trace.v)
			row.trace = strtab_intern(&m->into->strings,
						  profile_str(m->from, row.trace));
		vec_push(&m->into->rows, row);
	}
}

uint32_t profile_merge(struct profile *into, const struct profile *from, thread_id *threads)
{
	uint32_t events = (uint32_t)into->events.n - 1;
	struct merge m = {.into = into,
			  .from = from,
			  .objects = mem_calloc(from->objects.n, sizeof *m.objects),
			  .funcs = mem_calloc(from->funcs.n, sizeof *m.funcs),
			  .frames = mem_calloc(from->frames.n, sizeof *m.frames),
			  .threads = mem_calloc(from->threads.n, sizeof *m.threads)};
	for (size_t i = 1; i < into->threads.n; i++)
		m.first_process = MAX(m.first_process, into->threads.v[i].process);
	merge_events(&m);
	merge_threads(&m);
	merge_rows(&m, events);
	if (threads)
		memcpy(threads, m.threads, from->threads.n * sizeof *threads);
	free(m.objects);
	free(m.funcs);
	free(m.frames);
	free(m.threads);
	return events;
}
