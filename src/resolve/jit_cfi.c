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

static bool any_frames(const struct jits *j)
{
	const struct jit_table *t;
	struct jit_source source;
	bool is_dump;
	for (size_t i = 0; j && (t = jits_at(j, i, &source, &is_dump)); i++)
		for (size_t k = 0; k < t->loads.n; k++)
			if (t->loads.v[k].eh_frame)
				return true;
	return false;
}

struct jit_cfi *jit_cfi_new(const struct session *s, const struct jits *j, const char *machine)
{
	const struct arch *arch = machine ? arch_by_name(str_of(machine)) : arch_native();
	if (!arch || !any_frames(j))
		return NULL;
	struct jit_cfi *c = mem_zalloc(sizeof *c);
	c->session = s;
	c->jits = j;
	c->arch = arch;
	return c;
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
	uint64_t start, end;
	object_id object = session_place_at(c->session, process, false, addr, time).object;
	if (!jits_frames(c->jits, object, addr, &frames, &start, &end))
		return NULL;
	uint64_t key = hash_mix(object.v, start);
	const uint32_t *known = u64map_get(&c->by_code, key);
	if (known)
		return c->tables.v[*known];
	u64map_put(&c->by_code, key, (uint32_t)c->tables.n);
	vec_push(&c->tables, compile(c, &frames));
	return vec_last(&c->tables);
}
