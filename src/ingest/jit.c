#include "ingest/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "perfdata/blob.h"
#include "resolve/jit_file.h"

/* Mapped dumps; a process has one. */
#define DUMPS_MAX 65536

struct mapped_dump {
	int32_t pid;
	uint64_t time;
	struct str path; /* in the recording */
};

struct ingest_jit {
	struct perfdata *pd;
	struct jits *tables;
	struct jit_clock clock; /* as far as the recording itself tells */
	bool force;
	VEC(struct mapped_dump) dumps;
	struct u64map seen; /* by pid and path */
	struct u64map kept; /* pids whose dump the recording holds */
};

static bool on_monotonic_clock(const struct perfdata *pd)
{
	size_t n = perfdata_event_count(pd);
	for (size_t i = 0; i < n; i++) {
		const struct attr *a = &perfdata_event(pd, i)->attr;
		if (!(a->flags & ATTR_USE_CLOCKID) || a->clockid != CLOCK_MONOTONIC)
			return false;
	}
	return n > 0;
}

struct ingest_jit *ingest_jit_new(struct perfdata *pd, bool force)
{
	struct ingest_jit *j = mem_zalloc(sizeof *j);
	j->pd = pd;
	j->tables = jits_new();
	j->clock.same = on_monotonic_clock(pd);
	j->force = force;
	return j;
}

void ingest_jit_free(struct ingest_jit *j)
{
	if (!j)
		return;
	jits_free(j->tables);
	vec_free(&j->dumps);
	u64map_free(&j->seen);
	u64map_free(&j->kept);
	free(j);
}

const struct jits *ingest_jit_tables(const struct ingest_jit *j)
{
	return j->tables;
}

/* --- what mappings tell ----------------------------------------------------------------------- */

/* ".../jit-1234.dump": the number is the process's own, in whatever namespace. */
static bool is_dump(struct str path)
{
	struct str base = str_basename(path);
	uint64_t number;
	return str_starts(base, "jit-") && str_ends(base, ".dump") &&
	       str_to_u64(str_make(base.p + 4, base.n - 9), 10, &number);
}

void ingest_jit_see(struct ingest_jit *j, const struct record *r, const struct sample_id *who)
{
	struct rec_mmap m;
	if ((r->type != PERF_RECORD_MMAP && r->type != PERF_RECORD_MMAP2) || !record_mmap(r, &m) ||
	    m.path.n < 10 || !is_dump(m.path) || j->dumps.n >= DUMPS_MAX)
		return;
	uint64_t key = hash_mix(hash_str(m.path), (uint32_t)m.pid);
	if (u64map_get(&j->seen, key))
		return;
	u64map_put(&j->seen, key, 1);
	vec_push(&j->dumps, (struct mapped_dump){.pid = m.pid, .time = who->time, .path = m.path});
}

/* How to read a cycle counter, if a record says so. */
static void look_for_time_conv(struct ingest_jit *j)
{
	struct perfdata_iter it;
	struct record r;
	perfdata_iter_init(&it, j->pd, 0, perfdata_chunk_count(j->pd));
	while (perfdata_next(&it, &r)) {
		if (r.type != RECORD_TIME_CONV)
			continue;
		struct cursor c = record_cursor(&r);
		uint64_t shift = cursor_u64(&c), mult = cursor_u64(&c), zero = cursor_u64(&c);
		if (c.bad)
			continue;
		j->clock.tsc_shift = shift;
		j->clock.tsc_mult = mult;
		j->clock.tsc_zero = zero;
		return;
	}
}

/* Those the recording did not keep, if they are still there. */
static void read_dumps(struct ingest_jit *j, struct diags *d)
{
	struct arena scratch = {0};
	bool looked = false;
	for (size_t i = 0; i < j->dumps.n; i++) {
		const struct mapped_dump *m = &j->dumps.v[i];
		struct jit_file file = {.path = arena_str(&scratch, m->path).p,
					.pid = m->pid,
					.recorded = perfdata_header(j->pd)->captured_on,
					.force = j->force};
		struct jit_source source = {.pid = m->pid, .since = m->time, .path = m->path};
		struct str bytes;
		struct err err = {0};
		if (u64map_get(&j->kept, (uint32_t)m->pid))
			continue;
		if (!looked)
			look_for_time_conv(j);
		looked = true;
		if (jit_file_read(&file, &bytes, &err) &&
		    jits_add_dump(j->tables, &source, &j->clock, bytes, d, &err))
			continue;
		diag_add(d, DIAG_BAD_MAP_FILE, 1, "%s%s", err.text,
			 err.sys == ENOENT ? ": functions made at run time have no names" : "");
		diag_hint(d, DIAG_BAD_MAP_FILE, "%s",
			  err.hint[0] ? err.hint : "kiln record keeps it in the recording");
	}
	arena_free(&scratch);
}

/* --- what the recording kept ------------------------------------------------------------------ */

struct kept {
	struct embedded_object object;
	struct blob_piece head;
	struct blob blob;
};

static void take_map(struct ingest_jit *j, const struct jit_source *source, struct str bytes,
		     bool swap, struct diags *d)
{
	struct cursor c = cursor_of(bytes.p, bytes.n, swap);
	struct jit_table *t = jits_begin_map(j->tables, source);
	struct arena scratch = {0};
	const char *name = arena_str(&scratch, source->path).p;
	while (cursor_left(&c)) {
		uint64_t time = cursor_u64(&c), n = cursor_u64(&c);
		const char *text = c.bad || n > cursor_left(&c) ? NULL
								: (const char *)cursor_bytes(&c, n);
		if (!text)
			break;
		jit_table_add_map(t, str_make(text, n), time, name, d);
	}
	arena_free(&scratch);
}

static void take_whole(struct ingest_jit *j, const struct kept *k, bool swap, struct diags *d)
{
	struct jit_source source = {
		.pid = k->object.pid, .since = k->head.since, .path = k->object.path};
	struct jit_clock clock = j->clock;
	struct str bytes;
	struct err err = {0};
	memcpy(clock.monotonic, k->head.clock.monotonic, sizeof clock.monotonic);
	memcpy(clock.recording, k->head.clock.recording, sizeof clock.recording);
	if (!blob_unpack(&k->blob, &bytes)) {
		diag_add(d, DIAG_BAD_RECORD, 1,
			 "the functions that process %d made at run time are damaged in the "
			 "recording",
			 k->object.pid);
		return;
	}
	if (k->object.kind == EMBEDDED_TIMED_MAP) {
		take_map(j, &source, bytes, swap, d);
		free((char *)bytes.p);
		return;
	}
	u64map_put(&j->kept, (uint32_t)k->object.pid, 1);
	if (!jits_add_dump(j->tables, &source, &clock, bytes, d, &err))
		diag_add(d, DIAG_BAD_MAP_FILE, 1, "%s", err.text);
}

/* The pieces of a file follow each other. */
static void read_kept(struct ingest_jit *j, struct diags *d)
{
	struct kept k = {0};
	for (size_t i = 0; i < perfdata_embedded_count(j->pd); i++) {
		struct cursor c = perfdata_embedded(j->pd, i);
		struct embedded_object o;
		struct blob_piece piece;
		if (!embedded_object(&c, &o) ||
		    (o.kind != EMBEDDED_TIMED_MAP && o.kind != EMBEDDED_JITDUMP))
			continue;
		if (!blob_read(&c, &piece) || !blob_add(&k.blob, &piece)) {
			diag_add(d, DIAG_BAD_RECORD, 1,
				 "functions made at run time are damaged in the recording");
			continue;
		}
		k.object = o;
		k.head = piece;
		if (k.blob.got == k.blob.size) {
			take_whole(j, &k, c.swap, d);
			blob_free(&k.blob);
		}
	}
	blob_free(&k.blob);
}

void ingest_jit_apply(struct ingest_jit *j, struct session *s, struct diags *d)
{
	read_kept(j, d);
	read_dumps(j, d);
	jits_apply(j->tables, s);
}
