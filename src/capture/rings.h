/* The rings of a recording: one per CPU, or one per thread where events follow it over CPUs. */
#ifndef KILN_RINGS_H
#define KILN_RINGS_H

#include "capture/counters.h"
#include "capture/ring.h"

struct rings {
	VEC(struct ring) v;
	size_t pages;
};

/* Bytes for each of so many rings, on a machine with so much memory: so that they hold what comes
 * while the recorder is held up, as far as the events' rates are known. */
uint64_t rings_wanted(const struct counters *cs, size_t rings, uint64_t memory);

/* Maps the rings and directs every event to its own. Without a size given by the user they shrink
 * until the locked-memory limit lets them in. */
MUST_USE bool rings_open(struct rings *r, struct counters *cs, const struct capture_plan *plan,
			 struct err *err);
void rings_close(struct rings *r);

#endif
