/*
 * A tower of recursion, for tests.
 *
 * usage: tower DEPTH MILLISECONDS
 *
 * Spends CPU time at the top of a tower of DEPTH frames, and as much on the way up, so that some
 * stacks hold the root and others are too deep to.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static volatile uint64_t sink;

__attribute__((noinline)) static void spin(uint64_t ns)
{
	for (uint64_t end = now() + ns; now() < end;)
		for (int i = 0; i < 1000; i++)
			sink += (uint64_t)i;
}

__attribute__((noinline)) static uint64_t climb(int floors, uint64_t ns)
{
	spin(ns);
	return floors ? climb(floors - 1, ns) + 1 : 0;
}

__attribute__((noinline)) static uint64_t enter(int floors, uint64_t ns)
{
	return climb(floors, ns) + 1;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 200;
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 500;
	return enter(depth, ms * 1000000 / (uint64_t)(depth + 1)) == 0;
}
