/* The TRACING_DATA payload: tracefs format files of the recorded tracepoints, in a row. */
#ifndef KILN_TRACING_H
#define KILN_TRACING_H

#include "base/out.h"
#include "base/str.h"

/* The format file of the tracepoint with this id; empty when it is not there or the payload is
 * damaged. `swap`: the writer had the other byte order. */
struct str tracing_format(struct str payload, bool swap, uint64_t id);

/* Names of the tracepoint's own fields, comma separated ("prev_comm,prev_pid"). */
void tracing_fields(struct str payload, bool swap, uint64_t id, struct out *o);

#endif
