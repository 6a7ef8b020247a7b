/* A worker pool: runs n independent tasks on a fixed number of threads and waits for all. */
#ifndef KILN_POOL_H
#define KILN_POOL_H

#include "base/base.h"

struct pool;

/* threads = 0: one per CPU this process may use. One thread means everything runs in the caller. */
struct pool *pool_new(unsigned threads);
void pool_free(struct pool *p);
unsigned pool_threads(const struct pool *p);

/* Calls fn(ctx, i, worker) once for every i < n; worker < pool_threads(). Tasks are taken in order
 * but end in any order: results go to slots by i, so that output does not depend on threads. */
void pool_run(struct pool *p, size_t n, void (*fn)(void *ctx, size_t i, unsigned worker),
	      void *ctx);

#endif
