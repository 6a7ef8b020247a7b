/* What `report` does once its options are known: columns, filters, one table per event. */
#ifndef KILN_CLI_REPORT_H
#define KILN_CLI_REPORT_H

#include "base/diag.h"
#include "ingest/ingest.h"
#include "render/report_text.h"

struct report_setup {
	struct hist_request columns;
	struct filter_options filter;
	struct callgraph_options graph;
	bool graph_asked;        /* its absence is an error */
	const char *symbol_part; /* list only entries with this in their symbol's name */
	const char *separator;
	const char *times; /* --time, for the heading */
	double min_percent;
	bool relative;
	bool no_group; /* a table for each event of a group */
	bool quiet;
	uint32_t max_depth; /* frames of a stack that count, from the root; 0: all */
};

/* Which columns this recording can have. Before report_print(), which reads the samples. */
MUST_USE bool report_prepare(const struct report_setup *s, struct ingest *in,
			     struct hist_options *h, struct err *err);

/* Instead of tables: how good the stacks of each event are. */
MUST_USE bool report_quality(struct out *o, struct ingest *in, bool json, struct err *err);

/* What each thread was called at the end of the recording, by thread_id; heap, texts borrowed. */
struct str *report_last_comms(struct ingest *in);

/* Hides columns in which the filter leaves one value; `o`, if not NULL, says which instead. */
void report_hide_single(struct out *o, const struct filter_options *filter,
			struct hist_fields *fields);

MUST_USE bool report_print(struct out *o, struct ingest *in, const struct report_setup *s,
			   struct hist_options *h, struct diags *d, struct err *err);

#endif
