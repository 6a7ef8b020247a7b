/* What fold and flame share: any input to a profile, the choice of an event, the output file. */
#ifndef KILN_LOAD_H
#define KILN_LOAD_H

#include "base/diag.h"
#include "base/err.h"
#include "base/out.h"
#include "ingest/import.h"
#include "profile/profile.h"

struct ingest;

struct load_options {
	enum import_detail detail;
	const struct classic_options *classic; /* stacks of perf text as stackcollapse-perf.pl has
						  them; NULL: kiln's own */
};

struct loaded {
	enum input_kind kind;
	const struct profile *profile;
	struct profile *owned; /* imported text */
	struct ingest *ingest; /* perf.data; owns the profile */
};

/* perf.data, the text of perf script or folded stacks, told apart by content; "-" is standard
 * input. */
MUST_USE bool load_input(struct loaded *l, const char *path, const struct load_options *opt,
			 struct diags *d, struct err *err);
void load_close(struct loaded *l);

/* The event to show: the one of that name (modifiers may be left off), or the first that has
 * samples; a note tells when there are others. */
MUST_USE bool load_event(const struct loaded *l, const char *path, const char *name, event_id *out,
			 struct diags *d, struct err *err);

/* Opens a file for writing, NULL or "-" being standard output. */
MUST_USE bool output_open(struct out *o, const char *path, struct err *err);
/* Closes it; false when a write failed. A closed pipe is a normal end. */
MUST_USE bool output_close(struct out *o, const char *path, struct err *err);

#endif
