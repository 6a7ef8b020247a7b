/* The formats of a recording's tracepoints, ready to print with. */
#ifndef KILN_TRACE_TEXT_H
#define KILN_TRACE_TEXT_H

#include "event/tracefmt.h"
#include "ingest/ingest.h"

/* *out is NULL where the file has no tracepoints, or no formats of them, which is noted. */
MUST_USE bool trace_text_open(struct ingest *in, struct tracefmt **out, struct diags *d,
			      struct err *err);

#endif
