/*
 * Importers: text in, profile out. All read through struct lines, keep no text but names, and count
 * lines that do not parse in DIAG_BAD_LINE with the number of the first. False only when reading
 * failed.
 */
#ifndef KILN_IMPORT_H
#define KILN_IMPORT_H

#include "base/diag.h"
#include "base/err.h"
#include "ingest/lines.h"
#include "profile/profile.h"

enum input_kind { INPUT_PERFDATA, INPUT_FOLDED, INPUT_PERF_SCRIPT, INPUT_UNKNOWN };

/* By content: the first bytes of an input. */
enum input_kind input_sniff(const void *p, size_t n);

/* How finely rows are kept apart. What is not asked for is -1 in the threads, as is a process id
 * that the text does not tell. */
enum import_detail { IMPORT_BY_COMM, IMPORT_BY_PROCESS, IMPORT_BY_THREAD };

/* Folded stacks: "a;b;c 12" per line, root first. One event, "samples"; every frame is a function
 * without object, thread is none. Suffixes _[k] _[j] _[i] stay in the name and set kind and flags.
 */
MUST_USE bool import_folded(struct profile *p, struct lines *in, struct diags *d, struct err *err);

/* The text of `perf script`, any variant. Each stack becomes a row of its own event; the weight is
 * the period, 1 where none is printed. Addresses are kept for unresolved frames only. */
MUST_USE bool import_perf_script(struct profile *p, struct lines *in, enum import_detail detail,
				 struct diags *d, struct err *err);

/* What stackcollapse-perf.pl makes of the text of `perf script`, quirks included. */
struct classic_options {
	bool pid, tid;     /* root is COMM-PID, COMM-PID/TID */
	bool kernel, jit;  /* suffixes _[k], _[j] */
	bool addrs;        /* [unknown <ADDR>] */
	bool srcline;      /* each frame is followed by a line with its source line */
	const char *event; /* NULL: the first one seen */
};

/* As import_folded: the root is the first frame. One event, named by the text. */
MUST_USE bool import_classic(struct profile *p, struct lines *in, const struct classic_options *opt,
			     struct diags *d, struct err *err);

#endif
