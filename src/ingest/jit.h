/*
 * Code made at run time, in pass 1: perf maps and jitdumps that the recording kept, and jitdumps
 * that a mapping in it leads to.
 */
#ifndef KILN_INGEST_JIT_H
#define KILN_INGEST_JIT_H

#include "perfdata/perfdata.h"
#include "resolve/jit.h"

struct ingest_jit;

/* force: files are used whoever they belong to. */
struct ingest_jit *ingest_jit_new(struct perfdata *pd, bool force);
void ingest_jit_free(struct ingest_jit *j);

/* Looks at one side-band record: a runtime maps its jitdump, so that it is told of. */
void ingest_jit_see(struct ingest_jit *j, const struct record *r, const struct sample_id *who);

/* Reads them all and tells the session; before its seal. */
void ingest_jit_apply(struct ingest_jit *j, struct session *s, struct diags *d);

const struct jits *ingest_jit_tables(const struct ingest_jit *j);

#endif
