/* Names for all frames of a profile: once per unique address, tables loaded in parallel. */
#ifndef KILN_SYMBOLIZE_H
#define KILN_SYMBOLIZE_H

#include "profile/profile.h"
#include "resolve/resolve.h"

/* The profile's objects are the session's, id by id. */
void symbolize(struct profile *p, struct resolver *r, const struct resolve_options *opt,
	       struct pool *pool, struct diags *d);

#endif
