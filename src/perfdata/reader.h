/*
 * Inside of the reader; only for the files that make it up (perfdata.c, header.c, features.c,
 * walk.c, spool.c, directory.c). The bytes of a map stay where they are until close, so whatever
 * points into it is simply kept; a file that somebody cuts while it is being read ends the process,
 * as with any mapped file.
 *
 * Opening goes: get the input into a map (spooling pipes) -> file header and attrs -> one walk over
 * all record headers, which cuts the chunks, takes in what header records say, and unpacks
 * compressed data into a second map -> features -> names.
 */
#ifndef KILN_READER_H
#define KILN_READER_H

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "perfdata/perfdata.h"

#define HEADER_FILE 104 /* bytes of a file's header; an old one may end before the features */
#define HEADER_FILE_OLD 72
#define HEADER_PIPE 16

/* Large enough that the work per chunk does not matter, small enough that a mapped chunk per
 * thread does not either. */
#define CHUNK_BYTES ((size_t)2 << 20)

struct chunk {
	const uint8_t *p;
	size_t n;
	uint64_t offset;
};

/* A run of records in one map. */
struct segment {
	const char *name;
	const uint8_t *p;
	size_t n;
	uint64_t offset;   /* of p, for messages; grows from segment to segment */
	uint64_t expected; /* bytes there should be; more than n when the file is cut short */
	bool to_eof;       /* nobody knows where it ends: the recorder did not say */
	bool unpacked;     /* came out of COMPRESSED records */
};

/* An EVENT_UPDATE may come before its event. */
struct pending_update {
	uint64_t kind, id;
	struct str text;
};

struct perfdata {
	const char *name; /* for messages */
	const char *temp_dir;
	struct diags *diags;
	struct arena arena;
	VEC(struct mapped) maps; /* the first one is the input */
	bool swap;
	struct perfdata_header header;

	VEC(struct perfdata_event) events;
	struct u64map by_id; /* id -> index of event */
	size_t id_bytes;     /* of all id arrays, bounded by the size of the input */
	bool sample_has_id, trailer_has_id;
	size_t sample_id_word, trailer_id_word; /* where, as attr_id_in_*() say */
	VEC(struct pending_update) updates;
	VEC(struct str) embedded; /* UPDATE_SYMBOLS payloads */

	struct str features[256];
	VEC(struct rec_build_id) build_ids;
	struct pmu_name {
		uint32_t type;
		struct str name;
	} * pmus;
	size_t pmu_count;

	VEC(struct chunk) chunks;
};

/* --- header.c --- */

/* Reads the file or pipe header and the attrs; says where the records are. */
MUST_USE bool header_read(struct perfdata *pd, struct segment *data, struct err *err);

/* Feature sections of a file, once the header is known. */
void header_features(struct perfdata *pd);

/* Adds an event; id_bytes are its ids, 8 bytes each, as they lie in the input. */
void event_add(struct perfdata *pd, const struct attr *attr, struct str id_bytes);

/* --- features.c --- */

/* Decodes the features that struct perfdata_header and the events hold. */
void features_decode(struct perfdata *pd);

/* --- walk.c --- */

MUST_USE bool walk(struct perfdata *pd, const struct segment *s, struct err *err);

/* Bytes from this record's header to the next one's, with what lies behind the record itself; 0
 * when it is malformed or does not fit into `left`. */
size_t tool_record_span(const uint8_t *p, size_t left, bool swap);

static inline uint32_t header_type(const uint8_t *p, bool swap)
{
	uint32_t type = load32(p);
	return swap ? swap32(type) : type;
}

static inline uint16_t header_size(const uint8_t *p, bool swap)
{
	uint16_t size = load16(p + 6);
	return swap ? swap16(size) : size;
}

static inline size_t record_span(const uint8_t *p, size_t left, bool swap)
{
	if (UNLIKELY(left < 8))
		return 0;
	if (UNLIKELY(header_type(p, swap) >= RECORD_HEADER_ATTR))
		return tool_record_span(p, left, swap);
	size_t size = header_size(p, swap);
	return LIKELY(size >= 8 && size <= left && size % 8 == 0) ? size : 0;
}

static inline struct record record_view(const uint8_t *p, bool swap, uint64_t offset)
{
	uint16_t misc = load16(p + 4), size = header_size(p, swap);
	return (struct record){
		.type = header_type(p, swap),
		.misc = swap ? swap16(misc) : misc,
		.size = size,
		.body = p + 8,
		.body_size = (size_t)MAX(size, 8) - 8,
		.offset = offset,
		.swap = swap,
	};
}

/* --- directory.c --- */

/* The files beside the `data` of a directory, which has been read. */
MUST_USE bool directory_read(struct perfdata *pd, const char *dir, struct err *err);

/* --- spool.c --- */

/* Maps fd whole if it is a regular file; otherwise reads it to its end into a temporary file and
 * maps that. */
MUST_USE bool spool_map(struct perfdata *pd, int fd, struct err *err);

/* Unpacks the records from `s`, whose first one is compressed, to a temporary file: what was
 * compressed takes the place of what holds it, the rest is copied. *out is the new segment. Damage
 * is a diagnostic. */
MUST_USE bool spool_unpack(struct perfdata *pd, const struct segment *s, struct segment *out,
			   struct err *err);

/* The pages of [p, p+n) will not be needed soon. */
void map_release(const uint8_t *p, size_t n);

#endif
