/* Inside of `kiln inject`: a recording on its way from one file to another. */
#ifndef KILN_CLI_INJECT_H
#define KILN_CLI_INJECT_H

#include "ingest/ingest.h"
#include "perfdata/writer.h"

struct inject {
	struct ingest *in;
	struct perfdata *pd;
	struct perfdata_writer *writer;
	const char *output;
	struct diags *diags;
	bool verbose;
	VEC(struct rec_build_id) ids; /* for the header; paths live in the arena */
	VEC(uint16_t) ids_misc;
	struct arena arena;
	uint64_t dropped; /* samples */
};

/* --- inject_jit.c: code made at run time as files of its own, and their mappings ------------- */

/* Whether the files made take the place of this mapping, which would hide them. */
bool inject_jit_replaces(const struct inject *j, const struct record *r);
/* Writes the files and the records of their mappings. */
MUST_USE bool inject_jit(struct inject *j, struct err *err);

/* --- inject_sched.c: how long threads slept, where they went to sleep ------------------------ */

struct sched_merge;
/* NULL: the recording has none of these events, or cannot be read. */
struct sched_merge *sched_merge_new(struct inject *j, struct err *err);
void sched_merge_free(struct sched_merge *m);
/* What to write in place of a sample: *out and *size, or nothing (size 0). */
void sched_merge_sample(struct sched_merge *m, const struct record *r, const uint8_t **out,
			size_t *size);

#endif
