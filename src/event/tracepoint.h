/* Tracepoints by name, from a mounted tracefs. */
#ifndef KILN_TRACEPOINT_H
#define KILN_TRACEPOINT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct tracepoint {
	struct str system, name;
	uint64_t id; /* attr.config */
};

struct tracepoint_list {
	struct arena arena;
	VEC(struct tracepoint) items;
};
void tracepoint_list_free(struct tracepoint_list *list);

/* Appends the tracepoint, or all that match when either part holds the glob characters * ? [,
 * sorted by name. Fails when there is none, naming the nearest, or when tracefs cannot be read. */
MUST_USE bool tracepoint_find(struct tracepoint_list *list, const char *tracefs, struct str system,
			      struct str name, struct err *err);

/* The systems that have a tracepoint of this very name, as "system:name", appended to names[];
 * returns how many, at most max. For telling people what they meant. */
size_t tracepoint_systems(struct arena *a, const char *tracefs, struct str name, struct str *names,
			  size_t max);

#endif
