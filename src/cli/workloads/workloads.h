/*
 * Small programs with a known shape, to record and to look at: those that perf has under the same
 * names, with the same function names in them. Most run for a number of seconds, 1 unless told.
 */
#ifndef KILN_WORKLOADS_H
#define KILN_WORKLOADS_H

#include "base/base.h"

struct workload_kind {
	const char *name;
	const char *what;
	/* argv: the words behind the name. Returns the exit code. */
	int (*run)(int argc, char *const *argv);
};

/* NULL when there is none of that name. */
const struct workload_kind *workload_find(const char *name);
const struct workload_kind *workload_at(size_t i); /* NULL behind the last */

/* --- shared by the workloads --------------------------------------------------------------- */

/* Set by SIGALRM and SIGINT. */
extern volatile int workload_done;

/* The thread is called perf-NAME, as its outside tests look for; *workload_done is set after the
 * seconds in argv[0], or after 1. */
void workload_begin(const char *name, int argc, char *const *argv);

/* A number from argv[0], or the default. */
int workload_number(int argc, char *const *argv, int otherwise);

/* --- one file each; their own names are part of the shape ---------------------------------- */

int noploop(int argc, char *const *argv);
int thloop(int argc, char *const *argv);
int leafloop(int argc, char *const *argv);
int sqrtloop(int argc, char *const *argv);
int brstack(int argc, char *const *argv);
int datasym(int argc, char *const *argv);
int landlock(int argc, char *const *argv);
int inlineloop(int argc, char *const *argv);

#endif
