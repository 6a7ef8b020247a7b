/* At the end of a recording: from addresses to names, and into the file. */
#include "capture/embed.h"

#include <stdio.h>
#include <stdlib.h>

#include "object/cfi.h"
#include "object/object.h"
#include "perfdata/writer.h"

#define KALLSYMS "/proc/kallsyms"
#define KALLSYMS_MAX ((size_t)256 << 20)
#define FLUSH_AT ((size_t)1 << 20)
#define ANCESTORS_MAX 16 /* forks without exec in a row */
#define OVERLAPS_MAX 64  /* mappings looked at below an address: they may have come and gone */

static int map_cmp(const void *a, const void *b)
{
	const struct embed_map *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/* Mappings of pid that start at or below ip end before the returned index. */
static size_t maps_above(const struct embed *e, int32_t pid, uint64_t ip)
{
	size_t lo = 0, hi = e->maps.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct embed_map *m = &e->maps.v[mid];
		if (m->pid < pid || (m->pid == pid && m->start <= ip))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void place_hit(struct embed *e, const struct embed_hit *h)
{
	int32_t pid = h->pid;
	for (int depth = 0; depth < ANCESTORS_MAX; depth++) {
		size_t above = maps_above(e, pid, h->ip);
		for (size_t i = above; i > 0 && above - i < OVERLAPS_MAX; i--) {
			const struct embed_map *m = &e->maps.v[i - 1];
			if (m->pid != pid)
				break;
			if (h->ip < m->end)
				vec_push(&e->objects.v[m->object].addrs,
					 h->ip - m->start + m->pgoff);
		}
		const uint32_t *parent = u64map_get(&e->parents, (uint32_t)pid);
		if (!parent)
			return;
		pid = (int32_t)*parent;
	}
}

static bool flush(struct embedded_writer *out, struct perfdata_writer *w, struct err *err)
{
	struct iovec iov = {.iov_base = out->out.buf, .iov_len = out->out.n};
	bool ok = !out->out.n || perfdata_write(w, &iov, 1, err);
	out->out.n = 0;
	return ok;
}

/* The symbols at these addresses, or all of the table's, each once and in order. */
static bool write_table(struct embedded_writer *out, const struct embedded_object *o,
			const struct symtab *t, const uint64_t *addrs, size_t n, bool all,
			struct perfdata_writer *w, struct err *err)
{
	bool ok = true;
	bool *wanted = mem_calloc(t->syms.n + 1, sizeof *wanted);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = symtab_find(t, addrs[i]);
		if (s)
			wanted[s - t->syms.v] = true;
	}
	embedded_begin(out, o);
	for (size_t i = 0; ok && i < t->syms.n; i++) {
		const struct symbol *s = &t->syms.v[i];
		if (!all && !wanted[i])
			continue;
		embedded_add(out, &(struct embedded_symbol){.start = s->start,
							    .end = s->end,
							    .binding = s->binding,
							    .type = s->type,
							    .name = symbol_name(s)});
		if (out->out.n >= FLUSH_AT) {
			embedded_end(out);
			ok = flush(out, w, err);
		}
	}
	embedded_end(out);
	free(wanted);
	return ok && flush(out, w, err);
}

/* Where names are looked up again and again, all of them are kept. */
static bool knows_all(const struct embed *e)
{
	for (size_t i = 0; i < e->kernel.n; i++)
		if (!symtab_find(&e->names.table, e->kernel.v[i]))
			return false;
	return e->names.table.syms.n;
}

static void read_names(struct embed *e)
{
	struct str all;
	struct out some;
	if (e->many) {
		if (knows_all(e) || !file_read(KALLSYMS, KALLSYMS_MAX, &all, NULL))
			return;
		kallsyms_free(&e->names);
		(void)!kallsyms_parse(&e->names, all, NULL);
		free((void *)all.p);
		return;
	}
	kallsyms_free(&e->names);
	out_memory(&some);
	if (kallsyms_near(KALLSYMS, e->kernel.v, e->kernel.n, &some))
		(void)!kallsyms_parse(&e->names, out_text(&some), NULL);
	(void)out_finish(&some);
}

static bool write_kernel(struct embed *e, struct embedded_writer *out, struct perfdata_writer *w,
			 struct err *err)
{
	if (!e->kernel.n)
		return true;
	read_names(e);
	struct embedded_object o = {.kind = EMBEDDED_KERNEL, .path = STR("[kernel.kallsyms]")};
	return e->names.hidden || !e->names.table.syms.n ||
	       write_table(out, &o, &e->names.table, e->kernel.v, e->kernel.n, false, w, err);
}

/* How to unwind a file that readers will not have. Its build id is the table's name. */
static bool write_cfi(const struct embed_object *o, const struct embedded_object *head,
		      struct embedded_writer *out, struct perfdata_writer *w, struct err *err)
{
	struct elf_file elf;
	struct cfi_table t;
	if (!o->build_id.size || !o->held.p || !elf_open(&elf, o->held.p, o->held.n) ||
	    !cfi_build_elf(&t, &elf, NULL))
		return true;
	struct embedded_object file = *head;
	file.kind = EMBEDDED_CFI;
	bool ok = blob_write(out, &file, &(struct blob_piece){0}, cfi_block(&t, &o->build_id));
	cfi_free(&t);
	return !ok || flush(out, w, err);
}

static bool write_object(struct embed *e, struct embed_object *o, struct embedded_writer *out,
			 struct perfdata_writer *w, struct err *err)
{
	bool gone = o->kind == EMBEDDED_FILE && embed_is_gone(e, o);
	if (e->mode == CAPTURE_EMBED_NEEDED && !gone)
		return true;
	struct symtab t;
	struct embedded_object head = {.kind = o->kind,
				       .flags = gone ? EMBEDDED_GONE : 0,
				       .build_id = o->build_id,
				       .path = strtab_get(&e->paths, o->path)};
	embed_symbols(e, o, gone, &t);
	bool ok = write_table(out, &head, &t, o->addrs.v, o->addrs.n,
			      e->whole || e->mode == CAPTURE_EMBED_ALL, w, err);
	symtab_free(&t);
	if (ok && e->whole && o->kind == EMBEDDED_FILE)
		ok = write_cfi(o, &head, out, w, err);
	return ok;
}

/* --- code made at run time ------------------------------------------------------------------ */

static int hit_cmp(const void *a, const void *b)
{
	const struct embed_hit *x = a, *y = b;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* Hits by the processes whose code they may be in: that of a parent is its children's too. */
struct jit_index {
	VEC(struct embed_hit) hits;
	uint64_t *ips; /* the same, without the process */
};

static void jit_index_build(struct jit_index *x, const struct embed *e)
{
	struct u64map writers = {0};
	for (size_t i = 0; i < e->jit.processes.n; i++)
		if (e->jit.processes.v[i].text.n) /* most have no map */
			u64map_put(&writers, (uint32_t)e->jit.processes.v[i].pid, 1);
	for (size_t i = 0; i < e->jit.dumps.n; i++)
		u64map_put(&writers, (uint32_t)e->jit.dumps.v[i].pid, 1);
	for (size_t i = 0; writers.n && i < e->hits.n; i++) {
		struct embed_hit h = e->hits.v[i];
		for (int depth = 0; depth < ANCESTORS_MAX; depth++) {
			if (u64map_get(&writers, (uint32_t)h.pid))
				vec_push(&x->hits, h);
			const uint32_t *parent = u64map_get(&e->parents, (uint32_t)h.pid);
			if (!parent)
				break;
			h.pid = (int32_t)*parent;
		}
	}
	u64map_free(&writers);
	if (x->hits.n)
		qsort(x->hits.v, x->hits.n, sizeof *x->hits.v, hit_cmp);
	x->ips = mem_calloc(x->hits.n + 1, sizeof *x->ips);
	for (size_t i = 0; i < x->hits.n; i++)
		x->ips[i] = x->hits.v[i].ip;
}

static struct jit_hits jit_index_of(const struct jit_index *x, int32_t pid, bool all)
{
	size_t lo = 0, hi = x->hits.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (x->hits.v[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (hi < x->hits.n && x->hits.v[hi].pid == pid)
		hi++;
	return (struct jit_hits){.v = x->ips + lo, .n = hi - lo, .all = all && hi > lo};
}

static bool write_blob(const struct embed *e, struct embedded_writer *out, enum embedded_kind kind,
		       size_t i, const struct jit_hits *hits, struct perfdata_writer *w,
		       struct err *err)
{
	const struct jit_snapshot *j = &e->jit;
	bool map = kind == EMBEDDED_TIMED_MAP;
	struct embedded_object o = {.kind = kind};
	struct blob_piece head = {.number = (uint32_t)i, .clock = j->clock};
	struct str file;
	char path[64];
	if (!hits->n ||
	    !(map ? jit_snapshot_map(j, i, hits, &file) : jit_snapshot_dump(j, i, hits, &file)))
		return true;
	o.pid = map ? j->processes.v[i].pid : j->dumps.v[i].pid;
	head.since = map ? j->processes.v[i].since : j->dumps.v[i].since;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", o.pid);
	o.path = map ? str_of(path) : strtab_get(&j->paths, j->dumps.v[i].path);
	bool ok = blob_write(out, &o, &head, file);
	free((char *)file.p);
	return !ok || flush(out, w, err);
}

static bool write_jit(struct embed *e, struct embedded_writer *out, struct perfdata_writer *w,
		      struct diags *d, struct err *err)
{
	struct jit_index x = {0};
	bool ok = true, all = e->whole || e->mode == CAPTURE_EMBED_ALL;
	jit_snapshot_end(&e->jit);
	jit_index_build(&x, e);
	for (size_t i = 0; ok && i < e->jit.processes.n; i++) {
		struct jit_hits hits = jit_index_of(&x, e->jit.processes.v[i].pid, all);
		ok = write_blob(e, out, EMBEDDED_TIMED_MAP, i, &hits, w, err);
	}
	for (size_t i = 0; ok && i < e->jit.dumps.n; i++) {
		struct jit_hits hits = jit_index_of(&x, e->jit.dumps.v[i].pid, all);
		ok = write_blob(e, out, EMBEDDED_JITDUMP, i, &hits, w, err);
	}
	vec_free(&x.hits);
	free(x.ips);
	if (e->jit.refused)
		diag_add(d, DIAG_BAD_MAP_FILE, e->jit.refused, "%s, and is not used", e->jit.why);
	e->full |= e->jit.full;
	return ok;
}

/* Mostly every file is where it was, and readers will find it: then no hit is looked at. */
static bool any_is_kept(const struct embed *e)
{
	if (e->mode != CAPTURE_EMBED_NEEDED)
		return true;
	for (size_t i = 0; i < e->objects.n; i++)
		if (e->objects.v[i].kind == EMBEDDED_FILE && embed_is_gone(e, &e->objects.v[i]))
			return true;
	return false;
}

static void place_hits(struct embed *e)
{
	if (!e->sorted && e->maps.n)
		qsort(e->maps.v, e->maps.n, sizeof *e->maps.v, map_cmp);
	e->sorted = true;
	for (size_t i = 0; i < e->hits.n; i++)
		place_hit(e, &e->hits.v[i]);
}

bool embed_write(struct embed *e, struct perfdata_writer *w, uint64_t event, struct diags *d,
		 struct err *err)
{
	if (e->mode == CAPTURE_EMBED_NONE)
		return true;
	if (any_is_kept(e))
		place_hits(e);

	struct embedded_writer out;
	embedded_writer_init(&out, event);
	bool ok = write_kernel(e, &out, w, err);
	/* Where callers are found later, no hit tells that nobody will ask. */
	bool every = e->whole && e->mode == CAPTURE_EMBED_NEEDED;
	for (size_t i = 0; ok && i < e->objects.n; i++)
		if (e->objects.v[i].addrs.n || every)
			ok = write_object(e, &e->objects.v[i], &out, w, err);
	ok = ok && write_jit(e, &out, w, d, err);
	embedded_writer_free(&out);
	for (size_t i = 0; i < e->objects.n; i++)
		vec_clear(&e->objects.v[i].addrs);
	if (e->full)
		diag_add(d, DIAG_NO_SYMBOLS, 1,
			 "too many different addresses were hit to keep all their names in the "
			 "recording");
	return ok;
}
