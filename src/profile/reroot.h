/*
 * Stacks that were cut at their root, because they were deeper than what the recorder keeps, begin
 * in the middle of nowhere. Where longer stacks of the same thread contain the place at which they
 * begin, they can be put there.
 */
#ifndef KILN_REROOT_H
#define KILN_REROOT_H

#include "profile/profile.h"

struct reroot_result {
	uint64_t cut;      /* samples whose stack was cut */
	uint64_t rerooted; /* of these, those that have a root now, and are no longer marked as cut
			    */
};

/* Before profile_seal(), and with threads told apart. Frames are equal when their functions are.
 * Of several places the one that agrees with most of the frames behind it is taken, then the one
 * seen most often, then the one nearest to the root. */
struct reroot_result profile_reroot(struct profile *p);

#endif
