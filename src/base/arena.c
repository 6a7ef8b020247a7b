#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct arena_block {
	struct arena_block *prev;
};

#define ARENA_FIRST ((size_t)4096)
#define ARENA_MAX ((size_t)1 << 20)

void arena_free(struct arena *a)
{
	struct arena_block *b = a->head;
	while (b) {
		struct arena_block *prev = b->prev;
		free(b);
		b = prev;
	}
	*a = (struct arena){0};
}

static void *arena_slow(struct arena *a, size_t n)
{
	/* Blocks double with what is in use, so small arenas stay small. */
	size_t size = MIN(MAX(a->total, ARENA_FIRST), ARENA_MAX);
	size_t need = n + sizeof(struct arena_block);
	bool big = need > size / 4;

	struct arena_block *b = mem_alloc(big ? need : size);
	char *data = (char *)(b + 1);
	if (big && a->head) {
		/* A large piece gets its own block behind the current one, whose rest stays usable.
		 */
		b->prev = a->head->prev;
		a->head->prev = b;
		return data;
	}
	b->prev = a->head;
	a->head = b;
	a->next = data + n;
	a->end = (char *)b + (big ? need : size);
	return data;
}

void *arena_alloc(struct arena *a, size_t n)
{
	if (UNLIKELY(n > SIZE_MAX / 2))
		mem_exhausted(n);
	n = (n + 7) & ~(size_t)7;
	a->total += n;
	if (UNLIKELY((size_t)(a->end - a->next) < n || !a->next))
		return arena_slow(a, n);
	void *p = a->next;
	a->next += n;
	return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

struct str arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return str_make(p, s.n);
}

char *arena_strdup(struct arena *a, const char *s)
{
	return (char *)arena_str(a, str_of(s)).p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char start[256];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(start, sizeof start, fmt, args);
	va_end(args);
	if (n < 0)
		return arena_strdup(a, "");
	if ((size_t)n < sizeof start)
		return (char *)arena_str(a, str_make(start, (size_t)n)).p;
	char *p = arena_alloc(a, (size_t)n + 1);
	va_start(args, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, args);
	va_end(args);
	return p;
}
