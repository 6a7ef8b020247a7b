#include "ingest/symbolize.h"

#include <stdlib.h>

/* The symbol of every frame, filled in parallel. */
struct lookup {
	struct profile *profile;
	const struct resolver *resolver;
	const struct symbol **symbols; /* by frame id */
	bool *uncovered;
	size_t per_task;
};

static void lookup_task(void *ctx, size_t i, unsigned worker)
{
	(void)worker;
	struct lookup *l = ctx;
	size_t end = MIN((i + 1) * l->per_task, l->profile->frames.n);
	for (size_t f = MAX(i * l->per_task, 1); f < end; f++) {
		const struct profile_frame *frame = &l->profile->frames.v[f];
		if (!frame->object.v)
			continue;
		l->symbols[f] = resolver_symbol(l->resolver, frame->object, frame->addr);
		l->uncovered[f] = !resolver_covers(l->resolver, frame->object, frame->addr);
	}
}

/* The objects that frames lie in, in order of id. */
static void load_objects(struct profile *p, struct resolver *r, struct pool *pool, struct diags *d)
{
	bool *hit = mem_calloc(p->objects.n, sizeof *hit);
	for (size_t i = 1; i < p->frames.n; i++)
		hit[p->frames.v[i].object.v] = true;
	VEC(object_id) objects = {0};
	for (uint32_t i = 1; i < p->objects.n; i++)
		if (hit[i])
			vec_push(&objects, (object_id){i});
	resolver_load(r, objects.v, objects.n, pool, d);
	vec_free(&objects);
	free(hit);
}

void symbolize(struct profile *p, struct resolver *r, bool demangle_names, struct pool *pool,
	       struct diags *d)
{
	load_objects(p, r, pool, d);
	struct lookup l = {.profile = p, .resolver = r, .per_task = 16384};
	l.symbols = mem_calloc(p->frames.n, sizeof *l.symbols);
	l.uncovered = mem_calloc(p->frames.n, sizeof *l.uncovered);
	pool_run(pool, (p->frames.n + l.per_task - 1) / l.per_task, lookup_task, &l);

	/* Functions get their ids in the order of frames, whatever the threads did. */
	struct u64map known = {0}; /* symbol and object -> func_id */
	struct arena scratch = {0};
	for (size_t i = 1; i < p->frames.n; i++) {
		struct profile_frame *f = &p->frames.v[i];
		if (f->kind == CODE_USER && p->objects.v[f->object.v].jit)
			f->flags |= FRAME_JIT;
		if (l.uncovered[i]) {
			f->object = (object_id){0};
			f->flags |= FRAME_NO_MAP;
		} else if (l.symbols[i]) {
			const struct symbol *s = l.symbols[i];
			uint64_t key = hash_mix((uintptr_t)s, f->object.v);
			uint32_t *func = u64map_get(&known, key);
			if (func) {
				f->func.v = *func;
				continue;
			}
			struct str name = symbol_name(s);
			if (demangle_names && resolver_mangled(r, f->object))
				name = demangle(&scratch, name);
			f->func = profile_func(p, name, f->object,
					       s->start + resolver_bias(r, f->object),
					       s->end - s->start);
			u64map_put(&known, key, f->func.v);
		}
	}
	arena_free(&scratch);
	u64map_free(&known);
	free(l.symbols);
	free(l.uncovered);
}
