/*
 * Text input, line by line, in constant memory: from a descriptor through one buffer, or from
 * memory. Lines longer than LINE_MAX_BYTES are cut there; the rest of such a line is skipped.
 */
#ifndef KILN_LINES_H
#define KILN_LINES_H

#include "base/err.h"
#include "base/str.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)

struct lines {
	const char *name; /* of the input, for messages */
	uint64_t number;  /* of the line last taken, from 1 */
	bool cut;         /* the line last taken was longer than LINE_MAX_BYTES */

	int fd; /* -1: in memory */
	bool eof;
	int error;        /* errno of a failed read */
	const char *data; /* what is there to take: data[at, end) */
	size_t at, end;
	char *buf; /* owned; NULL in memory */
	size_t cap;
};

/* The descriptor stays the caller's. */
void lines_open_fd(struct lines *l, int fd, const char *name);
void lines_open_memory(struct lines *l, struct str text, const char *name);
void lines_close(struct lines *l);

/* The first bytes of the input (up to 64 KB), borrowed, without taking them. */
struct str lines_peek(struct lines *l);

/* The next line without its '\n', borrowed until the next call; false at the end or when reading
 * failed. */
bool lines_next(struct lines *l, struct str *line);

/* All that was not yet taken, to another descriptor. */
MUST_USE bool lines_copy(struct lines *l, int fd, struct err *err);

/* False and *err when reading failed on the way. */
MUST_USE bool lines_ok(const struct lines *l, struct err *err);

#endif
