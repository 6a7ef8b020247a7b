/*
 * Growable arrays. `VEC(struct foo) foos = {0};` declares one; items are foos.v[i], i < foos.n.
 * Freed with vec_free().
 */
#ifndef KILN_VEC_H
#define KILN_VEC_H

#include <stdlib.h>

#include "base/mem.h"

#define VEC(type)           \
	struct {            \
		type *v;    \
		size_t n;   \
		size_t cap; \
	}

static inline void *vec_grow(void *v, size_t *cap, size_t need, size_t item)
{
	size_t c = *cap ? *cap : 8;
	while (c < need)
		c += c / 2;
	*cap = c;
	return mem_realloc_array(v, c, item);
}

/* Room for `extra` more items. */
#define vec_reserve(vec, extra)                                                                \
	do {                                                                                   \
		if ((vec)->cap - (vec)->n < (size_t)(extra))                                   \
			(vec)->v = vec_grow((vec)->v, &(vec)->cap, (vec)->n + (size_t)(extra), \
					    sizeof(*(vec)->v));                                \
	} while (0)

#define vec_push(vec, ...)                          \
	do {                                        \
		vec_reserve(vec, 1);                \
		(vec)->v[(vec)->n++] = __VA_ARGS__; \
	} while (0)

#define vec_append(vec, items, count)                                                       \
	do {                                                                                \
		size_t vec_count_ = (count);                                                \
		vec_reserve(vec, vec_count_);                                               \
		if (vec_count_)                                                             \
			memcpy((vec)->v + (vec)->n, items, vec_count_ * sizeof(*(vec)->v)); \
		(vec)->n += vec_count_;                                                     \
	} while (0)

#define vec_last(vec) ((vec)->v[(vec)->n - 1])
#define vec_clear(vec) ((vec)->n = 0)

#define vec_free(vec)            \
	do {                     \
		free((vec)->v);  \
		(vec)->v = NULL; \
		(vec)->n = 0;    \
		(vec)->cap = 0;  \
	} while (0)

#endif
