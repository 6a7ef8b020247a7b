/*
 * Tracepoint formats (libtraceevent lives here only): from a recorded TRACING_DATA payload to the
 * text perf prints for a raw sample ("prev_comm=bash prev_pid=1 …").
 */
#ifndef KILN_TRACEFMT_H
#define KILN_TRACEFMT_H

#include "base/diag.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"

struct tracefmt;

/* tracing_data: the payload of feature 1 (or of pipe record 66), see docs/formats.md. */
struct tracefmt *tracefmt_new(struct str tracing_data, struct diags *d, struct err *err);
void tracefmt_free(struct tracefmt *t);

/* The text of one raw record, without newline. False when the record's type is not described. Not
 * thread-safe. cpu and comm are what the formats may refer to. */
bool tracefmt_print(struct tracefmt *t, struct out *o, const void *raw, size_t size);

/* "sched:sched_switch" of a tracepoint id (attr.config); empty str when unknown. */
struct str tracefmt_name(const struct tracefmt *t, uint64_t id);

#endif
