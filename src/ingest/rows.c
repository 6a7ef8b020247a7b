#include "ingest/rows.h"

#include <stdlib.h>

void rows_push(struct ingest_rows *rows, const struct ingest_row *row)
{
	if (rows->n == rows->cap) {
		rows->cap = rows->cap ? rows->cap + rows->cap / 2 : 1024;
		rows->v = mem_realloc_array(rows->v, rows->cap, sizeof *rows->v);
	}
	rows->v[rows->n++] = *row;
}

static void merge(const struct ingest_row *a, size_t na, const struct ingest_row *b, size_t nb,
		  struct ingest_row *out)
{
	size_t i = 0, j = 0;
	while (i < na && j < nb) {
		if (b[j].time < a[i].time)
			*out++ = b[j++];
		else
			*out++ = a[i++];
	}
	memcpy(out, a + i, (na - i) * sizeof *a);
	memcpy(out + (na - i), b + j, (nb - j) * sizeof *b);
}

/* Merges neighbouring runs from `from` into `to`; `ends` shrinks to half as many. */
static size_t merge_round(const struct ingest_row *from, struct ingest_row *to, size_t *ends,
			  size_t runs)
{
	size_t out = 0, start = 0;
	for (size_t r = 0; r < runs; r += 2) {
		size_t mid = ends[r];
		size_t end = r + 1 < runs ? ends[r + 1] : mid;
		merge(from + start, mid - start, from + mid, end - mid, to + start);
		ends[out++] = end;
		start = end;
	}
	return out;
}

void rows_sort(struct ingest_rows *rows)
{
	VEC(size_t) ends = {0};
	for (size_t i = 1; i < rows->n; i++)
		if (rows->v[i].time < rows->v[i - 1].time)
			vec_push(&ends, i);
	if (ends.n) {
		vec_push(&ends, rows->n);
		struct ingest_row *other = mem_calloc(rows->n, sizeof *other);
		size_t runs = ends.n;
		while (runs > 1) {
			runs = merge_round(rows->v, other, ends.v, runs);
			struct ingest_row *swap = rows->v;
			rows->v = other;
			other = swap;
		}
		rows->cap = rows->n;
		free(other);
	}
	vec_free(&ends);
}

static int compare_late(const void *a, const void *b)
{
	const struct late_row *x = a, *y = b;
	if (x->limit != y->limit)
		return x->limit < y->limit ? -1 : 1;
	if (x->row.time != y->row.time)
		return x->row.time < y->row.time ? -1 : 1;
	return x->row.offset < y->row.offset ? -1 : x->row.offset > y->row.offset;
}

void rounds_merge(struct rounds *r, struct ingest_rows *rows)
{
	size_t late = r->late.n, n = rows->n;
	if (!late)
		return;
	qsort(r->late.v, late, sizeof *r->late.v, compare_late);
	for (size_t i = 0; i < late; i++)
		rows_push(rows, &r->late.v[i].row); /* makes room; the places follow */
	/* From the back: a late row stands behind the last row within its limit. */
	for (size_t out = n + late; late;) {
		if (n && rows->v[n - 1].time > r->late.v[late - 1].limit)
			rows->v[--out] = rows->v[--n];
		else
			rows->v[--out] = r->late.v[--late].row;
	}
}

void rounds_free(struct rounds *r)
{
	vec_free(&r->late);
}
