/*
 * Perf maps and jitdumps as they lie around when a recording is read. Their names are guessed from
 * a process number, in a directory that everybody writes to; so the file may be somebody else's, or
 * of another process that has had the number since.
 */
#ifndef KILN_JIT_FILE_H
#define KILN_JIT_FILE_H

#include "base/err.h"
#include "base/str.h"

struct jit_file {
	const char *path; /* as its process saw it; a perf map: with the outer number */
	int32_t pid;      /* as recorded */
	bool is_map;      /* "/tmp/perf-NUMBER.map", by the process's own number */
	int64_t started;  /* seconds since 1970: when the process began; 0: not known */
	int64_t recorded; /* when the recording ended; 0: not known */
	bool force;       /* whoever it belongs to */
};

/* The whole file, in heap memory. False: there is none (ERR_SYSTEM and ENOENT), or it is not to be
 * trusted, and why. */
MUST_USE bool jit_file_read(const struct jit_file *f, struct str *out, struct err *err);

#endif
