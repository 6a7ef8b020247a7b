/* What `perf script | stackcollapse-perf.pl` makes of a recording. */
#ifndef KILN_CLASSIC_PERFDATA_H
#define KILN_CLASSIC_PERFDATA_H

#include "ingest/ingest.h"

/* Fills `p` as import_classic() does from the text of the recording at `path`, which is
 * a file: it may be read twice. */
MUST_USE bool classic_perfdata(struct profile *p, const char *path, struct ingest_options io,
			       const struct classic_options *opt, struct diags *d, struct err *err);

#endif
