/* Events that are not recorded: when one of them happens, the recording goes on in a new file. */
#ifndef KILN_TRIGGERS_H
#define KILN_TRIGGERS_H

#include "capture/counters.h"
#include "capture/rings.h"

struct triggers {
	struct capture_plan plan;
	struct counters counters;
	struct rings rings;
};

/* Opens plan->switching.events, if there are any, on what the recording watches. */
MUST_USE bool triggers_open(struct triggers *t, const struct capture_plan *plan,
			    const struct targets *targets, struct err *err);
void triggers_close(struct triggers *t);

/* Whether one has happened since the last call. */
bool triggers_fired(struct triggers *t);

#endif
