/*
 * Rows of an aggregated profile, summed up while reading. No hash table: the rows of one stack hang
 * on the stack itself.
 */
#ifndef KILN_AGGREGATE_H
#define KILN_AGGREGATE_H

#include "profile/profile.h"

struct aggregate {
	struct profile *profile;
	bool merge_threads;     /* threads of one name share a row, which keeps the first of them */
	VEC(uint32_t) by_stack; /* first row + 1 of a stack */
	VEC(uint32_t) by_leaf;  /* the same for samples without a call chain */
	VEC(uint32_t) next;     /* by row: the next row + 1 of the same stack */
};

void aggregate_init(struct aggregate *a, struct profile *p);
void aggregate_free(struct aggregate *a);

/* Will be asked for soon. */
void aggregate_prefetch(const struct aggregate *a, stack_id stack);

/* Counts one row's worth; returns the number + 1 of the row it went to, which is the hint for the
 * next one that is probably alike (0: no idea). */
uint32_t aggregate_add(struct aggregate *a, const struct profile_row *row, uint32_t hint);

#endif
