#include <pthread.h>

#include "cli/workloads/workloads.h"

static volatile unsigned rounds;

/* Found by name in reports, so not static: no compiler may rename it. */
void test_loop(void);

__attribute__((noinline)) void test_loop(void)
{
	while (!workload_done)
		__atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
}

static void *thfunc(void *loop)
{
	((void (*)(void))loop)();
	return NULL;
}

int thloop(int argc, char *const *argv)
{
	pthread_t second;
	workload_begin("thloop", argc, argv);
	if (pthread_create(&second, NULL, thfunc, (void *)test_loop) != 0)
		return 1;
	test_loop();
	pthread_join(second, NULL);
	return 0;
}
