/*
 * Debug files from the servers of DEBUGINFOD_URLS, which the library finds in the environment. It
 * is loaded when it is first needed: most machines have it, kiln can do without.
 */
#ifndef KILN_DEBUGINFOD_H
#define KILN_DEBUGINFOD_H

#include "base/build_id.h"
#include "base/err.h"

struct debuginfod_options {
	unsigned seconds; /* for everything together; then what is under way is given up */
	/* Called now and then while a file comes; `total` is 0 when not known. */
	void (*progress)(void *ctx, const char *object, uint64_t done, uint64_t total);
	/* Called behind the last of a file, if progress() was. */
	void (*end)(void *ctx);
	void *ctx;
};

struct debuginfod;

/* NULL when the library is not there. */
struct debuginfod *debuginfod_open(const struct debuginfod_options *opt, struct err *err);
void debuginfod_close(struct debuginfod *d);

/* Puts the path of the file into `path`: in the library's cache, where it stays. `object` is for
 * progress(). False: no server has it, or it did not come in time. */
MUST_USE bool debuginfod_fetch(struct debuginfod *d, const struct build_id *id, const char *object,
			       char *path, size_t size, struct err *err);

#endif
