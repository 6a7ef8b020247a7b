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

struct object_source resolver_source(const struct resolver *r, const struct session_object *o);

#endif
