/*
 * Symbols that came inside the recording: one table per object, found by what the session calls the
 * object. They stand in for files that are missing, or are not the recorded ones.
 */
#ifndef KILN_RESOLVE_EMBEDDED_H
#define KILN_RESOLVE_EMBEDDED_H

#include "base/hash.h"
#include "resolve/resolve.h"

struct embedded_table {
	struct embedded_key key;
	VEC(struct symbol) found; /* as added, until sealed */
	struct symtab table;
};

struct embedded_tables {
	VEC(struct embedded_table *) v;
	struct index by_path;
};

void embedded_tables_free(struct embedded_tables *t);

/* The object's own; made when it is new. */
struct embedded_table *embedded_tables_put(struct embedded_tables *t,
					   const struct embedded_key *key);
/* After the last symbol. */
void embedded_tables_seal(struct embedded_tables *t);

/* NULL when nothing came for this object. */
const struct embedded_table *embedded_tables_find(const struct embedded_tables *t,
						  const struct session_object *o, struct str path);
/* The kernel's and its modules' share one. */
const struct symtab *embedded_tables_kernel(const struct embedded_tables *t);

#endif
