/* A recording as perf's JSON (`perf data convert --to-json`): its header, and every sample in order
 * of time with its stack. */
#ifndef KILN_EVENT_JSON_H
#define KILN_EVENT_JSON_H

#include "base/out.h"
#include "ingest/ingest.h"

/* rows come from ingest_timed() of the same `in`. Returns how many samples were printed. */
uint64_t event_json_print(struct out *o, struct ingest *in, const struct ingest_rows *rows);

#endif
