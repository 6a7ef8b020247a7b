#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/workloads/workloads.h"

static volatile double root;

/* Newton's steps: no library, so that all of the time is here. */
static void square_roots(void)
{
	while (!workload_done) {
		double n = rand() + 1.0, x = n;
		for (int step = 0; step < 16; step++)
			x = (x + n / x) / 2;
		root = x;
	}
}

int sqrtloop(int argc, char *const *argv)
{
	pid_t child = fork();
	if (child < 0)
		return 1;
	if (child == 0) {
		workload_begin("sqrtloop", argc, argv);
		square_roots();
		_exit(0);
	}
	return waitpid(child, NULL, 0) == child ? 0 : 1;
}
