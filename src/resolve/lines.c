#include "resolve/lines.h"

#include <stdlib.h>

#include "resolve/jit.h"
#include "resolve/state.h"

/* The queries of one object. */
struct batch {
	object_id object;
	struct resolve_query *q;
	size_t n;
};

struct open_job {
	struct resolver *r;
	const struct batch *batches;
};

static void open_one(struct resolver *r, object_id id)
{
	struct entry *e = r->entries[id.v];
	const struct session_object *o = session_object(r->session, id);
	if (o->kind == OBJECT_KERNEL)
		kernel_lines_open(&r->kernel, r->session, &r->opt);
	if (o->kind != OBJECT_FILE)
		return;
	struct object_source src = resolver_source(r, o, e);
	e->debug = debug_info_open(&src);
}

static void open_task(void *ctx, size_t i, unsigned worker)
{
	(void)worker;
	struct open_job *job = ctx;
	struct entry *e = job->r->entries[job->batches[i].object.v];
	if (!e || e->debug_tried)
		return;
	e->debug_tried = true;
	open_one(job->r, job->batches[i].object);
}

static const struct debug_info *debug_of(const struct resolver *r, object_id id)
{
	const struct entry *e = r->entries[id.v];
	if (!e)
		return NULL;
	return session_object(r->session, id)->kind == OBJECT_KERNEL ? r->kernel.debug : e->debug;
}

/* Where an address is in the file that has the debug information. */
static bool to_vaddr(const struct resolver *r, const struct debug_info *debug,
		     const struct resolve_query *q, uint64_t *vaddr)
{
	if (session_object(r->session, q->object)->kind != OBJECT_KERNEL)
		return debug_info_vaddr(debug, q->addr, vaddr);
	*vaddr = q->addr - r->kernel.image_delta;
	return true;
}

/* Code made at run time: its maker may have told the lines. */
static void look_up_jit(struct resolver *r, const struct batch *b)
{
	struct dwarf_results found = {.arenas = mem_zalloc(sizeof(struct arena)), .arena_count = 1};
	for (size_t i = 0; i < b->n; i++) {
		struct str path;
		uint32_t line, column;
		if (!jits_line(r->opt.jits, b->object, b->q[i].addr, &path, &line, &column))
			continue;
		struct dwarf_file *file = arena_new(found.arenas, struct dwarf_file);
		struct dwarf_frame *frame = arena_new(found.arenas, struct dwarf_frame);
		file->name = path;
		*frame = (struct dwarf_frame){.file = file, .line = line, .column = column};
		b->q[i].found = (struct dwarf_frames){.v = frame, .n = 1};
	}
	vec_push(&r->line_results, found);
}

static void look_up(struct resolver *r, const struct batch *b, struct pool *pool)
{
	uint32_t generation;
	if (jits_find(r->opt.jits, b->object, &generation)) {
		look_up_jit(r, b);
		return;
	}
	const struct debug_info *debug = debug_of(r, b->object);
	if (!debug)
		return;
	uint64_t *addrs = mem_calloc(b->n, sizeof *addrs);
	uint32_t *which = mem_calloc(b->n, sizeof *which);
	size_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (to_vaddr(r, debug, &b->q[i], &addrs[n])) {
			b->q[i].shift = b->q[i].addr - addrs[n];
			which[n++] = (uint32_t)i;
		}
	struct dwarf_results found;
	dwarf_lookup(debug_info_dwarf(debug), addrs, n, pool, &found);
	for (size_t i = 0; i < n; i++)
		b->q[which[i]].found = found.at[i];
	vec_push(&r->line_results, found);
	free(addrs);
	free(which);
}

void resolver_lines(struct resolver *r, struct resolve_query *q, size_t n, struct pool *pool)
{
	VEC(struct batch) batches = {0};
	for (size_t i = 0; i < n; i++) {
		q[i].found = (struct dwarf_frames){0};
		if (!batches.n || vec_last(&batches).object.v != q[i].object.v)
			vec_push(&batches, (struct batch){.object = q[i].object, .q = &q[i]});
		vec_last(&batches).n++;
	}
	pool_run(pool, batches.n, open_task, &(struct open_job){r, batches.v});
	for (size_t i = 0; i < batches.n; i++)
		look_up(r, &batches.v[i], pool);
	vec_free(&batches);
}
