#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

struct pool {
	unsigned threads;
	unsigned started;
	pthread_t *ids;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* a new job, or quit */
	pthread_cond_t idle; /* the last worker of a job is done */
	void (*fn)(void *ctx, size_t i, unsigned worker);
	void *ctx;
	size_t n;
	atomic_size_t next;
	unsigned busy;
	uint64_t job;
	bool quit;
	unsigned next_worker;
};

static void work(struct pool *p, unsigned worker)
{
	for (;;) {
		size_t i = atomic_fetch_add(&p->next, 1);
		if (i >= p->n)
			return;
		p->fn(p->ctx, i, worker);
	}
}

static void *worker_main(void *arg)
{
	struct pool *p = arg;
	uint64_t seen = 0;
	pthread_mutex_lock(&p->lock);
	unsigned me = ++p->next_worker; /* 0 is the caller */
	for (;;) {
		while (!p->quit && p->job == seen)
			pthread_cond_wait(&p->wake, &p->lock);
		if (p->quit)
			break;
		seen = p->job;
		pthread_mutex_unlock(&p->lock);
		work(p, me);
		pthread_mutex_lock(&p->lock);
		if (--p->busy == 0)
			pthread_cond_signal(&p->idle);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static unsigned usable_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	return (unsigned)MAX(CPU_COUNT(&set), 1);
}

struct pool *pool_new(unsigned threads)
{
	struct pool *p = mem_zalloc(sizeof *p);
	p->threads = threads ? threads : usable_cpus();
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	pthread_cond_init(&p->idle, NULL);
	return p;
}

/* Threads start with the first job that has work for more than one. */
static void start_workers(struct pool *p)
{
	if (p->ids)
		return;
	p->ids = mem_calloc(p->threads, sizeof *p->ids);
	for (unsigned i = 1; i < p->threads; i++)
		if (pthread_create(&p->ids[p->started], NULL, worker_main, p) == 0)
			p->started++;
}

void pool_run(struct pool *p, size_t n, void (*fn)(void *, size_t, unsigned), void *ctx)
{
	if (p->threads == 1 || n < 2) {
		for (size_t i = 0; i < n; i++)
			fn(ctx, i, 0);
		return;
	}
	start_workers(p);
	pthread_mutex_lock(&p->lock);
	p->fn = fn;
	p->ctx = ctx;
	p->n = n;
	atomic_store(&p->next, 0);
	p->busy = p->started;
	p->job++;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);

	work(p, 0);

	pthread_mutex_lock(&p->lock);
	while (p->busy)
		pthread_cond_wait(&p->idle, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

unsigned pool_threads(const struct pool *p)
{
	return p->threads;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++)
		pthread_join(p->ids[i], NULL);
	pthread_cond_destroy(&p->wake);
	pthread_cond_destroy(&p->idle);
	pthread_mutex_destroy(&p->lock);
	free(p->ids);
	free(p);
}
