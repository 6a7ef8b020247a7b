#include "cli/recorded.h"

#include <stdlib.h>

#include "cli/common.h"

static void add(struct recorded *r, const struct build_id *id, struct str path)
{
	struct recorded_object object = {*id, arena_str(&r->arena, path)};
	vec_push(&r->objects, object);
}

static void add_listed(struct recorded *r, const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_build_id_count(pd); i++)
		add(r, &perfdata_build_id(pd, i)->build_id, perfdata_build_id(pd, i)->path);
}

static bool *objects_with_hits(struct ingest *in)
{
	const struct profile *p = ingest_profile(in);
	bool *hit = mem_calloc(p->objects.n, sizeof *hit);
	for (size_t i = 0; i < p->rows.n; i++)
		hit[p->frames.v[p->rows.v[i].leaf.v].object.v] = true;
	return hit;
}

static void add_hits(struct recorded *r, struct ingest *in)
{
	const struct session *s = ingest_session(in);
	const struct perfdata *pd = ingest_perfdata(in);
	size_t listed = perfdata_build_id_count(pd);
	struct strtab names = {0};
	(void)strtab_intern(&names, STR(""));
	VEC(uint32_t) order = {0}; /* by name: the object of that path, + 1 */
	CLEANUP(mem_free_ptr) bool *hit = objects_with_hits(in);
	for (uint32_t k = 1; k < session_object_count(s); k++) {
		const struct session_object *object = session_object(s, (object_id){k});
		string_id name = strtab_intern(&names, session_str(s, object->path));
		while (order.n <= name.v)
			vec_push(&order, 0);
		if (hit[k] && !order.v[name.v])
			order.v[name.v] = k;
	}
	for (size_t i = 0; i < listed; i++) {
		string_id name = strtab_find(&names, perfdata_build_id(pd, i)->path);
		uint32_t k = name.v < order.n ? order.v[name.v] : 0;
		if (k && hit[k])
			add(r, &session_object(s, (object_id){k})->build_id,
			    perfdata_build_id(pd, i)->path);
		hit[k] = false;
	}
	for (uint32_t k = 1; k < session_object_count(s); k++) {
		const struct session_object *object = session_object(s, (object_id){k});
		if (hit[k])
			add(r, &object->build_id, session_str(s, object->path));
	}
	vec_free(&order);
	strtab_free(&names);
}

static void add_mapped(struct recorded *r, const struct session *s)
{
	for (uint32_t k = 1; k < session_object_count(s); k++) {
		const struct session_object *object = session_object(s, (object_id){k});
		add(r, &object->build_id, session_str(s, object->path));
	}
}

bool recorded_read(struct recorded *r, const char *path, enum recorded_which which, struct diags *d,
		   struct err *err)
{
	*r = (struct recorded){0};
	struct input_options in = {.input = path, .no_demangle = true};
	struct ingest_options io;
	input_options_fill(&in, &io);
	io.no_callchains = io.by_comm = io.no_symbols = true;
	struct ingest *ingest = ingest_open(path, &io, d, err);
	if (!ingest)
		return false;
	bool ok = true;
	if (which == RECORDED_MAPPED)
		add_mapped(r, ingest_session(ingest));
	else if (which == RECORDED_LISTED && perfdata_build_id_count(ingest_perfdata(ingest)))
		add_listed(r, ingest_perfdata(ingest));
	else if ((ok = ingest_aggregate(ingest, err)))
		add_hits(r, ingest);
	ingest_close(ingest);
	return ok;
}

void recorded_free(struct recorded *r)
{
	vec_free(&r->objects);
	arena_free(&r->arena);
}
