/* Two functions that are there only as inlined code; leafloop has real ones of the same names. */
#include "cli/workloads/workloads.h"

static volatile int sum;

__attribute__((always_inline)) static inline void leaf(int step)
{
	do
		sum += step;
	while (!workload_done);
}

__attribute__((always_inline)) static inline void middle(int step)
{
	leaf(step);
}

__attribute__((noinline)) static void parent(int step)
{
	middle(step);
}

int inlineloop(int argc, char *const *argv)
{
	workload_begin("inlineloop", argc, argv);
	parent(workload_number(argc, argv, 1));
	return 0;
}
