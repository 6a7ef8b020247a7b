#include "resolve/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "resolve/jit.h"
#include "resolve/jit_file.h"
#include "resolve/state.h"
#include "resolve/vdso.h"

struct resolver *resolver_new(const struct session *s, const struct resolve_options *opt)
{
	struct resolver *r = mem_zalloc(sizeof *r);
	r->session = s;
	r->opt = *opt;
	r->entries = mem_calloc(session_object_count(s), sizeof(struct entry *));
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < session_object_count(r->session); i++) {
		if (r->entries[i]) {
			symtab_free(&r->entries[i]->own);
			debug_info_close(r->entries[i]->debug);
			free(r->entries[i]->fetched);
		}
		free(r->entries[i]);
	}
	free(r->entries);
	for (size_t i = 0; i < r->line_results.n; i++)
		dwarf_results_free(&r->line_results.v[i]);
	vec_free(&r->line_results);
	kernel_symbols_free(&r->kernel);
	embedded_tables_free(&r->embedded);
	free(r);
}

struct embedded_table *resolver_embed(struct resolver *r, const struct embedded_key *key)
{
	return embedded_tables_put(&r->embedded, key);
}

void resolver_embed_symbol(struct embedded_table *t, const struct symbol *s)
{
	vec_push(&t->found, *s);
}

void resolver_embed_end(struct resolver *r)
{
	embedded_tables_seal(&r->embedded);
	r->kernel.embedded = embedded_tables_kernel(&r->embedded);
}

struct object_source resolver_source(const struct resolver *r, const struct session_object *o,
				     const struct entry *e)
{
	return (struct object_source){.path = session_str(r->session, o->path).p,
				      .build_id = o->build_id,
				      .pid = o->pid,
				      .symfs = r->opt.symfs,
				      .build_id_dir = r->opt.build_id_dir,
				      .fetched = e ? e->fetched : NULL};
}

static void load_file(struct resolver *r, struct entry *e, const struct session_object *o)
{
	struct object_source src = resolver_source(r, o, e);
	struct err err = {0};
	if (symtab_load_elf(&e->own, &src, &e->diags, &err))
		e->table = &e->own;
	else
		diag_add(&e->diags, DIAG_NO_SYMBOLS, 1, "no symbols for %s: %s", src.path,
			 err.text);
}

/* When a process began, by the wall clock; 0: not known. */
static int64_t wall_start(const struct resolver *r, int32_t pid)
{
	uint64_t began = session_started(r->session, pid);
	if (!began || !r->opt.recorded || r->opt.last_time < began)
		return 0;
	return r->opt.recorded - (int64_t)((r->opt.last_time - began) / 1000000000);
}

static void load_perf_map(struct resolver *r, struct entry *e, const struct session_object *o)
{
	struct err err = {0};
	struct str text;
	struct jit_file file = {.path = session_str(r->session, o->path).p,
				.pid = o->pid,
				.is_map = true,
				.started = wall_start(r, o->pid),
				.recorded = r->opt.recorded,
				.force = r->opt.force};
	if (jit_file_read(&file, &text, &err)) {
		symtab_parse_perf_map(&e->own, text, file.path, &e->diags);
		free((char *)text.p);
		e->table = &e->own;
	} else if (err.sys != ENOENT) {
		diag_add(&e->diags, DIAG_BAD_MAP_FILE, 1, "%s", err.text);
		if (err.hint[0])
			diag_hint(&e->diags, DIAG_BAD_MAP_FILE, "%s", err.hint);
	}
}

static void load_vdso(struct entry *e, const struct session_object *o)
{
	if (vdso_load(&e->own, &o->build_id))
		e->table = &e->own;
}

static void load_from_disk(struct resolver *r, struct entry *e, const struct session_object *o)
{
	if (o->kind == OBJECT_FILE)
		load_file(r, e, o);
	else if (o->kind == OBJECT_ANON && !jits_know(r->opt.jits, o->pid))
		load_perf_map(r, e, o);
	else if (o->kind == OBJECT_VDSO)
		load_vdso(e, o);
}

/* What the disk has is better known to the user (a debug package may have come since), so it is
 * asked first, unless it was wrong already when the recording ended. */
static void load_own(struct resolver *r, struct entry *e, const struct session_object *o)
{
	const struct embedded_table *came = embedded_tables_find(&r->embedded, o,
								 session_str(r->session, o->path));
	if (came && came->key.gone && !r->opt.symfs) {
		e->table = &came->table;
		return;
	}
	load_from_disk(r, e, o);
	if (came && (!e->table || !e->table->syms.n)) {
		e->table = &came->table;
		e->diags = (struct diags){0};
	}
}

/* Loads one object; runs on any worker, touches only its entry. */
static void load_entry(struct resolver *r, object_id id)
{
	struct entry *e = r->entries[id.v];
	const struct session_object *o = session_object(r->session, id);
	uint32_t generation;
	const struct jit_table *jit = jits_find(r->opt.jits, id, &generation);
	if (jit) {
		jit_table_symbols(jit, generation, &e->own);
		e->table = &e->own;
		return;
	}
	switch (o->kind) {
	case OBJECT_FILE:
	case OBJECT_ANON:
	case OBJECT_VDSO:
		load_own(r, e, o);
		break;
	case OBJECT_BPF:
		e->whole = (struct symbol){.start = o->start,
					   .end = o->end,
					   .name = session_str(r->session, o->path).p};
		break;
	case OBJECT_KERNEL:
	case OBJECT_MODULE: /* served by the kernel's table */
	case OBJECT_OTHER:
		break;
	}
}

struct load_job {
	struct resolver *resolver;
	const object_id *todo;
};

static void load_task(void *ctx, size_t i, unsigned worker)
{
	(void)worker;
	struct load_job *job = ctx;
	struct resolver *r = job->resolver;
	if (job->todo[i].v == 0)
		kernel_symbols_load(&r->kernel, r->session, &r->opt);
	else
		load_entry(r, job->todo[i]);
}

static void merge_diags(struct diags *to, const struct diags *from)
{
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag *g = &from->of[i];
		if (!g->count)
			continue;
		diag_add(to, (enum diag_kind)i, g->count, "%s", g->first);
		if (g->hint[0])
			diag_hint(to, (enum diag_kind)i, "%s", g->hint);
	}
}

void resolver_tell(struct entry *e, struct diags *to)
{
	merge_diags(to, &e->diags);
	e->diags = (struct diags){0};
}

/* Where no table of the recorded boot is at hand, the module's own file has its symbols. */
static void load_module(struct resolver *r, object_id id)
{
	const struct session_object *o = session_object(r->session, id);
	struct str path = session_str(r->session, o->path);
	char file[4096];
	if (o->kind != OBJECT_MODULE || path.n < 1 || path.p[0] != '/' || !o->start ||
	    snprintf(file, sizeof file, "%s%s", r->opt.symfs ? r->opt.symfs : "", path.p) >=
		    (int)sizeof file)
		return;
	struct entry *e = r->entries[id.v];
	struct err err = {0};
	if (symtab_load_module(&e->own, file, &o->build_id, o->start, &err))
		e->table = &e->own;
	else
		diag_add(&e->diags, DIAG_NO_SYMBOLS, 1, "no symbols for %s: %s", path.p, err.text);
}

static bool in_kernel(const struct session_object *o)
{
	return o->kind == OBJECT_KERNEL || o->kind == OBJECT_MODULE;
}

void resolver_load(struct resolver *r, const object_id *objects, size_t n, struct pool *pool,
		   struct diags *d)
{
	VEC(object_id) todo = {0};
	for (size_t i = 0; i < n; i++) {
		if (in_kernel(session_object(r->session, objects[i])) && !r->kernel_tried) {
			r->kernel_tried = true;
			vec_push(&todo, (object_id){0}); /* stands for the kernel's own table */
		}
		if (!objects[i].v || r->entries[objects[i].v])
			continue;
		r->entries[objects[i].v] = mem_zalloc(sizeof(struct entry));
		vec_push(&todo, objects[i]);
	}
	pool_run(pool, todo.n, load_task, &(struct load_job){r, todo.v});
	for (size_t i = 0; i < todo.n && !kernel_knows_modules(&r->kernel); i++)
		if (todo.v[i].v)
			load_module(r, todo.v[i]);
	for (size_t i = 0; i < todo.n; i++) {
		if (!todo.v[i].v)
			merge_diags(d, &r->kernel.diags);
		else if (!r->opt.debuginfod) /* else resolver_fetch() may find what is missing */
			resolver_tell(r->entries[todo.v[i].v], d);
	}
	vec_free(&todo);
}

const struct symbol *resolver_symbol(const struct resolver *r, object_id object, uint64_t addr)
{
	const struct entry *e = r->entries[object.v];
	if (!e)
		return NULL;
	const struct session_object *o = session_object(r->session, object);
	if (in_kernel(o) && !e->table)
		return kernel_symbol(&r->kernel, o, addr);
	if (e->whole.end)
		return &e->whole;
	return e->table ? symtab_find(e->table, addr) : NULL;
}

bool resolver_covers(const struct resolver *r, object_id object, uint64_t addr)
{
	const struct session_object *o = session_object(r->session, object);
	if (o->kind != OBJECT_KERNEL || (addr >= o->start && addr < o->end))
		return true;
	return kernel_symbols_cover(&r->kernel, addr);
}

bool resolver_mangled(const struct resolver *r, object_id object)
{
	const struct entry *e = r->entries[object.v];
	return e && e->table && e->table->mangled;
}

bool resolver_has_file(const struct resolver *r, object_id object)
{
	const struct entry *e = r->entries[object.v];
	return e && session_object(r->session, object)->kind == OBJECT_FILE && e->table == &e->own;
}

uint64_t resolver_bias(const struct resolver *r, object_id object)
{
	const struct session_object *o = session_object(r->session, object);
	/* Symbols of a module's own file are where it was loaded. */
	if (!in_kernel(o) || r->entries[object.v]->table)
		return 0;
	return kernel_symbol_delta(&r->kernel, o);
}
