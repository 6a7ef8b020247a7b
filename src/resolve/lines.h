/*
 * Debug information of all objects: which functions were inlined at an address, and on which source
 * lines. Opened when first asked for, in parallel; each object once.
 */
#ifndef KILN_RESOLVE_LINES_H
#define KILN_RESOLVE_LINES_H

#include "object/dwarf.h"
#include "resolve/resolve.h"

/* A place in the code; and what is there, innermost function first: n is 0 when nothing is known.
 * Lives as long as the resolver. */
struct resolve_query {
	object_id object;
	uint64_t addr; /* as in the object's symbol table */
	struct dwarf_frames found;
	uint64_t shift; /* address in the symbol table - address in the debug information */
};

/* Fills in `found` of all, which are in order of object. */
void resolver_lines(struct resolver *r, struct resolve_query *q, size_t n, struct pool *pool);

#endif
