#include <sys/prctl.h>

#include "cli/workloads/workloads.h"

static volatile int sum;

/* Both are looked for by name. */
void leaf(volatile int step);
void parent(volatile int step);

__attribute__((noinline)) void leaf(volatile int step)
{
	for (;;)
		sum += step;
}

__attribute__((noinline)) void parent(volatile int step)
{
	leaf(step);
}

int leafloop(int argc, char *const *argv)
{
	prctl(PR_SET_NAME, "perf-leafloop");
	parent(workload_number(argc, argv, 1));
	return 0;
}
