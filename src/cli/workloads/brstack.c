/* Every kind of branch, for branch stacks: the names say which function a branch goes to. */
#include <sys/prctl.h>

#include "cli/workloads/workloads.h"

static volatile int count;

__attribute__((noinline)) static void brstack_bar(void)
{
	/* an empty body would be called once only */
	__asm__ volatile("");
}

__attribute__((noinline)) static void brstack_foo(void)
{
	brstack_bar();
	__asm__ volatile(""); /* no tail call: there is to be a return */
}

__attribute__((noinline)) static void brstack_bench(void)
{
	void (*volatile indirect)(void) = brstack_foo;
	if (count++ % 3)
		brstack_foo();
	brstack_bar();
	indirect();
}

int brstack(int argc, char *const *argv)
{
	int loops = workload_number(argc, argv, 999999);
	prctl(PR_SET_NAME, "perf-brstack");
	while (count++ <= loops)
		brstack_bench();
	return 0;
}
