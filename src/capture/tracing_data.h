/* The TRACING_DATA payload: formats of the tracepoints in a recording, copied from tracefs. */
#ifndef KILN_TRACING_DATA_H
#define KILN_TRACING_DATA_H

#include "base/err.h"
#include "base/str.h"

struct out;

/* names: "system:event", each once or more; modifiers behind a second ':' are not looked at. */
MUST_USE bool tracing_data_build(struct out *o, const char *tracefs, const char *const *names,
				 size_t count, struct err *err);

#endif
