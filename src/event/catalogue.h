/*
 * The catalogue of events that every kernel knows by number: software, generic hardware and
 * hardware cache events, under all the names perf gives them.
 */
#ifndef KILN_CATALOGUE_H
#define KILN_CATALOGUE_H

#include "base/base.h"
#include "base/str.h"

/* type and config as in perf_event_attr; false when no such event. */
MUST_USE bool catalogue_find(struct str name, uint32_t *type, uint64_t *config);

/* Every name, aliases of cache events left out (there are thousands). */
void catalogue_each(void (*fn)(void *ctx, struct str name), void *ctx);

#endif
