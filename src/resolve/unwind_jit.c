#include "resolve/unwind_jit.h"

#include <stdlib.h>

#include "arch/arch.h"

void unwind_jit_free(struct unwind_jit *j)
{
	for (size_t i = 0; i < j->tables.n; i++) {
		cfi_free(j->tables.v[i]);
		free(j->tables.v[i]);
	}
	vec_free(&j->tables);
	u64map_free(&j->known);
}

/* CPython 3.12 (-X perf) calls every function through a copy of the same eleven bytes, of which a
 * perf map gives the name alone: sub $8,%rsp; call *%rcx; add $8,%rsp; ret. */
#define PYTHON_SIZE 11

/* CFA is rsp+8, rsp+16 from byte 4 to byte 10; read as if it lay 16 bytes behind the start. */
static const uint8_t python_frames[] = {
	0x14, 0,    0,    0,    0,    0,    0,    0,    1,    'z',  'R',         0,    1,
	0x78, 0x10, 1,    0x1b, 0x0c, 7,    8,    0x90, 1,    0,    0,           0x14, 0,
	0,    0,    0x1c, 0,    0,    0,    0xd0, 0xff, 0xff, 0xff, PYTHON_SIZE, 0,    0,
	0,    0,    0x44, 0x0e, 0x10, 0x46, 0x0e, 8,    0,    0,    0,           0,    0,
};

static bool find_frames(const struct unwind_jit *j, object_id object, uint64_t addr,
			struct jit_frames *out, uint64_t *start)
{
	uint64_t end;
	if (jits_frames(j->jits, object, addr, out, start, &end))
		return true;
	const struct jit_code *code = jits_code(j->jits, object, addr);
	if (j->arch != &arch_x86_64 || !code || code->end - code->addr != PYTHON_SIZE ||
	    !str_starts(str_of(code->name), "py::"))
		return false;
	*start = code->addr;
	*out = (struct jit_frames){
		.eh_frame = python_frames, .size = sizeof python_frames, .at = code->addr + 16};
	return true;
}

static struct cfi_table *build(const struct unwind_jit *j, const struct jit_frames *f)
{
	struct cfi_table *t = mem_zalloc(sizeof *t);
	struct cfi_input in = {.arch = j->arch};
	in.sections[0] = (struct cfi_section){
		{(const char *)f->eh_frame, f->size}, .addr = f->at, .eh = true};
	in.sections[1].data = STR("");
	(void)!cfi_build(t, &in); /* an empty table says as much */
	return t;
}

const struct cfi_rule *unwind_jit_rule(struct unwind_jit *j, object_id object, uint64_t addr,
				       const struct cfi_table **table)
{
	struct jit_frames frames;
	uint64_t start;
	if (!j->jits || !find_frames(j, object, addr, &frames, &start))
		return NULL;
	uint64_t key = hash_mix(start, object.v);
	const uint32_t *known = u64map_get(&j->known, key);
	uint32_t index = known ? *known : (uint32_t)j->tables.n;
	if (!known) {
		vec_push(&j->tables, build(j, &frames));
		u64map_put(&j->known, key, index);
	}
	*table = j->tables.v[index];
	return (*table)->row_count ? cfi_find(*table, addr) : NULL;
}
