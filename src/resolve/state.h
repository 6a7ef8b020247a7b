/* Inside of resolve: its state. */
#ifndef KILN_RESOLVE_STATE_H
#define KILN_RESOLVE_STATE_H

#include "object/debug_info.h"
#include "resolve/embedded.h"
#include "resolve/kernel.h"
#include "resolve/resolve.h"

/* The symbols of one object; objects that share a table (kernel, modules) point at it. */
struct entry {
	bool loaded;
	const struct symtab *table; /* NULL: no symbols */
	struct symtab own;
	struct symbol whole;      /* OBJECT_BPF: the object is its one symbol */
	struct diags diags;       /* of loading; merged in order, so that threads do not show */
	struct debug_info *debug; /* NULL: none, or not asked for yet */
	bool debug_tried;
	char *fetched; /* path of the debug file that was downloaded; NULL: none */
};

struct resolver {
	const struct session *session;
	struct resolve_options opt;
	struct entry **entries; /* by object id; NULL until asked for */
	struct kernel_symbols kernel;
	bool kernel_tried;
	struct embedded_tables embedded;
	VEC(struct dwarf_results) line_results;
};

/* Passes on what there was to be said about loading it, once. */
void resolver_tell(struct entry *e, struct diags *to);

/* Where an object's files are looked for; e may be NULL. */
struct object_source resolver_source(const struct resolver *r, const struct session_object *o,
				     const struct entry *e);

#endif
