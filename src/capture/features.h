/* What the header of a recording says about the machine. */
#ifndef KILN_FEATURES_H
#define KILN_FEATURES_H

#include "base/err.h"
#include "capture/capture.h"

struct perfdata_writer;

/* Everything known before the first sample. What this machine does not tell is left out. */
MUST_USE bool features_write(struct perfdata_writer *w, const struct capture_plan *plan,
			     struct err *err);

/* --- topology.c: payloads; false when this machine does not say ---------------------------- */

struct out;
bool topology_cpu(struct out *o);
bool topology_numa(struct out *o);
bool topology_cache(struct out *o);
bool topology_pmus(struct out *o);

#endif
