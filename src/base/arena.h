/* An arena: many allocations, one life time. Freed all at once; never shrinks. */
#ifndef KILN_ARENA_H
#define KILN_ARENA_H

#include "base/base.h"
#include "base/str.h"

struct arena_block;

/* Zero-initialised is empty and ready. Not shared between threads. */
struct arena {
	struct arena_block *head;
	char *next;
	char *end;
	size_t total; /* bytes handed out, for tests and statistics */
};

void arena_free(struct arena *a);

/* 8-byte aligned, not cleared. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);

/* A NUL-terminated copy. */
char *arena_strdup(struct arena *a, const char *s);
struct str arena_str(struct arena *a, struct str s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define arena_new(a, type) ((type *)arena_zalloc(a, sizeof(type)))

#endif
