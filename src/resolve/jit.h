/*
 * The tables of all code that was made at run time during a recording: from what the recording
 * kept, or from jitdumps that are still there. Read before the session is sealed, because they tell
 * it what lay where and when; asked for names afterwards.
 */
#ifndef KILN_RESOLVE_JIT_H
#define KILN_RESOLVE_JIT_H

#include "object/jit_code.h"
#include "session/session.h"

struct jits;

struct jits *jits_new(void);
void jits_free(struct jits *j);

/* From a jitdump's clock to the recording's: two moments by both clocks, and how to read a cycle
 * counter. All zero: not known. */
struct jit_clock {
	bool same; /* the recording has the jitdump's clock, CLOCK_MONOTONIC */
	uint64_t monotonic[2], recording[2];
	uint64_t tsc_shift, tsc_mult, tsc_zero; /* as TIME_CONV records have them */
};

/* A process whose code comes next. since: when it was first seen; path: where the file was, for
 * messages and as the name of the object. Maps and dumps of one process are apart. */
struct jit_source {
	int32_t pid;
	uint64_t since;
	struct str path;
};

/* A perf map as it grew: each call adds a piece of the text (borrowed for the call) that was not
 * there at `time`. */
struct jit_table *jits_begin_map(struct jits *j, const struct jit_source *s);

/* A jitdump; takes the bytes (heap memory, to be freed). False: it is none. */
MUST_USE bool jits_add_dump(struct jits *j, const struct jit_source *s,
			    const struct jit_clock *clock, struct str bytes, struct diags *d,
			    struct err *err);

/* Tells the session of all code. Before its seal. */
void jits_apply(struct jits *j, struct session *s);

/* The table that an object of the session stands for, and its generation there; NULL: none. */
const struct jit_table *jits_find(const struct jits *j, object_id object, uint32_t *generation);

/* The source line of an address of such an object. False: not known. */
MUST_USE bool jits_line(const struct jits *j, object_id object, uint64_t addr, struct str *file,
			uint32_t *line, uint32_t *column);
/* The code itself; NULL: none is known. */
const struct jit_code *jits_code(const struct jits *j, object_id object, uint64_t addr);
/* How to unwind the code at an address of such an object, and where that code begins and ends.
 * False: its runtime does not say, and frame pointers are the best guess. */
MUST_USE bool jits_frames(const struct jits *j, object_id object, uint64_t addr,
			  struct jit_frames *out, uint64_t *start, uint64_t *end);

/* One by one, once applied; NULL behind the last. Times are the recording's; *is_dump: else it is a
 * map, whose code is not known. */
const struct jit_table *jits_at(const struct jits *j, size_t i, struct jit_source *source,
				bool *is_dump);

/* Whether any table is of this process. */
bool jits_know(const struct jits *j, int32_t pid);

#endif
