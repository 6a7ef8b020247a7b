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

enum recorded_which {
	RECORDED_LISTED, /* as the file lists them; when it has no list, as RECORDED_HITS */
	RECORDED_HITS,   /* that samples were taken in, those listed first */
	RECORDED_MAPPED, /* all that were mapped */
};

/* In perf's order. */
MUST_USE bool recorded_read(struct recorded *r, const char *path, enum recorded_which which,
			    struct diags *d, struct err *err);
void recorded_free(struct recorded *r);

#endif
