/* The TRACING_DATA payload: tracefs format files of the recorded tracepoints, in a row. */
#ifndef KILN_TRACING_H
#define KILN_TRACING_H

#include "base/out.h"
#include "base/str.h"

struct tracing;

/* An index over the payload, which is borrowed. What is damaged is left out. `swap`: the writer had
 * the other byte order. */
struct tracing *tracing_new(struct str payload, bool swap);
void tracing_free(struct tracing *t);

/* The format file of the tracepoint with this id; empty when it is not there. */
struct str tracing_format(const struct tracing *t, uint64_t id);

/* Names of the tracepoint's own fields, comma separated ("prev_comm,prev_pid"). */
void tracing_fields(const struct tracing *t, uint64_t id, struct out *o);

#endif
