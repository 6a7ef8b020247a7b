/*
 * The text of `perf script`: every sample in order of time, one line or one block of lines each,
 * byte for byte as perf prints it.
 */
#ifndef KILN_EVENT_TEXT_H
#define KILN_EVENT_TEXT_H

#include "base/out.h"
#include "ingest/ingest.h"

enum text_field {
	TEXT_COMM = 1 << 0,
	TEXT_TID = 1 << 1,
	TEXT_PID = 1 << 2,
	TEXT_TIME = 1 << 3,
	TEXT_CPU = 1 << 4,
	TEXT_EVENT = 1 << 5,
	TEXT_TRACE = 1 << 6,
	TEXT_IP = 1 << 7,
	TEXT_SYM = 1 << 8,
	TEXT_DSO = 1 << 9,
	TEXT_ADDR = 1 << 10,
	TEXT_SYMOFF = 1 << 11,
	TEXT_PERIOD = 1 << 12,
	TEXT_WEIGHT = 1 << 13,
	TEXT_MISC = 1 << 14,
	TEXT_PHYS_ADDR = 1 << 15,
	TEXT_DATA_PAGE_SIZE = 1 << 16,
	TEXT_CODE_PAGE_SIZE = 1 << 17,
	TEXT_SRCLINE = 1 << 18,
	TEXT_NO_LINE = 1 << 19, /* not a field: in user stacks a line that is not known is said */
};

/* Kinds of events that have field sets of their own: attr.type, or "other" (PMUs). */
enum { TEXT_TYPES = 7, TEXT_TYPE_OTHER = 6 };

struct text_fields {
	uint32_t of[TEXT_TYPES];
	uint32_t asked[TEXT_TYPES]; /* named by the user: missing data is an error */
	bool user_set[TEXT_TYPES];
};

/* perf's defaults. */
void text_fields_init(struct text_fields *f);

/* One -F argument: "comm,ip", "+period", "-cpu", "trace:comm,trace". */
MUST_USE bool text_fields_parse(struct text_fields *f, const char *text, struct err *err);

/* Whether any kind of event shows this field. */
bool text_fields_any(const struct text_fields *f, enum text_field field);

/* Names of all fields, comma separated, for help texts. */
void text_fields_names(struct out *o);

struct event_text_options {
	struct text_fields fields;
	bool nanoseconds;
	bool hide_callchains; /* -G */
	bool relative_time;   /* --reltime: from the first sample */
	bool delta_time;      /* --deltatime: from the sample before */
	const char *symbols;  /* comma list: only samples in these functions */
	const char *dsos;     /* comma list: only samples in these objects */
};

/* Everything: rows come from ingest_timed() of the same `in`. */
MUST_USE bool event_text_print(struct out *o, struct ingest *in, const struct ingest_rows *rows,
			       const struct event_text_options *opt, struct diags *d,
			       struct err *err);

#endif
