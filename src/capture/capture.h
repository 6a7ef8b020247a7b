/*
 * Recording: everything that talks to the live kernel. cmd_record fills a plan, capture does it.
 */
#ifndef KILN_CAPTURE_H
#define KILN_CAPTURE_H

#include "base/diag.h"
#include "base/err.h"
#include "event/event.h"

enum call_graph { CALL_GRAPH_NONE, CALL_GRAPH_FP };

/* Which symbols are put into the recording. */
enum capture_embed {
	CAPTURE_EMBED_NEEDED, /* those hit that cannot be looked up later: the kernel's, and of
				 files that are deleted or in another mount namespace */
	CAPTURE_EMBED_NONE,
	CAPTURE_EMBED_HOT, /* all that were hit */
	CAPTURE_EMBED_ALL, /* all of the files that were hit */
};

#define CAPTURE_MAX_FREQUENCY UINT64_MAX

struct capture_plan {
	/* NULL or empty: the default event (cycles, or cpu-clock without a PMU). */
	const struct event_list *events;

	/* What to watch. With none of these: the command. */
	const int32_t *pids;
	size_t pid_count;
	const int32_t *tids;
	size_t tid_count;
	const uint32_t *cpus; /* -C; empty with all_cpus: every online CPU */
	size_t cpu_count;
	bool all_cpus;
	char *const *command; /* argv, NULL-terminated; NULL: record until stopped */
	bool inherit;         /* children of what is watched, too */
	bool per_thread;      /* one ring per thread instead of one per CPU; excludes inherit */

	/* How often, and what each sample holds. */
	uint64_t frequency; /* 0 when a period was asked for; CAPTURE_MAX_FREQUENCY */
	uint64_t period;
	bool user_rate; /* the user asked for the rate: too high is an error, not lowered, and it
			 * holds for tracepoints too, which else give every event */
	enum call_graph call_graph;
	bool sample_addr, sample_cpu, sample_raw;
	bool all_user, all_kernel;

	uint64_t ring_pages; /* a power of two; 0: choose */
	const char *output;
	enum capture_embed embed;
	const char *const *cmdline; /* our own argv, for the header */
	size_t cmdline_count;
	const char *version;
	bool verbose; /* notes tell what is opened, too */

	/* Told at once, one sentence: something was done differently from what was asked. May be
	 * NULL. */
	void (*note)(const char *sentence);
};

struct capture_result {
	uint64_t samples;
	uint64_t bytes;
	uint64_t lost;         /* records */
	uint64_t lost_samples; /* of these, or beside them, samples */
	uint64_t ring_bytes;   /* of each ring */
	uint64_t wakeups;
	bool exec_failed; /* the command could not be run */
	bool command_ran;
	int command_status; /* as wait(2) */
};

/* Runs the whole recording. *stop is set by the caller's signal handlers; SIGINT, SIGTERM and
 * SIGHUP are blocked but while waiting, so that none is missed. False with *err when nothing could
 * be recorded; a recording that ended early (full disk) is false too, with result->bytes > 0. */
MUST_USE bool capture_run(const struct capture_plan *plan, const volatile int *stop,
			  struct capture_result *result, struct diags *d, struct err *err);

/* Where tracefs is mounted; NULL when nowhere. may_mount: root mounts it then. */
const char *capture_tracefs(bool may_mount);

/* The highest sampling frequency the kernel allows (kernel.perf_event_max_sample_rate). */
uint64_t capture_max_frequency(void);

#endif
