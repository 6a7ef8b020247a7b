/* When events are enabled: from the start, in ranges of time, or by order. */
#ifndef KILN_SCHEDULE_H
#define KILN_SCHEDULE_H

#include "capture/capture.h"

struct schedule {
	const struct capture_range *ranges;
	size_t count;
	size_t at; /* the range that comes or runs */
	bool on;
};

/* Events are off at the beginning. */
static inline bool plan_starts_off(const struct capture_plan *plan)
{
	return plan->range_count || plan->start_disabled;
}

/* What is due `ms` after the start: 1 enable, -1 disable, 0 nothing. */
int schedule_due(struct schedule *s, uint64_t ms);

/* Milliseconds until something is due; UINT64_MAX: never. */
uint64_t schedule_wait(const struct schedule *s, uint64_t ms);

#endif
