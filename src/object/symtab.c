#include "object/object.h"

void symtab_free(struct symtab *t)
{
	vec_free(&t->syms);
	vec_free(&t->patches);
	arena_free(&t->arena);
	file_unmap(&t->map);
	file_unmap(&t->mini);
	*t = (struct symtab){0};
}

static const struct symtab_patch *patch_at(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->patches.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->patches.v[mid].from <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < t->patches.v[lo - 1].to ? &t->patches.v[lo - 1] : NULL;
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
	const struct symtab_patch *patch = t->patches.n ? patch_at(t, addr) : NULL;
	if (patch)
		return patch->symbol == UINT32_MAX ? NULL : &t->syms.v[patch->symbol];

	/* The last symbol that starts at or before addr. */
	const struct symbol *base = t->syms.v;
	size_t n = t->syms.n;
	if (!n || addr < base->start)
		return NULL;
	while (n > 1) {
		size_t half = n / 2;
		base = base[half].start <= addr ? base + half : base;
		n -= half;
	}
	return addr < base->end || addr == base->start ? base : NULL;
}
