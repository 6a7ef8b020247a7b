#include "session/spacetime.h"

#include <stdlib.h>

void spacetime_add(struct spacetime *st, const struct mapping *m)
{
	if (m->start < m->end)
		vec_push(&st->maps, *m);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Index of the last coordinate <= ip; SIZE_MAX when ip lies before all. */
static size_t coord_below(const struct spacetime *st, uint64_t ip)
{
	size_t lo = 0, hi = st->coord_count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (st->coords[mid] <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo - 1;
}

static void collect_coords(struct spacetime *st)
{
	st->coords = mem_calloc(st->maps.n * 2, sizeof *st->coords);
	for (size_t i = 0; i < st->maps.n; i++) {
		st->coords[2 * i] = st->maps.v[i].start;
		st->coords[2 * i + 1] = st->maps.v[i].end;
	}
	qsort(st->coords, st->maps.n * 2, sizeof *st->coords, compare_u64);
	size_t n = 0;
	for (size_t i = 0; i < st->maps.n * 2; i++)
		if (!n || st->coords[n - 1] != st->coords[i])
			st->coords[n++] = st->coords[i];
	st->coord_count = n;
}

/* Calls for every node that a mapping hangs on: counting first, then filling. */
static void visit_nodes(const struct spacetime *st, const struct mapping *m, uint32_t *count,
			uint32_t *items, uint32_t number)
{
	size_t leaves = st->coord_count - 1;
	size_t l = coord_below(st, m->start) + leaves;
	size_t r = coord_below(st, m->end) + leaves;
	for (; l < r; l >>= 1, r >>= 1) {
		size_t node[2];
		size_t n = 0;
		if (l & 1)
			node[n++] = l++;
		if (r & 1)
			node[n++] = --r;
		while (n--) {
			if (items)
				items[count[node[n]]] = number;
			count[node[n]]++;
		}
	}
}

void spacetime_seal(struct spacetime *st)
{
	if (!st->maps.n)
		return;
	collect_coords(st);
	size_t nodes = 2 * (st->coord_count - 1);
	uint32_t *count = mem_calloc(nodes + 1, sizeof *count);
	for (size_t i = 0; i < st->maps.n; i++)
		visit_nodes(st, &st->maps.v[i], count, NULL, 0);
	uint32_t total = 0;
	for (size_t i = 0; i <= nodes; i++) {
		uint32_t n = count[i];
		count[i] = total;
		total += n;
	}
	st->node_first = mem_dup(count, (nodes + 1) * sizeof *count);
	st->items = mem_calloc(total, sizeof *st->items);
	for (size_t i = 0; i < st->maps.n; i++)
		visit_nodes(st, &st->maps.v[i], count, st->items, (uint32_t)i);
	free(count);
}

void spacetime_free(struct spacetime *st)
{
	vec_free(&st->maps);
	free(st->coords);
	free(st->node_first);
	free(st->items);
	*st = (struct spacetime){0};
}

size_t spacetime_epoch(const struct spacetime *st, uint64_t time)
{
	size_t lo = 0, hi = st->maps.n;
	if (!hi || st->maps.v[hi - 1].time <= time)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (st->maps.v[mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct mapping *spacetime_at(const struct spacetime *st, uint64_t ip, uint64_t time,
				   uint64_t *lo, uint64_t *hi)
{
	if (!st->maps.n)
		return NULL;
	size_t at = coord_below(st, ip);
	if (at == SIZE_MAX) {
		*hi = MIN(*hi, st->coords[0]);
		return NULL;
	}
	*lo = MAX(*lo, st->coords[at]);
	if (at == st->coord_count - 1)
		return NULL;
	*hi = MIN(*hi, st->coords[at + 1]);

	size_t known = spacetime_epoch(st, time); /* mappings with a number below exist */
	size_t best = SIZE_MAX;
	for (size_t node = at + st->coord_count - 1; node; node >>= 1) {
		size_t a = st->node_first[node], b = st->node_first[node + 1], end = b;
		/* The last item below `known`; nearly always the last of all. */
		if (a < b && st->items[b - 1] >= known) {
			size_t l = a;
			while (l < end) {
				size_t mid = l + (end - l) / 2;
				if (st->items[mid] < known)
					l = mid + 1;
				else
					end = mid;
			}
			b = l;
		}
		if (a < b && (best == SIZE_MAX || st->items[b - 1] > best))
			best = st->items[b - 1];
	}
	return best == SIZE_MAX ? NULL : &st->maps.v[best];
}
