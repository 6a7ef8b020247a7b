/*
 * Recording: everything that talks to the live kernel. cmd_record fills a plan, capture does it.
 */
#ifndef KILN_CAPTURE_H
#define KILN_CAPTURE_H

#include "base/diag.h"
#include "base/err.h"
#include "event/event.h"

enum call_graph { CALL_GRAPH_NONE, CALL_GRAPH_FP };

struct capture_plan {
	struct event_list
		*events; /* empty: the default event (cycles, or cpu-clock without a PMU) */
	const int32_t *pids;
	size_t pid_count;
	const int32_t *tids;
	size_t tid_count;
	const uint32_t *cpus; /* -C; empty with all_cpus: every online CPU */
	size_t cpu_count;
	bool all_cpus;
	char *const *command; /* argv, NULL-terminated; NULL: record until stopped */
	uint64_t frequency;   /* 0 when a period was asked for; UINT64_MAX: the highest allowed */
	uint64_t period;
	bool user_rate; /* the user asked for the rate: too high is an error, not lowered */
	enum call_graph call_graph;
	bool inherit;
	uint64_t ring_pages; /* 0: choose */
	const char *output;
	const char *const *cmdline; /* our own argv, for the header */
	size_t cmdline_count;
	const char *version;
	bool quiet;
	int verbose;
};

struct capture_result {
	uint64_t samples;
	uint64_t bytes;
	uint64_t lost; /* records */
	uint64_t lost_samples;
	uint64_t wakeups;
	int command_status;   /* as wait(2); -1 without a command */
	char event_note[256]; /* "cycles is not available here, using cpu-clock"; empty when none */
};

/* Runs the whole recording. *stop is set by the caller's signal handlers. False with *err when
 * nothing could be recorded; a recording that ended early (full disk) is false too, with
 * result->bytes > 0. */
MUST_USE bool capture_run(const struct capture_plan *plan, const volatile int *stop,
			  struct capture_result *result, struct diags *d, struct err *err);

/* Where tracefs is mounted, mounting it when root and not mounted; NULL when there is none. */
const char *capture_tracefs(void);

#endif
