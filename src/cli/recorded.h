/* The objects of a recording by their build ids: what buildid-list prints, buildid-cache looks for
 * and archive packs. */
#ifndef KILN_RECORDED_H
#define KILN_RECORDED_H

#include "base/arena.h"
#include "base/build_id.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/vec.h"

struct recorded_object {
	struct build_id id; /* size 0: not known */
	struct str path;    /* NUL-terminated */
};

struct recorded {
	struct arena arena; /* owns the paths */
	VEC(struct recorded_object) objects;
};

/* In perf's order: as the file lists them; or, when only those that samples were taken in are
 * wanted, or the file has no list, these, those listed first. */
MUST_USE bool recorded_read(struct recorded *r, const char *path, bool only_hits, struct diags *d,
			    struct err *err);
void recorded_free(struct recorded *r);

#endif
