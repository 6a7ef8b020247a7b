#include "resolve/jit.h"

#include <stdlib.h>

struct jit_part {
	struct jit_table table;
	struct jit_source source; /* path: a copy */
	bool dump;
	bool timeless; /* its clock is not the recording's: the last word holds */
};

/* What an object of the session stands for. */
struct jit_object {
	uint32_t part, generation;
};

struct jits {
	VEC(struct jit_part *) parts;
	struct arena arena;
	struct u64map by_object; /* object_id -> index in objects */
	VEC(struct jit_object) objects;
	struct u64map pids; /* 2: has a dump, 1: only a map */
};

struct jits *jits_new(void)
{
	return mem_zalloc(sizeof(struct jits));
}

void jits_free(struct jits *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->parts.n; i++) {
		jit_table_free(&j->parts.v[i]->table);
		free(j->parts.v[i]);
	}
	vec_free(&j->parts);
	vec_free(&j->objects);
	u64map_free(&j->by_object);
	u64map_free(&j->pids);
	arena_free(&j->arena);
	free(j);
}

static struct jit_part *add_part(struct jits *j, const struct jit_source *s, bool dump)
{
	struct jit_part *p = mem_zalloc(sizeof *p);
	p->dump = dump;
	p->source = *s;
	p->source.path = arena_str(&j->arena, s->path);
	vec_push(&j->parts, p);
	const uint32_t *known = u64map_get(&j->pids, (uint32_t)s->pid);
	u64map_put(&j->pids, (uint32_t)s->pid, dump || (known && *known == 2) ? 2 : 1);
	return p;
}

struct jit_table *jits_begin_map(struct jits *j, const struct jit_source *s)
{
	return &add_part(j, s, false)->table;
}

/* --- clocks ----------------------------------------------------------------------------------- */

static bool clock_known(const struct jit_clock *c, bool tsc)
{
	return tsc ? c->tsc_mult != 0 : c->same || c->recording[0] != 0;
}

/* The clocks differ by more than an offset: one is steered by the network, the other is not. */
static uint64_t from_monotonic(const struct jit_clock *c, uint64_t t)
{
	if (c->same)
		return t;
	__int128 since = (__int128)t - c->monotonic[0];
	__int128 span = (__int128)c->monotonic[1] - c->monotonic[0];
	__int128 other = (__int128)c->recording[1] - c->recording[0];
	/* Over a short time, or when they disagree by more than a clock can: the offset alone. */
	if (span > 1000000 && other > span / 2 && other < span * 2)
		since = since * other / span;
	__int128 at = since + c->recording[0];
	return at < 0 ? 0 : (uint64_t)at;
}

static uint64_t from_tsc(const struct jit_clock *c, uint64_t t)
{
	uint64_t shift = MIN(c->tsc_shift, (uint64_t)63);
	uint64_t quotient = t >> shift, rest = t & (((uint64_t)1 << shift) - 1);
	return c->tsc_zero + quotient * c->tsc_mult +
	       (uint64_t)(((__uint128_t)rest * c->tsc_mult) >> shift);
}

bool jits_add_dump(struct jits *j, const struct jit_source *s, const struct jit_clock *clock,
		   struct str bytes, struct diags *d, struct err *err)
{
	struct jit_table t = {.owned = (char *)bytes.p};
	struct arena scratch = {0};
	const char *name = arena_str(&scratch, s->path).p;
	bool ok = jit_table_read_dump(&t, bytes.p, bytes.n, name, d, err);
	if (!ok) {
		jit_table_free(&t);
		arena_free(&scratch);
		return false;
	}
	struct jit_part *p = add_part(j, s, true);
	p->timeless = !clock_known(clock, t.tsc_time);
	for (size_t i = 0; i < t.codes.n && !p->timeless; i++)
		t.codes.v[i].time = t.tsc_time ? from_tsc(clock, t.codes.v[i].time)
					       : from_monotonic(clock, t.codes.v[i].time);
	if (p->timeless && t.codes.n) {
		diag_add(d, DIAG_NOTE, 1,
			 "%s has another clock than the recording: where it reused addresses, "
			 "the last function is shown",
			 name);
		diag_hint(d, DIAG_NOTE, "record with kiln, or with perf record -k mono");
	}
	p->table = t;
	arena_free(&scratch);
	return true;
}

/* --- to the session --------------------------------------------------------------------------- */

static object_id object_of(struct jits *j, struct session *s, uint32_t part, uint32_t generation)
{
	const struct jit_part *p = j->parts.v[part];
	object_id id = session_code_object(s, p->source.pid, p->source.path,
					   (uint64_t)part << 32 | generation);
	u64map_put(&j->by_object, id.v, (uint32_t)j->objects.n);
	vec_push(&j->objects, (struct jit_object){part, generation});
	return id;
}

static void apply_part(struct jits *j, struct session *s, uint32_t part)
{
	struct jit_part *p = j->parts.v[part];
	const struct jit_table *t = &p->table;
	uint64_t since = p->source.since;
	jit_table_seal(&p->table);
	object_id *objects = mem_calloc((size_t)t->generations + 1, sizeof *objects);
	for (uint32_t g = 0; g < t->generations; g++)
		objects[g] = object_of(j, s, part, g);
	for (size_t i = 0; i < t->codes.n; i++) {
		const struct jit_code *c = &t->codes.v[i];
		session_add_code(
			s, &(struct session_code){.pid = p->source.pid,
						  .time = p->timeless ? since : MAX(c->time, since),
						  .start = c->addr,
						  .end = c->end,
						  .object = objects[c->generation],
						  .first = p->timeless || !c->generation});
	}
	free(objects);
}

/* A dump knows the times, a map may know more functions: so it lies below. */
void jits_apply(struct jits *j, struct session *s)
{
	for (uint32_t i = 0; i < j->parts.n; i++) {
		struct jit_part *p = j->parts.v[i];
		if (p->dump)
			continue;
		p->timeless = *u64map_get(&j->pids, (uint32_t)p->source.pid) == 2;
		apply_part(j, s, i);
	}
	for (uint32_t i = 0; i < j->parts.n; i++)
		if (j->parts.v[i]->dump)
			apply_part(j, s, i);
}

const struct jit_table *jits_find(const struct jits *j, object_id object, uint32_t *generation)
{
	const uint32_t *at = j ? u64map_get(&j->by_object, object.v) : NULL;
	if (!at)
		return NULL;
	*generation = j->objects.v[*at].generation;
	return &j->parts.v[j->objects.v[*at].part]->table;
}

static const struct jit_code *code_of(const struct jits *j, object_id object, uint64_t addr,
				      const struct jit_table **table)
{
	uint32_t generation;
	*table = jits_find(j, object, &generation);
	return *table ? jit_table_find(*table, generation, addr) : NULL;
}

const struct jit_code *jits_code(const struct jits *j, object_id object, uint64_t addr)
{
	const struct jit_table *t;
	return code_of(j, object, addr, &t);
}

bool jits_line(const struct jits *j, object_id object, uint64_t addr, struct str *file,
	       uint32_t *line, uint32_t *column)
{
	const struct jit_table *t;
	const struct jit_code *c = code_of(j, object, addr, &t);
	return c && jit_code_line(t, c, addr, file, line, column);
}

bool jits_frames(const struct jits *j, object_id object, uint64_t addr, struct jit_frames *out,
		 uint64_t *start, uint64_t *end)
{
	const struct jit_table *t;
	const struct jit_code *c = code_of(j, object, addr, &t);
	if (!c || !jit_code_frames(t, c, out))
		return false;
	*start = c->addr;
	*end = c->end;
	return true;
}

const struct jit_table *jits_at(const struct jits *j, size_t i, struct jit_source *source,
				bool *is_dump)
{
	if (i >= j->parts.n)
		return NULL;
	*source = j->parts.v[i]->source;
	*is_dump = j->parts.v[i]->dump;
	return &j->parts.v[i]->table;
}

bool jits_know(const struct jits *j, int32_t pid)
{
	return j && u64map_get(&j->pids, (uint32_t)pid);
}
