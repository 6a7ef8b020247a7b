/*
 * The cache of objects by build id that perf and kiln share (~/.debug):
 *
 *   DIR/PATH/ID/elf              a copy of PATH as it was; "vdso" and "kallsyms" for these
 *   DIR/PATH/ID/debug            its separate debug file, when there was one
 *   DIR/.build-id/XX/REST        -> ../../PATH/ID, where XX are the first two digits of ID
 */
#ifndef KILN_ID_CACHE_H
#define KILN_ID_CACHE_H

#include "base/arena.h"
#include "base/build_id.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct id_cache_entry {
	struct str id;   /* hexadecimal */
	struct str path; /* of the file it was copied from */
	uint64_t bytes;  /* of all its files */
	int64_t used;    /* seconds since 1970, when it was last read or made */
};

struct id_cache_list {
	struct arena arena;
	VEC(struct id_cache_entry) entries; /* by id */
};

/* Everything there is; an empty list when there is no such directory. */
void id_cache_list(struct id_cache_list *l, const char *dir);
void id_cache_list_free(struct id_cache_list *l);

bool id_cache_has(const char *dir, const struct build_id *id);

/*
 * Puts a copy of `file` there. `name` is the path it is known by (absolute, without ".." in it, or
 * "[vdso]" and the like). What is there already stays; *added tells.
 */
MUST_USE bool id_cache_add(const char *dir, const struct build_id *id, const char *name,
			   const char *file, bool *added, struct err *err);

/* False also when it is not there. */
MUST_USE bool id_cache_remove(const char *dir, struct str id, struct err *err);

#endif
