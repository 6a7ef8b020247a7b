/*
 * Diagnostics: troubles that do not stop the work (lost records, missing symbols, a file cut
 * short). Each kind is counted, keeps the sentence of its first case, and is said once at the end
 * by cli. A diagnostic marked `partial` means the result is not whole: the exit status says so.
 *
 * One struct per run, filled from one thread at a time.
 */
#ifndef KILN_DIAG_H
#define KILN_DIAG_H

#include "base/base.h"
#include "base/str.h"

enum diag_kind {
	DIAG_TRUNCATED,       /* input ends in the middle of something */
	DIAG_CORRUPT,         /* bytes that contradict themselves; what follows is not read */
	DIAG_BAD_RECORD,      /* one record skipped */
	DIAG_UNKNOWN_RECORD,  /* record types we do not know, skipped */
	DIAG_UNKNOWN_FEATURE, /* header features we do not know, skipped */
	DIAG_BAD_FEATURE,     /* a header feature that does not parse */
	DIAG_UNFINISHED,      /* the recorder was killed; the file was never closed */
	DIAG_LOST_RECORDS,    /* the kernel's ring was full */
	DIAG_LOST_SAMPLES,    /* samples the kernel dropped */
	DIAG_THROTTLED,       /* the kernel slowed the sampling down */
	DIAG_NO_SYMBOLS,      /* an object whose symbols could not be read */
	DIAG_CHANGED_OBJECT,  /* file on disk is not the one that ran (build id differs) */
	DIAG_NO_KALLSYMS,     /* kernel addresses are hidden or belong to another kernel */
	DIAG_BAD_MAP_FILE,    /* a perf map that is not one, or not to be trusted */
	DIAG_BAD_CALLCHAIN,   /* a stack with nonsense in it, cut there */
	DIAG_CUT_STACK,       /* stacks that end where their copy ends */
	DIAG_LOST_STACK,      /* stacks that end in code nobody can unwind */
	DIAG_NO_CFI,          /* an object without unwind information that stacks went through */
	DIAG_BAD_LINE,        /* a line of text input that does not parse */
	DIAG_FALLBACK,        /* asked for one thing, used another */
	DIAG_NOTE,            /* anything else worth a line */
	DIAG_KIND_COUNT
};

struct diag {
	uint64_t count;
	bool partial;
	char first[320]; /* sentence of the first case */
	char hint[256];
};

struct diags {
	struct diag of[DIAG_KIND_COUNT];
};

/* Counts `n` cases of `kind`; the text is kept when it is the first. A NULL `d` is allowed. */
void diag_add(struct diags *d, enum diag_kind kind, uint64_t n, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* As diag_add(…, 1, …), and the result is not whole. */
void diag_partial(struct diags *d, enum diag_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* What to do about it; the first one given is kept. */
void diag_hint(struct diags *d, enum diag_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

bool diags_partial(const struct diags *d);

#endif
