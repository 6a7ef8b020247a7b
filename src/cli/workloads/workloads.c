#include "cli/workloads/workloads.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/str.h"

static const struct workload_kind kinds[] = {
	{"noploop", "one function that does nothing [SECONDS]", noploop},
	{"thloop", "two threads in one loop [SECONDS]", thloop},
	{"leafloop", "a leaf called by a parent, until stopped [NUMBER]", leafloop},
	{"sqrtloop", "a child process that computes square roots [SECONDS]", sqrtloop},
	{"brstack", "calls, returns and jumps, direct and indirect [LOOPS]", brstack},
	{"datasym", "writes to one variable, buf1, until stopped", datasym},
	{"landlock", "two landlock system calls with known arguments", landlock},
	{"inlineloop", "an inlined function in an inlined function [SECONDS]", inlineloop},
};

const struct workload_kind *workload_at(size_t i)
{
	return i < ARRAY_LEN(kinds) ? &kinds[i] : NULL;
}

const struct workload_kind *workload_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

volatile int workload_done;

static void on_signal(int number)
{
	(void)number;
	workload_done = 1;
}

int workload_number(int argc, char *const *argv, int otherwise)
{
	int64_t n;
	if (argc < 1 || !str_to_i64(str_of(argv[0]), &n) || n < 0 || n > INT32_MAX)
		return otherwise;
	return (int)n;
}

void workload_begin(const char *name, int argc, char *const *argv)
{
	char comm[16];
	int seconds = workload_number(argc, argv, 1);
	snprintf(comm, sizeof comm, "perf-%s", name);
	prctl(PR_SET_NAME, comm);
	signal(SIGINT, on_signal);
	signal(SIGALRM, on_signal);
	/* alarm(0) would mean never. */
	if (seconds)
		alarm((unsigned)seconds);
	else
		workload_done = 1;
}
