/*
 * The regular expressions of stackcollapse-perf.pl in closed form: what one line of `perf script`
 * text is to it, quirks included. Nothing is kept, all is borrowed from the line.
 */
#ifndef KILN_CLASSIC_TEXT_H
#define KILN_CLASSIC_TEXT_H

#include "base/out.h"
#include "base/str.h"
#include "ingest/import.h"

struct classic_head {
	struct str comm;
	struct str pid, tid; /* pid "?" when the text has but one number */
};

bool classic_head(struct str line, struct classic_head *out);

/* Of a line that is a head: period (may be empty) and event. */
bool classic_event(struct str line, struct str *period, struct str *event);

struct classic_frame {
	struct str pc, name, dso; /* name without offset */
};

bool classic_frame(struct str line, struct classic_frame *out);

/* The next function named by a frame: "a->b" is b inlined in a, and gives a, then b. False when
 * there is none left; `rest` begins as the frame's name. */
bool classic_part(struct str *rest, struct str *part);

/* Replaces what `o`, a memory writer, holds by the function's name as shown. */
struct classic_style {
	bool kernel, jit, addrs; /* as in struct classic_options */
	bool java;               /* the command's name begins with "java" */
	bool inlined;            /* not the first part */
};
void classic_name(struct out *o, const struct classic_frame *f, struct str part,
		  const struct classic_style *style);

#endif
