/* Debug files from the network: only when asked for, and only for what is worth it. */
#include <stdlib.h>

#include "object/debuginfod.h"
#include "resolve/state.h"

/* Its symbols and its debug information are then read again, from the file that came. */
static void use_fetched(struct resolver *r, struct entry *e, const struct session_object *o,
			const char *path)
{
	struct symtab t;
	e->fetched = mem_strdup(path);
	struct object_source src = resolver_source(r, o, e);
	if (symtab_load_elf(&t, &src, NULL, NULL) && t.syms.n) {
		symtab_free(&e->own);
		e->own = t;
		e->table = &e->own;
		e->diags = (struct diags){0};
	} else {
		symtab_free(&t);
	}
	e->debug_tried = false;
}

/* Whether the machine itself has it. Kept, for it will be asked for lines. */
static bool has_debug(struct resolver *r, struct entry *e, const struct session_object *o)
{
	if (!e->debug_tried) {
		struct object_source src = resolver_source(r, o, e);
		e->debug = debug_info_open(&src);
		e->debug_tried = true;
	}
	return e->debug;
}

static void fetch_all(struct resolver *r, const object_id *objects, size_t n, struct diags *d)
{
	struct debuginfod *from = NULL;
	for (size_t i = 0; i < n; i++) {
		struct entry *e = r->entries[objects[i].v];
		const struct session_object *o = session_object(r->session, objects[i]);
		char path[4096];
		struct err err = {0};
		if (!e || o->kind != OBJECT_FILE || !o->build_id.size || e->fetched ||
		    has_debug(r, e, o))
			continue;
		if (!from && !(from = debuginfod_open(r->opt.debuginfod, &err))) {
			diag_add(d, DIAG_FALLBACK, 1, "%s", err.text);
			diag_hint(d, DIAG_FALLBACK, "%s", err.hint);
			return;
		}
		if (debuginfod_fetch(from, &o->build_id, session_str(r->session, o->name).p, path,
				     sizeof path, &err))
			use_fetched(r, e, o, path);
		else
			diag_add(d, DIAG_FALLBACK, 1, "%s", err.text);
	}
	debuginfod_close(from);
}

void resolver_fetch(struct resolver *r, const object_id *objects, size_t n, struct diags *d)
{
	if (!r->opt.debuginfod)
		return;
	fetch_all(r, objects, n, d);
	for (size_t i = 0; i < session_object_count(r->session); i++)
		if (r->entries[i])
			resolver_tell(r->entries[i], d);
}
