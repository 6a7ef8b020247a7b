#include "analyze/filter.h"

#include <stdlib.h>

#include "base/out.h"

static bool in_list(const char *list, struct str name)
{
	struct str rest = str_of(list);
	while (rest.p) {
		struct str item = str_split(rest, ',', &rest);
		if (item.n && str_eq(item, name))
			return true;
	}
	return false;
}

size_t filter_list_count(const char *list)
{
	size_t n = 0;
	struct str rest = str_of(list);
	while (rest.p)
		n += str_split(rest, ',', &rest).n > 0;
	return n;
}

static bool check_numbers(const char *list, const char *option, struct err *err)
{
	struct str rest = str_of(list);
	while (rest.p) {
		struct str item = str_split(rest, ',', &rest);
		uint64_t v;
		if (item.n && (!str_to_u64(item, 10, &v) || v > INT32_MAX))
			return err_set(err, ERR_USAGE, "%s wants numbers, not \"%.*s\"", option,
				       (int)item.n, item.p);
	}
	return true;
}

static bool has_number(const char *list, int32_t number)
{
	struct str rest = str_of(list);
	while (rest.p) {
		struct str item = str_split(rest, ',', &rest);
		uint64_t v;
		if (item.n && str_to_u64(item, 10, &v) && v == (uint32_t)number)
			return true;
	}
	return false;
}

static bool thread_hidden(const struct profile *p, const struct filter_options *o,
			  const struct profile_thread *t)
{
	return (o->comms && !in_list(o->comms, profile_str(p, t->comm))) ||
	       (o->pids && !has_number(o->pids, t->pid)) ||
	       (o->tids && !has_number(o->tids, t->tid));
}

/* A symbol is named, or given by its address in hexadecimal. */
static bool symbol_listed(const char *list, const struct profile *p, const struct profile_func *f)
{
	if (!f->name.v)
		return false;
	if (in_list(list, profile_str(p, f->name)))
		return true;
	char hex[24] = "0x";
	return in_list(list, str_make(hex, 2 + format_hex(hex + 2, f->start)));
}

static bool frame_hidden(const struct profile *p, const struct filter_options *o,
			 const struct profile_frame *fr)
{
	if (o->dsos) {
		const struct profile_object *obj = &p->objects.v[fr->object.v];
		if (!fr->object.v || (!in_list(o->dsos, profile_str(p, obj->name)) &&
				      !in_list(o->dsos, profile_str(p, obj->path))))
			return true;
	}
	const struct profile_func *func = &p->funcs.v[fr->func.v];
	return o->symbols && !symbol_listed(o->symbols, p, func);
}

bool filter_init(struct filter *f, const struct profile *p, const struct filter_options *o,
		 struct err *err)
{
	*f = (struct filter){0};
	if ((o->pids && !check_numbers(o->pids, "--pid", err)) ||
	    (o->tids && !check_numbers(o->tids, "--tid", err)))
		return false;
	if (o->comms || o->pids || o->tids) {
		f->thread_hidden = mem_calloc(p->threads.n, sizeof *f->thread_hidden);
		for (size_t i = 0; i < p->threads.n; i++)
			f->thread_hidden[i] = thread_hidden(p, o, &p->threads.v[i]);
	}
	if (o->dsos || o->symbols) {
		f->frame_hidden = mem_calloc(p->frames.n, sizeof *f->frame_hidden);
		for (size_t i = 0; i < p->frames.n; i++)
			f->frame_hidden[i] = frame_hidden(p, o, &p->frames.v[i]);
	}
	return true;
}

void filter_free(struct filter *f)
{
	free(f->thread_hidden);
	free(f->frame_hidden);
	*f = (struct filter){0};
}
