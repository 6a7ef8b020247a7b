#include "resolve/unwind_jit.h"

void unwind_jit_free(struct unwind_jit *j)
{
	for (size_t i = 0; i < j->tables.n; i++) {
		cfi_free(j->tables.v[i]);
		free(j->tables.v[i]);
	}
	vec_free(&j->tables);
	u64map_free(&j->known);
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
	uint64_t start, end;
	if (!j->jits || !jits_frames(j->jits, object, addr, &frames, &start, &end))
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
