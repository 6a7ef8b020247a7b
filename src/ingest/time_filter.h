/*
 * Which samples are wanted by their time, in perf's words (--time):
 *
 *   1234.5,1236        from one time to another, in seconds; either may be left out
 *   0,1 2,3            several such ranges, in order, separated by blanks
 *   10%/2              the second tenth of the recording; "10%" alone is the first
 *   0%-10%,30%-40%     parts of it; both forms make lists with commas
 */
#ifndef KILN_TIME_FILTER_H
#define KILN_TIME_FILTER_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct time_range {
	uint64_t start, end; /* nanoseconds, both belong to it; end 0: none */
};

struct time_filter {
	VEC(struct time_range) ranges; /* empty: every time is wanted */
};

/* Whether the text speaks of parts: then first and last of time_filter_parse() must be known. */
bool time_filter_wants_span(const char *text);

/* first, last: times of the first and last sample, which parts refer to. relative: the times of
 * ranges count from `first`, too. */
MUST_USE bool time_filter_parse(struct time_filter *f, const char *text, uint64_t first,
				uint64_t last, bool relative, struct err *err);
void time_filter_free(struct time_filter *f);

/* A sample without time is always wanted. */
bool time_filter_accepts(const struct time_filter *f, uint64_t time);

#endif
