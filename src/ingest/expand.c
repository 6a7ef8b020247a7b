#include "ingest/expand.h"

#include <stdio.h>
#include <stdlib.h>

#include "resolve/lines.h"

struct expander {
	struct profile *p;
	struct resolver *r;
	const struct expand_options *opt;
	struct expansions *out;
	const uint8_t *needed;
	struct u64map names; /* name in the debug information and object -> func_id */
	struct u64map lines; /* file and line -> string_id */
	struct arena scratch;
	string_id unknown_line;
};

bool expand_wanted(const struct expand_options *opt)
{
	return opt->lines || opt->inlines == INLINE_ALL ||
	       (opt->inlines == INLINE_UNWOUND && opt->unwound);
}

enum frame_role expand_role(const struct profile *p, const struct expand_options *opt,
			    frame_id frame, frame_id inner)
{
	const struct profile_frame *f = profile_frame_at(p, frame);
	bool called = f->kind == profile_frame_at(p, inner)->kind;
	return called && !(opt->unwound && f->kind == CODE_USER) ? ROLE_CALLER : ROLE_HERE;
}

static bool shows_inlines(const struct expand_options *opt, const struct profile_frame *f)
{
	switch (opt->inlines) {
	case INLINE_UNWOUND:
		return opt->unwound && f->kind == CODE_USER;
	case INLINE_ALL:
		return true;
	case INLINE_NONE:
		break;
	}
	return false;
}

/* --- texts ----------------------------------------------------------------------------------- */

/* "file:line"; perf shows file names without their directories unless asked. */
static string_id line_text(struct expander *x, const struct dwarf_frame *f)
{
	if (!f->file)
		return x->unknown_line;
	uint64_t key = hash_mix((uintptr_t)f->file, f->line);
	uint32_t *known = u64map_get(&x->lines, key);
	if (known)
		return (string_id){*known};
	struct str path = x->opt->full_path ? dwarf_file_path(f->file, &x->scratch)
					    : str_basename(f->file->name);
	const char *text = arena_printf(&x->scratch, "%.*s:%" PRIu32, (int)MIN(path.n, 4096),
					path.p, f->line);
	string_id id = strtab_intern(&x->p->strings, str_of(text));
	if (x->opt->lines == LINES_REPORT) /* the file is a key of its own */
		(void)strtab_intern(&x->p->strings, path);
	u64map_put(&x->lines, key, id.v);
	return id;
}

/* What perf shows in place of a line. */
static string_id substitute(struct expander *x, const struct profile_frame *f)
{
	const struct profile *p = x->p;
	const struct profile_func *func = &p->funcs.v[f->func.v];
	if (f->func.v && resolver_has_file(x->r, f->object))
		return x->unknown_line;
	if (x->opt->lines != LINES_REPORT)
		return (string_id){0};
	struct str name = profile_str(p, func->name);
	struct str object = profile_str(p, p->objects.v[f->object.v].name);
	const char *text = f->func.v ? arena_printf(&x->scratch, "%.*s+%" PRIu64,
						    (int)MIN(name.n, 4096), name.p,
						    f->addr - func->start)
				     : arena_printf(&x->scratch, "%.*s[%" PRIx64 "]", (int)object.n,
						    object.p, f->addr);
	return strtab_intern(&x->p->strings, str_of(text));
}

/* One function for all places it was inlined at: it has no address of its own. */
static func_id inlined_func(struct expander *x, const struct dwarf_frame *f, object_id object)
{
	uint64_t key = hash_mix((uintptr_t)f->function.p, object.v);
	uint32_t *known = u64map_get(&x->names, key);
	if (known)
		return (func_id){*known};
	struct str name = f->function;
	if (x->opt->demangle && f->linkage)
		name = demangle(&x->scratch, name);
	if (!name.n)
		name = STR("??");
	func_id func = profile_func(x->p, name, object, 0, 0);
	u64map_put(&x->names, key, func.v);
	return func;
}

/* A function that no symbol names, but debug information does. */
static void name_by_debug(struct expander *x, struct profile_frame *f,
			  const struct resolve_query *q)
{
	const struct dwarf_frame *last = &q->found.v[q->found.n - 1];
	if (f->func.v || last->inlined || !last->function.n)
		return;
	struct str name = last->function;
	if (x->opt->demangle && last->linkage)
		name = demangle(&x->scratch, name);
	f->func = profile_func(x->p, name, f->object, last->entry + q->shift, 0);
}

/* --- one frame ------------------------------------------------------------------------------- */

static frame_id add_frame(struct expander *x, const struct profile_frame *f)
{
	vec_push(&x->p->frames, *f);
	return (frame_id){(uint32_t)x->p->frames.n - 1};
}

static void add_to(struct expander *x, struct expansion *to, frame_id id)
{
	if (!to->count++)
		to->first = (uint32_t)x->out->list.n;
	vec_push(&x->out->list, id);
}

/* The inlined functions and then the frame itself; its own line is that of the outermost call. */
static void expand_inlined(struct expander *x, uint32_t frame, struct expansion *to,
			   const struct dwarf_frames *d)
{
	struct profile_frame own = x->p->frames.v[frame];
	for (size_t i = 0; i + 1 < d->n; i++) {
		struct profile_frame f = own;
		f.func = inlined_func(x, &d->v[i], own.object);
		f.flags |= FRAME_INLINED;
		f.srcline = x->opt->lines ? line_text(x, &d->v[i]) : (string_id){0};
		add_to(x, to, add_frame(x, &f));
	}
	if (x->opt->lines) {
		own.srcline = line_text(x, &d->v[d->n - 1]);
		add_to(x, to, add_frame(x, &own));
	} else {
		add_to(x, to, (frame_id){frame});
	}
}

static void expand_one(struct expander *x, uint32_t frame, enum frame_role role,
		       const struct resolve_query *q)
{
	const struct dwarf_frames *d = &q->found;
	struct expansion *to = &x->out->of[(size_t)frame * FRAME_ROLES + role];
	struct profile_frame *f = &x->p->frames.v[frame];
	string_id line = {0};
	if (d->n)
		name_by_debug(x, f, q);
	if (x->opt->lines)
		line = d->n ? line_text(x, &d->v[0]) : substitute(x, f);
	bool both = x->needed[frame] == (1 << ROLE_HERE | 1 << ROLE_CALLER);
	bool copy = role == ROLE_CALLER && both && line.v;
	if (!copy && line.v)
		f->srcline = line;
	if (d->n > 1 && shows_inlines(x->opt, f)) {
		expand_inlined(x, frame, to, d);
	} else if (copy) {
		struct profile_frame other = *f;
		other.srcline = line;
		add_to(x, to, add_frame(x, &other));
	}
}

/* --- all of them ----------------------------------------------------------------------------- */

/* Where a query came from. */
struct origin {
	uint32_t frame;
	enum frame_role role;
};

static bool wants_query(const struct expander *x, uint32_t frame)
{
	const struct profile_frame *f = &x->p->frames.v[frame];
	return x->needed[frame] && f->object.v && (x->opt->lines || shows_inlines(x->opt, f));
}

/* In order of object, frames of one object in order of id. */
static size_t make_queries(const struct expander *x, struct resolve_query **queries,
			   struct origin **origins)
{
	size_t *at = mem_calloc(x->p->objects.n + 1, sizeof *at);
	size_t n = 0;
	for (uint32_t i = 1; i < x->out->frames; i++)
		if (wants_query(x, i))
			at[x->p->frames.v[i].object.v + 1] += (size_t)__builtin_popcount(
				x->needed[i]);
	for (size_t i = 0; i < x->p->objects.n; i++)
		at[i + 1] += at[i];
	n = at[x->p->objects.n];
	*queries = mem_calloc(n + 1, sizeof **queries);
	*origins = mem_calloc(n + 1, sizeof **origins);
	for (uint32_t i = 1; i < x->out->frames; i++) {
		if (!wants_query(x, i))
			continue;
		const struct profile_frame *f = &x->p->frames.v[i];
		for (enum frame_role role = ROLE_HERE; role < FRAME_ROLES; role++) {
			if (!(x->needed[i] >> role & 1))
				continue;
			size_t to = at[f->object.v]++;
			(*queries)[to] = (struct resolve_query){
				.object = f->object, .addr = f->addr - (role == ROLE_CALLER)};
			(*origins)[to] = (struct origin){i, role};
		}
	}
	free(at);
	return n;
}

void expansions_find(struct expansions *e, struct profile *p, struct resolver *r,
		     const uint8_t *needed, const struct expand_options *opt, struct pool *pool)
{
	*e = (struct expansions){.frames = p->frames.n};
	struct expander x = {.p = p, .r = r, .opt = opt, .out = e, .needed = needed};
	struct resolve_query *queries;
	struct origin *origins;
	size_t n = make_queries(&x, &queries, &origins);
	resolver_lines(r, queries, n, pool);
	e->of = mem_calloc(e->frames * FRAME_ROLES, sizeof *e->of);
	if (opt->lines)
		x.unknown_line = strtab_intern(&p->strings, STR("??:0"));
	if (opt->lines == LINES_REPORT)
		for (uint32_t i = 1; i < e->frames; i++)
			if (needed[i] && !p->frames.v[i].object.v)
				p->frames.v[i].srcline = x.unknown_line;
	for (size_t i = 0; i < n; i++)
		expand_one(&x, origins[i].frame, origins[i].role, &queries[i]);
	if (!e->list.n) {
		free(e->of);
		e->of = NULL;
	}
	free(queries);
	free(origins);
	u64map_free(&x.names);
	u64map_free(&x.lines);
	arena_free(&x.scratch);
}

void expansions_free(struct expansions *e)
{
	free(e->of);
	vec_free(&e->list);
	*e = (struct expansions){0};
}
