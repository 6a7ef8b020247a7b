/*
 * From symbols in file order to a look-up table, with perf's rules: sizes are filled in from the
 * next symbol, of symbols at one address the best stays, and where symbols overlap the answer is
 * the one perf's search tree would give.
 */
#ifndef KILN_SYMTAB_BUILD_H
#define KILN_SYMTAB_BUILD_H

#include "object/object.h"
#include "object/sort.h"

/* perf reads .symtab, then .dynsym, then the PLT, and tidies up after the first two. */
#define BUILD_PASSES 3

struct symtab_build {
	VEC(struct symbol) all;    /* in order of insertion */
	VEC(struct sort_key) live; /* those not dropped yet, by start */
	VEC(uint32_t) dropped;     /* in the order in which perf takes them out of its tree */
	struct {
		size_t inserted; /* ends in `all` and `dropped` of each pass */
		size_t dropped;
	} pass[BUILD_PASSES];
	unsigned passes;
	bool mangled;       /* aliases are compared by their demangled names … */
	uint64_t demangled; /* … until this many bytes were spent on that */
};

void symtab_build_free(struct symtab_build *b);

/* size 0: unknown. */
void symtab_build_insert(struct symtab_build *b, uint64_t start, uint64_t size, const char *name,
			 uint8_t binding, uint8_t type);

/* Ends a pass. With `tidy`, gives symbols without size an end (that of a page for the last one) and
 * keeps one symbol per address. */
void symtab_build_pass(struct symtab_build *b, bool tidy);

/* Which ranges matter where symbols overlap: those for which `wanted` is true (NULL: all). */
struct symtab_wanted {
	bool (*fn)(const void *ctx, uint64_t from, uint64_t to);
	const void *ctx;
};

/* Fills t->syms and t->patches. */
void symtab_build_finish(struct symtab_build *b, struct symtab *t, struct symtab_wanted wanted);

/* Of two symbols at one address: whether perf keeps a, the one inserted first. */
bool symbol_preferred(const struct symbol *a, const struct symbol *b, bool mangled);

#endif
