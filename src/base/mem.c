#include "base/mem.h"

#include <stdlib.h>
#include <sys/mman.h>

void *mem_alloc(size_t n)
{
	void *p = malloc(n ? n : 1);
	if (UNLIKELY(!p))
		mem_exhausted(n);
	return p;
}

void *mem_zalloc(size_t n)
{
	return mem_calloc(1, n);
}

void *mem_calloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);
	if (UNLIKELY(!p))
		mem_exhausted(count * size);
	return p;
}

void *mem_realloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (UNLIKELY(!p))
		mem_exhausted(n);
	return p;
}

void *mem_realloc_array(void *p, size_t count, size_t size)
{
	size_t n;
	if (__builtin_mul_overflow(count, size, &n))
		mem_exhausted(SIZE_MAX);
	return mem_realloc(p, n);
}

#define HUGE_PAGE ((size_t)2 << 20)

void *mem_table(size_t count, size_t size)
{
	size_t n;
	if (__builtin_mul_overflow(count, size, &n))
		mem_exhausted(SIZE_MAX);
	if (n < HUGE_PAGE)
		return mem_calloc(count, size);
	n = (n + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *p = aligned_alloc(HUGE_PAGE, n);
	if (UNLIKELY(!p))
		mem_exhausted(n);
	(void)madvise(p, n, MADV_HUGEPAGE); /* only a wish */
	return memset(p, 0, n);
}

void *mem_dup(const void *p, size_t n)
{
	void *copy = mem_alloc(n);
	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

void mem_free_ptr(void *pp)
{
	void **p = pp;
	free(*p);
	*p = NULL;
}
