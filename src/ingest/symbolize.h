/* Names for all frames of a profile: once per unique address, tables loaded in parallel. */
#ifndef KILN_SYMBOLIZE_H
#define KILN_SYMBOLIZE_H

#include "profile/profile.h"
#include "resolve/resolve.h"

/* The profile's objects are the session's, id by id. weights: how many samples were taken in each;
 * the heaviest may be worth a download. */
void symbolize(struct profile *p, struct resolver *r, const struct resolve_options *opt,
	       const uint64_t *weights, struct pool *pool, struct diags *d);

#endif
