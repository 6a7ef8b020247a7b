#include "ingest/symbolize.h"

#include <stdlib.h>

#include "ingest/hot.h"

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

static void fetch_hot(const struct profile *p, struct resolver *r, const uint64_t *weights,
		      struct diags *d)
{
	object_id *hot;
	size_t n = hot_objects(weights, p->objects.n, &hot);
	resolver_fetch(r, hot, n, d);
	free(hot);
}

/* Functions get their ids in the order of frames, whatever the threads did. */
struct namer {
	struct profile *p;
	const struct resolver *r;
	const struct resolve_options *opt;
	struct u64map known;  /* symbol and object -> func_id */
	struct u64map cloned; /* name and object of functions that have clones */
	struct arena scratch;
};

static uint64_t clone_key(struct str name, object_id object)
{
	return hash_mix(hash_str(name), object.v);
}

/* Which functions the compiler took apart or copied. */
static void find_clones(struct namer *n, const struct symbol *const *symbols)
{
	for (size_t i = 1; i < n->p->frames.n; i++) {
		if (!symbols[i])
			continue;
		struct str name = symbol_name(symbols[i]), base = name_without_clone(name);
		if (base.n != name.n)
			u64map_put(&n->cloned, clone_key(base, n->p->frames.v[i].object), 1);
	}
}

static struct str shown_name(struct namer *n, struct str name, const struct profile_frame *f)
{
	if (resolver_mangled(n->r, f->object))
		return n->opt->demangle ? demangle(&n->scratch, name) : name;
	if (f->kind == CODE_KERNEL)
		return n->opt->demangle_kernel ? demangle(&n->scratch, name) : name;
	return n->opt->demangle_maps ? demangle_map_name(&n->scratch, name) : name;
}

static func_id new_func(struct namer *n, const struct symbol *s, const struct profile_frame *f)
{
	struct str name = symbol_name(s);
	if (n->opt->merge_clones) {
		struct str base = name_without_clone(name);
		if (u64map_get(&n->cloned, clone_key(base, f->object))) {
			func_id func = profile_func(n->p, shown_name(n, base, f), f->object, 0, 0);
			n->p->funcs.v[func.v].clones = true;
			return func;
		}
	}
	return profile_func(n->p, shown_name(n, name, f), f->object,
			    s->start + resolver_bias(n->r, f->object), s->end - s->start);
}

static func_id func_of(struct namer *n, const struct symbol *s, const struct profile_frame *f)
{
	uint64_t key = hash_mix((uintptr_t)s, f->object.v);
	uint32_t *known = u64map_get(&n->known, key);
	if (known)
		return (func_id){*known};
	func_id func = new_func(n, s, f);
	u64map_put(&n->known, key, func.v);
	return func;
}

void symbolize(struct profile *p, struct resolver *r, const struct resolve_options *opt,
	       const uint64_t *weights, struct pool *pool, struct diags *d)
{
	load_objects(p, r, pool, d);
	if (opt->debuginfod)
		fetch_hot(p, r, weights, d);
	struct lookup l = {.profile = p, .resolver = r, .per_task = 16384};
	l.symbols = mem_calloc(p->frames.n, sizeof *l.symbols);
	l.uncovered = mem_calloc(p->frames.n, sizeof *l.uncovered);
	pool_run(pool, (p->frames.n + l.per_task - 1) / l.per_task, lookup_task, &l);

	struct namer n = {.p = p, .r = r, .opt = opt};
	if (opt->merge_clones)
		find_clones(&n, l.symbols);
	for (size_t i = 1; i < p->frames.n; i++) {
		struct profile_frame *f = &p->frames.v[i];
		if (f->kind == CODE_USER && p->objects.v[f->object.v].jit)
			f->flags |= FRAME_JIT;
		if (l.uncovered[i]) {
			f->object = (object_id){0};
			f->flags |= FRAME_NO_MAP;
		} else if (l.symbols[i]) {
			f->func = func_of(&n, l.symbols[i], f);
		}
	}
	arena_free(&n.scratch);
	u64map_free(&n.known);
	u64map_free(&n.cloned);
	free(l.symbols);
	free(l.uncovered);
}
