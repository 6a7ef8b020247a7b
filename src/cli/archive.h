/* What `archive` does: the binaries of a recording in one file, laid out as the cache of build ids
 * is (object/id_cache.h), and back into the cache. */
#ifndef KILN_ARCHIVE_H
#define KILN_ARCHIVE_H

#include "base/diag.h"
#include "base/err.h"

struct archive_plan {
	const char *recording;
	const char *output;
	const char *cache;   /* where binaries are looked for that are not on disk as they were */
	bool with_recording; /* as "perf.data" */
	bool everything;     /* all that was mapped, not only where samples were taken */
};

struct archive_count {
	size_t files, missing;
};

MUST_USE bool archive_write(const struct archive_plan *p, struct archive_count *count,
			    struct diags *d, struct err *err);

/* Into the cache; a recording goes to `recording`, which must not be there yet. Nothing is written
 * elsewhere, whatever the archive says. */
MUST_USE bool archive_unpack(const char *archive, const char *cache, const char *recording,
			     struct archive_count *count, struct err *err);

#endif
