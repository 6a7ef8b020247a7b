/* What `diff` does once its options are known: reads the files into one profile, a table per event.
 */
#ifndef KILN_CLI_DIFF_H
#define KILN_CLI_DIFF_H

#include "cli/common.h"
#include "render/diff_text.h"

enum diff_by { DIFF_BY_KEYS, DIFF_BY_STACK };

struct diff_setup {
	struct input_options *in;
	const char *const *files;
	const char **times; /* --time by file; NULL: all */
	size_t count;
	const char *keys; /* sort keys, comma separated */
	enum diff_by by;
	struct filter_options filter;
	struct diff_options diff;
	struct diff_text_options text;
};

MUST_USE bool diff_print(struct out *o, struct diff_setup *s, struct diags *d, struct err *err);

#endif
