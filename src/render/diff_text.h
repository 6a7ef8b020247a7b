/* `diff`: the text perf prints, column for column, and two columns that tell noise from change. */
#ifndef KILN_DIFF_TEXT_H
#define KILN_DIFF_TEXT_H

#include "analyze/diff.h"
#include "render/report_text.h"

struct diff_text_options {
	const struct diff_options *diff;
	const char *const *names; /* of the files */
	bool period;              /* columns with weights */
	bool formula;             /* a column that shows the calculation */
	bool list_files;          /* also when there are only two */
	const char *separator;
	bool quiet;      /* rows only */
	bool dso_filter; /* see report_text.h */
	bool stacks;     /* the rows are stacks, kept as the keys' trace texts */
};

/* The table of one event; `first`: no other stands above it. */
void diff_text_event(struct out *o, const struct diff *d, const struct hist_keys *keys,
		     const struct hist_options *hist, const struct diff_text_options *opt,
		     bool first);

#endif
