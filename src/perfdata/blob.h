/*
 * Whole files that travel inside a recording: perf maps as they grew, jitdumps, unwind tables. Like the symbols of
 * embedded.h they are EVENT_UPDATE records, which perf takes for nothing; a file is packed with
 * zstd and cut into as many records as it needs.
 *
 * Behind what embedded_object() reads:
 *   u32 number of the file   u32 unused
 *   u64 since       when its process was first seen, by the recording's clock; 0: always there
 *   u64 clock[4]    two moments, each by CLOCK_MONOTONIC and by the recording's clock; all 0:
 * unknown u64 whole       bytes of the file, unpacked u64 packed      bytes of all pieces u64 at
 * where among them this piece belongs u64 n, then n bytes
 *
 * A perf map (EMBEDDED_TIMED_MAP) is a row of: u64 time, u64 length, text. The text was not there
 * yet at that time, and was when it was looked at next. Only lines that samples fell into, or may
 * have, are kept; so are the records of a jitdump (EMBEDDED_JITDUMP).
 */
#ifndef KILN_BLOB_H
#define KILN_BLOB_H

#include "base/err.h"
#include "perfdata/embedded.h"

/* What one file may hold: no runtime comes near it. */
#define BLOB_MAX ((size_t)1 << 30)

struct blob_clock {
	uint64_t monotonic[2], recording[2]; /* [0]: the earlier moment */
};

struct blob_piece {
	uint32_t number;
	uint64_t since;
	struct blob_clock clock;
	uint64_t whole, packed, at;
	struct str bytes;
};

/* Writes a file with as many records as it needs; false when it cannot be packed. */
MUST_USE bool blob_write(struct embedded_writer *w, const struct embedded_object *o,
			 const struct blob_piece *head, struct str file);

/* After embedded_object(). False: damaged. */
MUST_USE bool blob_read(struct cursor *c, struct blob_piece *out);

/* A file coming together. Zero-initialised is empty. */
struct blob {
	char *packed;
	uint64_t whole, size, got;
};
void blob_free(struct blob *b);
/* Pieces come in order; false: this one does not fit. */
MUST_USE bool blob_add(struct blob *b, const struct blob_piece *piece);
/* All of it, once every piece is there: heap memory, a NUL behind the last byte. False: pieces are
 * missing, or it does not unpack. */
MUST_USE bool blob_unpack(const struct blob *b, struct str *out);

#endif
