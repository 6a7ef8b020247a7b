/* The names most like a misspelt one. */
#ifndef KILN_NEAREST_H
#define KILN_NEAREST_H

#include "base/arena.h"
#include "base/str.h"

#define NEAREST_COUNT 3

struct nearest {
	struct arena *arena; /* owns the names kept */
	struct str want;
	struct str names[NEAREST_COUNT];
	size_t distance[NEAREST_COUNT];
	size_t n;
};

/* Looks at one candidate; keeps it when it is close enough and among the closest. */
void nearest_add(struct nearest *ne, struct str name);

/* "a, b or c" in the arena; NULL when nothing was close. */
const char *nearest_text(const struct nearest *ne);

#endif
