/*
 * Rows of an aggregated profile, summed up while reading: one per key, however long the recording.
 * Samples wait until there are a few, so that the look-ups of all are prefetched before the first
 * is made.
 */
#ifndef KILN_AGGREGATE_H
#define KILN_AGGREGATE_H

#include "profile/profile.h"

#define AGGREGATE_BATCH 32

struct aggregate {
	struct profile *profile;
	bool merge_threads; /* threads of one name share a row, which keeps the first of them */
	struct index index; /* of rows: number + 1 */
	size_t waiting;
	struct {
		struct profile_row row;
		uint64_t hash;
	} batch[AGGREGATE_BATCH];
};

void aggregate_init(struct aggregate *a, struct profile *p);
void aggregate_free(struct aggregate *a);

/* Counts one row's worth, sooner or later. */
void aggregate_add(struct aggregate *a, const struct profile_row *row);

/* Counts all that wait. */
void aggregate_flush(struct aggregate *a);

#endif
