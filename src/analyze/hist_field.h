/*
 * The columns of a report: keys, which tell entries apart, and numbers, which are added up. Two
 * lists come from perf's --sort and --fields: what entries are ordered by, and what is shown.
 */
#ifndef KILN_HIST_FIELD_H
#define KILN_HIST_FIELD_H

#include "base/err.h"

enum hist_field {
	FIELD_PID, /* thread id and name, as perf's key of this name; FIELD_TID is another name */
	FIELD_TID,
	FIELD_COMM,
	FIELD_DSO,
	FIELD_SYMBOL,
	FIELD_CPU,
	FIELD_SRCLINE,
	FIELD_SRCFILE,
	FIELD_TRACE, /* what the tracepoint said */
	FIELD_IPC,   /* an empty column that perf adds behind --sort symbol */
	FIELD_OVERHEAD,
	FIELD_OVERHEAD_SYS,
	FIELD_OVERHEAD_US,
	FIELD_OVERHEAD_GUEST_SYS,
	FIELD_OVERHEAD_GUEST_US,
	FIELD_CHILDREN,
	FIELD_SAMPLES,
	FIELD_PERIOD,
	FIELD_COUNT
};

static inline bool hist_field_is_key(enum hist_field f)
{
	return f < FIELD_OVERHEAD;
}

const char *hist_field_name(enum hist_field f);   /* in --sort and --fields */
const char *hist_field_header(enum hist_field f); /* column heading */
unsigned hist_field_width(enum hist_field f);     /* of a number's column */

struct hist_fields {
	enum hist_field sort[FIELD_COUNT]; /* first one decides */
	size_t sort_count;
	enum hist_field show[FIELD_COUNT]; /* from left to right */
	size_t show_count;
	uint32_t hidden; /* bit per field: one value only, said in the heading instead */
	bool self;       /* the overhead column is called "Self", beside "Children" */
	bool by_name;    /* functions of one name are one, wherever they lie; so are unknown ones */
};

struct hist_request {
	const char *sort;   /* --sort; a leading '+' adds to the default; NULL: the default */
	const char *fields; /* --fields; a leading '+' adds to the default columns; NULL: those */
	bool children;
	bool samples;     /* a column with the number of samples */
	bool period;      /* a column with the sum of periods */
	bool utilization; /* columns for kernel and user mode */
	bool tracepoints; /* all events are tracepoints: their text is the default key */
	bool ipc;         /* add FIELD_IPC where perf does */
};

MUST_USE bool hist_fields_set(struct hist_fields *f, const struct hist_request *r, struct err *err);

/* Children turned out to be impossible: takes their column out where it was not asked for. */
void hist_fields_no_children(struct hist_fields *f, const struct hist_request *r);

/* Hides these key columns, unless none would be left. */
void hist_fields_hide(struct hist_fields *f, uint32_t mask);

/* A key needs source lines. */
bool hist_fields_lines(const struct hist_fields *f);

bool hist_fields_sort_by(const struct hist_fields *f, enum hist_field field);
static inline bool hist_field_shown(const struct hist_fields *f, enum hist_field field)
{
	return !(f->hidden >> field & 1);
}

#endif
