/* What fold and flame share: any input to a profile, the choice of an event, the output file. */
#ifndef KILN_LOAD_H
#define KILN_LOAD_H

#include "base/diag.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/common.h"
#include "ingest/ingest.h"

struct load_options {
	struct input_options *input; /* where it is, and for perf.data how to read it */
	enum import_detail detail;
	const struct classic_options *classic; /* stacks as stackcollapse-perf.pl has them; NULL:
						  kiln's own */
	/* Only for perf.data: */
	bool no_callchains; /* samples without their stacks */
	bool by_cpu;        /* rows differ by CPU, too, */
	bool by_trace;      /* by what tracepoints say, too */
	bool lines;         /* with source lines */
	bool merge_threads; /* with IMPORT_BY_THREAD: rows have the first thread of their name */
};

struct loaded {
	const char *name; /* for messages */
	enum input_kind kind;
	const struct profile *profile;
	struct profile *owned; /* text, and all that is classic */
	struct ingest *ingest; /* perf.data; owns the profile */
};

/* perf.data, the text of perf script or folded stacks, told apart by content; "-" is standard
 * input. */
MUST_USE bool load_input(struct loaded *l, const struct load_options *opt, struct diags *d,
			 struct err *err);
void load_close(struct loaded *l);

/* The event to show: the one of that name (modifiers may be left off), or the first that has
 * samples; a note tells when there are others. */
MUST_USE bool load_event(const struct loaded *l, const char *name, event_id *out, struct diags *d,
			 struct err *err);

/* The run() of a command with one input: takes its name from the words behind the options, does the
 * work, says what there is to say. */
int load_run(const struct command *cmd, const struct parsed *args, struct input_options *in,
	     bool (*work)(struct diags *d, struct err *err));

/* Opens a file for writing, NULL or "-" being standard output. */
MUST_USE bool output_open(struct out *o, const char *path, struct err *err);
/* Closes it; false when a write failed. A closed pipe is a normal end. */
MUST_USE bool output_close(struct out *o, const char *path, struct err *err);

#endif
