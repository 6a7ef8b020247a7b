/* `report --stdio`: the text perf prints, column for column. */
#ifndef KILN_REPORT_TEXT_H
#define KILN_REPORT_TEXT_H

#include "analyze/callgraph.h"
#include "analyze/hist.h"
#include "base/out.h"

/* Columns before those of the histogram's own fields, filled by whoever has the numbers. */
struct report_extra {
	size_t count;
	const struct report_extra_column {
		const char *header;
		size_t width; /* at least the header's */
	} * columns;
	/* Text of a cell, padded on the left as it likes. */
	void (*cell)(struct out *o, const void *ctx, size_t column, uint32_t entry);
	const void *ctx;
};

struct report_options {
	const struct hist_options *hist;
	const struct callgraph_options *graph;
	double min_percent;    /* entries below are left out */
	const char *separator; /* between columns, which are then not padded; NULL: none */
	struct str group_name; /* of an event with members; may be empty */
	bool quiet;            /* entries only */
	bool relative;         /* percentages of what the filter leaves, not of all samples */
	bool dso_filter;       /* one was given: narrows a column */
	bool skip_first_frame; /* of call graphs: the entry is sorted by its name anyway */
	const char *times;     /* which samples are meant, for the heading; NULL: all */
	struct report_extra extra;
	const char *trace_header; /* what the column of texts is called; NULL: as usual */
};

/* Only the columns of an event: heading and entries, no call graphs. */
void report_text_table(struct out *o, const struct hist *h, const struct hist_keys *keys,
		       const struct report_options *opt);

/* One event: heading, columns, entries, call graphs. */
void report_text_event(struct out *o, const struct hist *h, const struct hist_keys *keys,
		       const struct report_options *opt);

/* The call graph of one entry; entry_weight is what the entry itself shows. */
void report_text_graph(struct out *o, const struct callgraph *g, const struct report_options *opt,
		       uint64_t event_weight, uint64_t entry_weight);

#endif
