/* Samples with user registers and, mostly, a copy of the user's stack: their user frames become
 * part of the call chain. */
#ifndef KILN_UNWOUND_H
#define KILN_UNWOUND_H

#include "ingest/ingest_state.h"

struct unwound;

/* Extends the chain of a sample that is placed already, in `scratch`. */
void unwound_add(struct ingest *in, const struct record *r, const struct attr *a,
		 struct sample_scratch *scratch, struct placed *p);

/* At the end: what could not be unwound. */
void unwound_tell(struct ingest *in);
void unwound_free(struct unwound *u);

#endif
