/*
 * Recording: everything that talks to the live kernel. cmd_record fills a plan, capture does it.
 */
#ifndef KILN_CAPTURE_H
#define KILN_CAPTURE_H

#include "base/diag.h"
#include "base/err.h"
#include "event/event.h"
#include "event/kernel_filter.h"

enum call_graph { CALL_GRAPH_NONE, CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_LBR };

/* Which symbols are put into the recording. */
enum capture_embed {
	CAPTURE_EMBED_NEEDED, /* those hit that cannot be looked up later: the kernel's, and of
				 files that are deleted or in another mount namespace */
	CAPTURE_EMBED_NONE,
	CAPTURE_EMBED_HOT, /* all that were hit */
	CAPTURE_EMBED_ALL, /* all of the files that were hit */
};

/* What is written down of what runs already. */
enum {
	CAPTURE_SYNTH_TASK = 1,
	CAPTURE_SYNTH_MMAP = 2, /* only together with tasks */
	CAPTURE_SYNTH_CGROUP = 4,
	CAPTURE_SYNTH_ALL = 7,
};

enum capture_affinity { CAPTURE_AFFINITY_NONE, CAPTURE_AFFINITY_NODE, CAPTURE_AFFINITY_CPU };

#define CAPTURE_MAX_FREQUENCY UINT64_MAX

/* Milliseconds since the start; to UINT64_MAX: the end. */
struct capture_range {
	uint64_t from, to;
};

/* When to go on in a new file. All zero: never. */
struct capture_switch {
	bool on_signal;                  /* each time plan->dump has grown */
	const struct event_list *events; /* or one of these has happened; NULL or empty: none */
	uint64_t bytes;
	uint64_t seconds;
	uint64_t max_files; /* 0: keep all */
};

struct capture_result;

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
	bool by_user; /* all threads of a user */
	uint32_t user;
	const char *const *cgroups; /* one for all events, or one for each; "": no such limit */
	size_t cgroup_count;
	char *const *command; /* argv, NULL-terminated; NULL: record until stopped */
	bool inherit;         /* children of what is watched, too */
	bool per_thread;      /* one ring per thread instead of one per CPU; excludes inherit */

	/* How often, and what each sample holds. */
	uint64_t frequency; /* 0 when a period was asked for; CAPTURE_MAX_FREQUENCY */
	uint64_t period;
	bool user_rate; /* the user asked for the rate: it is told when it is lowered, and it holds
			 * for tracepoints too, which else give every event */
	bool strict_rate; /* or not lowered: too high is an error */
	bool no_samples;  /* events are opened and counted, but give no samples */
	enum call_graph call_graph;
	uint32_t stack_bytes;                /* of each sample's stack, for dwarf */
	uint16_t max_stack;                  /* frames of a call chain; 0: all */
	bool no_user_chain, no_kernel_chain; /* call chains of one side only */
	bool sample_addr, sample_cpu, sample_raw, sample_period;
	uint64_t sample_also; /* PERF_SAMPLE_* bits asked for by name: weight … */
	uint64_t track_also;  /* ATTR_* bits for the side-band event: context switches … */
	uint64_t track_not;   /* and those it is not to have */
	uint64_t branches;    /* PERF_SAMPLE_BRANCH_*; 0: no branch stacks */
	uint64_t user_regs, intr_regs; /* by the CPU's bit numbers */
	bool inherit_stat;             /* counts per thread at its end */
	bool no_buffering;             /* a wakeup for each sample */
	bool sample_identifier;        /* the id in front of every sample, needed or not */
	bool read_times;               /* counts in samples come with the time they ran */
	bool all_user, all_kernel;
	bool use_clock; /* times by this clock, not by the kernel's own */
	int32_t clock;  /* as clock_gettime(2) */

	/* Filters of tracepoints, one for each event, NULL: none. NULL: none at all. */
	const char *const *filters;
	/* Filters of other events, one for each event, empty: none. NULL: none at all. */
	const struct kernel_filter *kernel_filters;

	/* When. No ranges: from the start to the end. */
	const struct capture_range *ranges;
	size_t range_count;
	bool start_disabled;      /* until the control file says enable */
	int control_fd, ack_fd;   /* -1: none */
	const volatile int *dump; /* counts up: time for a new file, or for a snapshot */

	/* Reader threads, as thread_masks.h has them, and the output is a directory. NULL: none,
	 * our own thread reads. */
	const char *threads;
	enum capture_affinity affinity; /* of our own thread while it reads a ring */
	int realtime;                   /* priority of SCHED_FIFO; 0: none */
	uint64_t flush_bytes;           /* a ring is left alone until it holds so much */
	unsigned synth;                 /* CAPTURE_SYNTH_* bits */
	bool synth_last;                /* at the end of each file, not at its beginning */
	unsigned synth_threads;         /* that read /proc; 0, 1: our own alone */
	uint64_t map_timeout_ms;        /* for the mappings of one process; 0: the default */
	uint64_t ring_pages;            /* a power of two; 0: choose */
	bool overwrite;     /* rings keep the latest; written when dump grows and at the end */
	uint64_t max_bytes; /* of the file; 0: any */
	unsigned compress;  /* zstd level; 0: none */
	unsigned blocks;    /* for writing behind, at most 4; 0: records are written at once */
	struct capture_switch switching;
	bool timestamp_name; /* the file gets its end time behind its name */
	bool no_build_ids;
	bool dry_run; /* open the events, then end */
	const char *output;
	enum capture_embed embed;
	const char *const *cmdline; /* our own argv, for the header */
	size_t cmdline_count;
	const char *version;
	bool verbose;         /* notes tell what is opened, too */
	const char *attr_dir; /* where to leave a file about each opened event; NULL: nowhere */

	/* Told at once, one sentence: something was done differently from what was asked. May be
	 * NULL. */
	void (*note)(const char *sentence);
	/* What an order of the control file asked to see: whole lines. May be NULL. */
	void (*answer)(const char *text);
	/* Told of each finished file. May be NULL. */
	void (*written)(const char *path);
	/* Called some times a second with the state so far. May be NULL. */
	void (*progress)(const struct capture_result *so_far);
};

struct capture_result {
	uint64_t samples;
	uint64_t bytes;
	uint64_t lost;         /* records */
	uint64_t lost_samples; /* of these, or beside them, samples */
	uint64_t filtered;     /* samples that filters have dropped */
	uint64_t ring_bytes;   /* of each ring */
	size_t rings;
	uint64_t busiest_ring; /* bytes that went through it */
	uint64_t longest_gap;  /* ns that a ring was full */
	uint64_t throttled;    /* times the kernel held an event back */
	uint64_t nanoseconds;  /* since recording began */
	uint64_t wakeups;
	bool exec_failed; /* the command could not be run */
	bool command_ran;
	bool cut_short;     /* a limit or an order ended it before the command did */
	int command_status; /* as wait(2) */
};

/* Runs the whole recording. *stop is set by the caller's signal handlers; SIGINT, SIGTERM,
 * SIGHUP and SIGUSR2 are blocked but while waiting, so that none is missed. False with *err when
 * nothing could be recorded; a recording that ended early (full disk) is false too, with
 * result->bytes > 0. */
MUST_USE bool capture_run(const struct capture_plan *plan, const volatile int *stop,
			  struct capture_result *result, struct diags *d, struct err *err);

/* Where tracefs is mounted; NULL when nowhere. may_mount: root mounts it then. */
const char *capture_tracefs(bool may_mount);

/* The registers that samples can hold, by the CPU's bit numbers; 0 where they are not known. */
uint64_t capture_registers(void);

/* The highest sampling frequency the kernel allows (kernel.perf_event_max_sample_rate). */
uint64_t capture_max_frequency(void);

#endif
