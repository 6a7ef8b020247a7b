#include "ingest/hot.h"

#include <stdlib.h>

#define HOT_COUNT 20
#define HOT_SHARE 100

static int heavier(const void *x, const void *y, void *ctx)
{
	const uint64_t *weights = ctx;
	const object_id *a = x, *b = y;
	uint64_t v = weights[a->v], w = weights[b->v];
	return v != w ? (v < w ? 1 : -1) : (a->v > b->v) - (a->v < b->v);
}

size_t hot_objects(const uint64_t *weights, size_t count, object_id **out)
{
	object_id *list = mem_calloc(count + 1, sizeof *list);
	uint64_t total = 0;
	size_t n = 0, kept = 0;
	for (uint32_t i = 1; i < count; i++) {
		total += weights[i];
		if (weights[i])
			list[n++].v = i;
	}
	qsort_r(list, n, sizeof *list, heavier, (void *)(uintptr_t)weights);
	while (kept < n && (kept < HOT_COUNT || weights[list[kept].v] >= total / HOT_SHARE))
		kept++;
	*out = list;
	return kept;
}
