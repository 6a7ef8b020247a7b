/* One profile out of several: so that one set of ids serves to compare them. */
#ifndef KILN_MERGE_H
#define KILN_MERGE_H

#include "profile/profile.h"

/*
 * Adds the rows of `from`, without their stacks. Its events become new events of `into`, in order;
 * returns the number to add to their ids. Its threads stay apart from those that are there already,
 * unless nothing is known of their processes. threads, if not NULL, has room for all threads of
 * `from` and gets their new ids.
 */
uint32_t profile_merge(struct profile *into, const struct profile *from, thread_id *threads);

#endif
