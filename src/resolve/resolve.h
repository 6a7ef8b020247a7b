/*
 * Which code: (object, address) -> symbol. Symbol tables are loaded when an object is first hit, in
 * parallel, each once. Owns all symbol tables.
 */
#ifndef KILN_RESOLVE_H
#define KILN_RESOLVE_H

#include "base/diag.h"
#include "base/pool.h"
#include "object/object.h"
#include "session/session.h"

struct resolve_options {
	const char *symfs;
	const char *build_id_dir; /* perf's cache, "~/.debug" */
	const char *kallsyms;     /* --kallsyms FILE; NULL: the cache, then /proc/kallsyms */
	bool demangle;
};

struct resolver;

struct resolver *resolver_new(const struct session *s, const struct resolve_options *opt);
void resolver_free(struct resolver *r);

/* Loads the symbol tables of these objects (ids into the session) on the pool. */
void resolver_load(struct resolver *r, const object_id *objects, size_t n, struct pool *pool,
		   struct diags *d);

/* After resolver_load() of its object. NULL when nothing is known there. */
const struct symbol *resolver_symbol(const struct resolver *r, object_id object, uint64_t addr);

/* The names of this object may need demangle(). */
bool resolver_mangled(const struct resolver *r, object_id object);

/* Recorded address - address in the object's symbol table: not 0 for a kernel that lay elsewhere.
 */
uint64_t resolver_bias(const struct resolver *r, object_id object);

/* False for a kernel address that neither the kernel's mapping nor its symbols cover: the place was
 * only guessed, and is nobody's. */
bool resolver_covers(const struct resolver *r, object_id object, uint64_t addr);

#endif
