/*
 * Tracepoint formats: from a recorded TRACING_DATA payload to the text perf prints for a raw sample
 * ("prev_comm=bash prev_pid=1 …").
 *
 * The kernel describes each tracepoint by the places of its fields and a C printf() call. That call
 * is parsed once into a list of steps; printing a record runs them. Not libtraceevent: it reads
 * where a format tells it to, whatever the record's size, writes its troubles to stderr, keeps its
 * state in globals, and is several times slower.
 */
#ifndef KILN_TRACEFMT_H
#define KILN_TRACEFMT_H

#include "base/diag.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"

struct tracefmt;

/* tracing_data: the payload of feature 1 (or of pipe record 66), see docs/formats.md. Formats that
 * do not parse are counted in `d`; their records are printed field by field. NULL when it is not
 * such a payload at all. */
struct tracefmt *tracefmt_new(struct str tracing_data, struct diags *d, struct err *err);
void tracefmt_free(struct tracefmt *t);

/* Names kernel addresses for %pS and the like. False: no name, the address is printed. */
typedef bool (*tracefmt_resolve)(void *ctx, uint64_t addr, struct str *name, uint64_t *start);
void tracefmt_set_resolver(struct tracefmt *t, tracefmt_resolve resolve, void *ctx);

/* The text of one raw record, without newline. False when the record's type is not described.
 * Reads `t` only: threads may share it if the resolver allows. */
bool tracefmt_print(const struct tracefmt *t, struct out *o, const void *raw, size_t size);

/* The value of a plain number among a raw record's fields. False: it has none of that name. */
MUST_USE bool tracefmt_number(const struct tracefmt *t, const void *raw, size_t size,
			      const char *field, int64_t *out);

/* "sched:sched_switch" of a tracepoint id (attr.config); empty str when unknown. */
struct str tracefmt_name(const struct tracefmt *t, uint64_t id);

#endif
