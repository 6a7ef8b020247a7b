/* What a perf.data file says about itself, in perf's words (`perf report --header`, `perf evlist`).
 */
#ifndef KILN_DESCRIBE_H
#define KILN_DESCRIBE_H

#include "base/out.h"
#include "perfdata/perfdata.h"

/* The lines beginning with '#'. full: also what perf shows with -I (topology, caches, memory). */
void perfdata_describe_header(struct out *o, const struct perfdata *pd, bool full);

/* The fields of an attr that are not zero: SEP name IS value, e.g. ", type = 1, size = 128". */
void attr_describe(struct out *o, const struct attr *a, const char *sep, const char *is);

enum describe_event {
	DESCRIBE_NAME,
	DESCRIBE_ATTR,  /* evlist -v */
	DESCRIBE_FREQ,  /* evlist -F */
	DESCRIBE_GROUP, /* evlist -g: one line per group */
};

/* One line about an event; no line for the members of a group with DESCRIBE_GROUP. fields: where
 * the names of a tracepoint's fields, put behind it, come from; NULL for none. */
struct tracing;
void perfdata_describe_event(struct out *o, const struct perfdata *pd, size_t index,
			     enum describe_event what, const struct tracing *fields);

#endif
