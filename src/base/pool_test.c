#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"

struct work {
	atomic_uint *runs;
	uint64_t *result;
	unsigned threads;
	atomic_bool bad_worker;
};

static void one(void *ctx, size_t i, unsigned worker)
{
	struct work *w = ctx;
	if (worker >= w->threads)
		atomic_store(&w->bad_worker, true);
	atomic_fetch_add(&w->runs[i], 1);
	w->result[i] = i * i;
}

static void check(unsigned threads, size_t n, int rounds)
{
	struct pool *p = pool_new(threads);
	struct work w = {.threads = pool_threads(p)};
	if (threads)
		assert_int_equal(pool_threads(p), threads);
	assert_true(pool_threads(p) >= 1);
	w.runs = mem_calloc(n, sizeof *w.runs);
	w.result = mem_calloc(n, sizeof *w.result);
	for (int r = 0; r < rounds; r++)
		pool_run(p, n, one, &w);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(atomic_load(&w.runs[i]), rounds);
		assert_int_equal(w.result[i], i * i);
	}
	assert_false(atomic_load(&w.bad_worker));
	free(w.runs);
	free(w.result);
	pool_free(p);
}

static void every_task_runs_once(void **state)
{
	(void)state;
	check(1, 1000, 1);
	check(2, 1000, 1);
	check(7, 1000, 1);
	check(0, 1000, 1);
}

static void no_tasks_and_one_task(void **state)
{
	(void)state;
	check(4, 0, 3);
	check(4, 1, 3);
	check(16, 2, 3);
}

static void a_pool_serves_many_jobs(void **state)
{
	(void)state;
	check(4, 5, 2000);
}

static void a_pool_may_stay_unused(void **state)
{
	(void)state;
	pool_free(pool_new(8));
	pool_free(NULL);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_runs_once),
		cmocka_unit_test(no_tasks_and_one_task),
		cmocka_unit_test(a_pool_serves_many_jobs),
		cmocka_unit_test(a_pool_may_stay_unused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
