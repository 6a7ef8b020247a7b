/*
 * The catalogue of events that every kernel knows by number: software, generic hardware and
 * hardware cache events, under all the names perf gives them.
 */
#ifndef KILN_CATALOGUE_H
#define KILN_CATALOGUE_H

#include "base/base.h"
#include "base/str.h"
#include "event/event.h"

/* type and config as in perf_event_attr; false when no such event. */
MUST_USE bool catalogue_find(struct str name, enum event_class *class, uint32_t *type,
			     uint64_t *config);

struct catalogue_entry {
	enum event_class class;
	uint32_t type;
	uint64_t config;
	const char *name, *alias; /* alias: NULL when there is none */
	const char *what;         /* a few words */
};

/* Every event, under the name perf prints; the texts are valid during the call. */
void catalogue_each_entry(void (*fn)(void *ctx, const struct catalogue_entry *e), void *ctx);

/* Every name, aliases of cache events left out (there are thousands). */
void catalogue_each(void (*fn)(void *ctx, struct str name), void *ctx);

#endif
