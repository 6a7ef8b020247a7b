/*
 * Leader sampling, "{a,b}:S": only the leader is sampled, and each of its samples carries the
 * counters of the whole group. perf makes of it one sample per member whose counter moved, with the
 * difference as its period; so do we.
 */
#ifndef KILN_MEMBERS_H
#define KILN_MEMBERS_H

#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/record.h"

struct member_sample {
	uint32_t event; /* index in perfdata */
	uint64_t period;
};

struct members {
	struct u64map slot_of; /* event id -> index in slots */
	VEC(struct member_slot) slots;
	VEC(struct member_sample) samples; /* of the record looked at last */
};

void members_free(struct members *m);

/* An id under which an event counts. */
void members_know(struct members *m, uint64_t id, uint32_t event);

/* Fills m->samples from a sample that holds counters. Samples of one ring must come in order. */
void members_split(struct members *m, const struct attr *a, const struct sample *s, bool swap);

#endif
