/*
 * Heap memory. Running out is the one failure that is not returned to the caller: it would
 * put a check behind every push, and there is nothing to do but stop. So these functions never
 * return NULL; they call mem_exhausted(), which the program on top (cli, tests, fuzzers) defines.
 *
 * Sizes that come from input are never passed here unchecked: a reader compares them with the
 * bytes that are really there first, so a lying file cannot make us ask for much.
 */
#ifndef KILN_MEM_H
#define KILN_MEM_H

#include "base/base.h"

/* Defined by the program, not by the library. Says so and ends the process. */
_Noreturn void mem_exhausted(size_t bytes);

void *mem_alloc(size_t n);
void *mem_zalloc(size_t n);
void *mem_realloc(void *p, size_t n);
void *mem_dup(const void *p, size_t n);
char *mem_strdup(const char *s);

/* count * size with overflow treated as exhaustion. */
void *mem_calloc(size_t count, size_t size);
void *mem_realloc_array(void *p, size_t count, size_t size);

/* Zeroed memory for a large table that is read at random: on huge pages where the kernel has them,
 * which spares most of the waiting for page tables. Freed with free(). */
void *mem_table(size_t count, size_t size);

/* free() through a pointer to the pointer, for CLEANUP(). */
void mem_free_ptr(void *pp);

#endif
