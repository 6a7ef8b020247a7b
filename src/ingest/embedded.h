/* Hands the symbols inside a recording to the resolver. */
#ifndef KILN_INGEST_EMBEDDED_H
#define KILN_INGEST_EMBEDDED_H

#include "perfdata/perfdata.h"
#include "resolve/resolve.h"

/* Before the first resolver_load(). Names stay in the recording's map. */
void ingest_embedded(const struct perfdata *pd, struct resolver *r, struct diags *d);

#endif
