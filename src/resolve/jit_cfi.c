#include "resolve/jit_cfi.h"

#include <stdlib.h>

#include "arch/arch.h"

/* What was compiled so far; a table that is not worth asking has no rows. */
struct jit_cfi {
	const struct session *session;
	const struct jits *jits;
	const struct arch *arch;
	struct u64map by_code; /* hash of object and start -> index in tables */
	VEC(struct cfi_table *) tables;
};

/* CPython 3.12 (-X perf) calls every function through a copy of the same eleven bytes, of which a
 * perf map gives the name alone: sub $8,%rsp; call *%rcx; add $8,%rsp; ret. */
#define PYTHON_SIZE 11

static bool is_python(const struct jit_cfi *c, const struct jit_code *code)
{
	return c->arch == &arch_x86_64 && code && code->end - code->addr == PYTHON_SIZE &&
	       str_starts(str_of(code->name), "py::");
}

/* CFA is rsp+8, rsp+16 from byte 4 to byte 10; read as if it lay 16 bytes behind the start. */
static const uint8_t python_frames[] = {
	0x14, 0,    0,    0,    0,    0,    0,    0,    1,    'z',  'R',         0,    1,
	0x78, 0x10, 1,    0x1b, 0x0c, 7,    8,    0x90, 1,    0,    0,           0x14, 0,
	0,    0,    0x1c, 0,    0,    0,    0xd0, 0xff, 0xff, 0xff, PYTHON_SIZE, 0,    0,
	0,    0,    0x44, 0x0e, 0x10, 0x46, 0x0e, 8,    0,    0,    0,           0,    0,
};

static bool frames_of(const struct jit_cfi *c, object_id object, uint64_t addr,
		      struct jit_frames *out, uint64_t *start)
{
	uint64_t end;
	if (jits_frames(c->jits, object, addr, out, start, &end))
		return true;
	const struct jit_code *code = jits_code(c->jits, object, addr);
	if (!is_python(c, code))
		return false;
	*start = code->addr;
	*out = (struct jit_frames){
		.eh_frame = python_frames, .size = sizeof python_frames, .at = code->addr + 16};
	return true;
}

/* Whether there is anything to be asked for: each question costs. */
static bool any_frames(const struct jit_cfi *c)
{
	const struct jit_table *t;
	struct jit_source source;
	bool is_dump;
	for (size_t i = 0; c->jits && (t = jits_at(c->jits, i, &source, &is_dump)); i++) {
		for (size_t k = 0; k < t->loads.n; k++)
			if (t->loads.v[k].eh_frame)
				return true;
		for (size_t k = 0; k < t->codes.n; k++)
			if (is_python(c, &t->codes.v[k]))
				return true;
	}
	return false;
}

struct jit_cfi *jit_cfi_new(const struct session *s, const struct jits *j, const char *machine)
{
	struct jit_cfi c = {.session = s,
			    .jits = j,
			    .arch = machine ? arch_by_name(str_of(machine)) : arch_native()};
	return c.arch && any_frames(&c) ? mem_dup(&c, sizeof c) : NULL;
}

void jit_cfi_free(struct jit_cfi *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->tables.n; i++) {
		if (c->tables.v[i])
			cfi_free(c->tables.v[i]);
		free(c->tables.v[i]);
	}
	vec_free(&c->tables);
	u64map_free(&c->by_code);
	free(c);
}

static struct cfi_table *compile(const struct jit_cfi *c, const struct jit_frames *f)
{
	struct cfi_input in = {.arch = c->arch};
	in.sections[0] = (struct cfi_section){
		.data = str_make((const char *)f->eh_frame, f->size), .addr = f->at, .eh = true};
	struct cfi_table *t = mem_zalloc(sizeof *t);
	if (cfi_build(t, &in))
		return t;
	free(t);
	return NULL;
}

const struct cfi_table *jit_cfi_find(void *ctx, uint32_t process, uint64_t addr, uint64_t time)
{
	struct jit_cfi *c = ctx;
	struct jit_frames frames;
	uint64_t start;
	object_id object = session_place_at(c->session, process, false, addr, time).object;
	if (!frames_of(c, object, addr, &frames, &start))
		return NULL;
	uint64_t key = hash_mix(object.v, start);
	const uint32_t *known = u64map_get(&c->by_code, key);
	if (known)
		return c->tables.v[*known];
	u64map_put(&c->by_code, key, (uint32_t)c->tables.n);
	vec_push(&c->tables, compile(c, &frames));
	return vec_last(&c->tables);
}
