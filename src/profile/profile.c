#include "profile/profile.h"

#include <stdlib.h>

struct profile *profile_new(void)
{
	struct profile *p = mem_zalloc(sizeof *p);
	/* Slot 0 of every table is "none". */
	vec_push(&p->events, (struct profile_event){0});
	vec_push(&p->objects, (struct profile_object){0});
	vec_push(&p->funcs, (struct profile_func){0});
	vec_push(&p->frames, (struct profile_frame){0});
	vec_push(&p->stacks, (struct profile_stack){0});
	vec_push(&p->threads, (struct profile_thread){0});
	(void)strtab_intern(&p->strings, STR(""));
	return p;
}

void profile_seal(struct profile *p)
{
	index_free(&p->object_index);
	index_free(&p->func_index);
	index_free(&p->frame_index);
	index_free(&p->stack_index);
	index_free(&p->thread_index);
	index_free(&p->row_index);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	strtab_free(&p->strings);
	vec_free(&p->events);
	vec_free(&p->objects);
	vec_free(&p->funcs);
	vec_free(&p->frames);
	vec_free(&p->stacks);
	vec_free(&p->threads);
	vec_free(&p->rows);
	profile_seal(p);
	free(p);
}

event_id profile_event(struct profile *p, struct str name)
{
	string_id s = strtab_intern(&p->strings, name);
	for (uint32_t i = 1; i < p->events.n; i++)
		if (p->events.v[i].name.v == s.v)
			return (event_id){i};
	vec_push(&p->events, (struct profile_event){.name = s});
	return (event_id){(uint32_t)p->events.n - 1};
}

object_id profile_object(struct profile *p, struct str path, struct str name, enum code_kind kind)
{
	string_id s = strtab_intern(&p->strings, path);
	uint64_t h = hash_mix(s.v, kind);
	for (struct index_probe i = index_probe(&p->object_index, h);
	     index_next(&p->object_index, &i);) {
		const struct profile_object *o = &p->objects.v[i.value];
		if (o->path.v == s.v && o->kind == kind)
			return (object_id){i.value};
	}
	uint32_t id = (uint32_t)p->objects.n;
	vec_push(&p->objects, (struct profile_object){.path = s,
						      .name = strtab_intern(&p->strings, name),
						      .kind = kind});
	index_put(&p->object_index, h, id);
	return (object_id){id};
}

func_id profile_func(struct profile *p, struct str name, object_id object, uint64_t start,
		     uint64_t size)
{
	string_id s = strtab_intern(&p->strings, name);
	uint64_t h = hash_mix(hash_mix(s.v, object.v), start);
	for (struct index_probe i = index_probe(&p->func_index, h);
	     index_next(&p->func_index, &i);) {
		const struct profile_func *f = &p->funcs.v[i.value];
		if (f->name.v == s.v && f->object.v == object.v && f->start == start)
			return (func_id){i.value};
	}
	uint32_t id = (uint32_t)p->funcs.n;
	vec_push(&p->funcs,
		 (struct profile_func){.name = s, .object = object, .start = start, .size = size});
	index_put(&p->func_index, h, id);
	return (func_id){id};
}

frame_id profile_frame(struct profile *p, func_id func, object_id object, uint64_t addr,
		       enum code_kind kind, unsigned flags)
{
	return profile_frame_hashed(p, profile_frame_hash(func, object, addr, kind, flags), func,
				    object, addr, kind, flags);
}

frame_id profile_frame_hashed(struct profile *p, uint64_t h, func_id func, object_id object,
			      uint64_t addr, enum code_kind kind, unsigned flags)
{
	for (struct index_probe i = index_probe(&p->frame_index, h);
	     index_next(&p->frame_index, &i);) {
		const struct profile_frame *f = &p->frames.v[i.value];
		if (f->addr == addr && f->object.v == object.v && f->kind == kind &&
		    f->flags == flags && f->func.v == func.v)
			return (frame_id){i.value};
	}
	uint32_t id = (uint32_t)p->frames.n;
	vec_push(&p->frames, (struct profile_frame){.func = func,
						    .object = object,
						    .addr = addr,
						    .kind = (uint8_t)kind,
						    .flags = (uint8_t)flags});
	index_put(&p->frame_index, h, id);
	return (frame_id){id};
}

stack_id profile_stack(struct profile *p, stack_id parent, frame_id frame)
{
	return profile_stack_hashed(p, profile_stack_hash(parent, frame), parent, frame);
}

stack_id profile_stack_hashed(struct profile *p, uint64_t h, stack_id parent, frame_id frame)
{
	for (struct index_probe i = index_probe(&p->stack_index, h);
	     index_next(&p->stack_index, &i);) {
		const struct profile_stack *s = &p->stacks.v[i.value];
		if (s->parent.v == parent.v && s->frame.v == frame.v)
			return (stack_id){i.value};
	}
	uint32_t id = (uint32_t)p->stacks.n;
	vec_push(&p->stacks, (struct profile_stack){parent, frame});
	index_put(&p->stack_index, h, id);
	return (stack_id){id};
}

thread_id profile_thread(struct profile *p, int32_t pid, int32_t tid, struct str comm,
			 uint32_t process)
{
	string_id s = strtab_intern(&p->strings, comm);
	uint64_t h = hash_mix((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid,
			      (uint64_t)process << 32 | s.v);
	for (struct index_probe i = index_probe(&p->thread_index, h);
	     index_next(&p->thread_index, &i);) {
		const struct profile_thread *t = &p->threads.v[i.value];
		if (t->pid == pid && t->tid == tid && t->comm.v == s.v && t->process == process)
			return (thread_id){i.value};
	}
	uint32_t id = (uint32_t)p->threads.n;
	vec_push(&p->threads,
		 (struct profile_thread){.pid = pid, .tid = tid, .comm = s, .process = process});
	index_put(&p->thread_index, h, id);
	return (thread_id){id};
}

static bool same_row(const struct profile_row *a, const struct profile_row *b)
{
	return a->stack.v == b->stack.v && a->thread.v == b->thread.v && a->leaf.v == b->leaf.v &&
	       a->event.v == b->event.v && a->cpu == b->cpu && a->trace.v == b->trace.v;
}

void profile_add(struct profile *p, const struct profile_row *row)
{
	p->events.v[row->event.v].samples += row->count;
	p->events.v[row->event.v].weight += row->weight;
	uint64_t h = hash_mix((uint64_t)row->stack.v << 32 | row->leaf.v,
			      (uint64_t)row->thread.v << 32 |
				      (row->cpu ^ row->event.v << 16 ^ row->trace.v));
	for (struct index_probe i = index_probe(&p->row_index, h); index_next(&p->row_index, &i);) {
		struct profile_row *r = &p->rows.v[i.value - 1];
		if (same_row(r, row)) {
			r->count += row->count;
			r->weight += row->weight;
			r->time = MIN(r->time, row->time);
			return;
		}
	}
	vec_push(&p->rows, *row);
	index_put(&p->row_index, h, (uint32_t)p->rows.n);
}

struct str profile_frame_name(const struct profile *p, frame_id id)
{
	struct str name = profile_str(p, p->funcs.v[p->frames.v[id.v].func.v].name);
	return name.n ? name : STR("[unknown]");
}

size_t profile_stack_depth(const struct profile *p, stack_id id)
{
	size_t n = 0;
	for (; id.v; id = p->stacks.v[id.v].parent)
		n++;
	return n;
}

void profile_stack_frames(const struct profile *p, stack_id id, frame_id *out, size_t depth)
{
	for (; id.v && depth; id = p->stacks.v[id.v].parent)
		out[--depth] = p->stacks.v[id.v].frame;
}
