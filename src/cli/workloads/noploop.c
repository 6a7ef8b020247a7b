#include "cli/workloads/workloads.h"

int noploop(int argc, char *const *argv)
{
	workload_begin("noploop", argc, argv);
	while (!workload_done)
		;
	return 0;
}
