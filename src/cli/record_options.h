/* The options of kiln record and what they mean: record_options.c has the table, record_values.c
 * reads the values, record_plan.c makes the plan of them, record_report.c tells, cmd_record.c runs.
 */
#ifndef KILN_RECORD_OPTIONS_H
#define KILN_RECORD_OPTIONS_H

#include "capture/capture.h"
#include "capture/cpus.h"
#include "cli/option.h"

/* A filter belongs to the events of the -e before it. */
struct filter_option {
	size_t event_option; /* how many -e came before */
	const char *text;    /* NULL: --exclude-perf */
};

struct record_options {
	struct opt_strings events;
	VEC(size_t) pfm_events; /* which of events are of --pfm-events */
	VEC(struct filter_option) filters;
	const char *frequency, *pids, *tids, *cpus, *user, *cgroups, *output, *ring;
	size_t cgroup_events; /* how many -e came before -G */
	const char *threads, *clock, *delay, *control, *switch_output, *max_size, *branch_filter;
	uint64_t period, switch_max_files;
	bool period_given, inherit_given;
	bool all_cpus, group, no_inherit, per_thread, all_user, all_kernel;
	enum call_graph call_graph;
	uint32_t stack_bytes;
	uint16_t max_stack; /* frames; 0: as many as the kernel allows */
	bool user_callchains, kernel_callchains;
	bool data, timestamp, raw, sample_cpu, sample_period, weight, transaction, phys_data;
	bool data_page_size, code_page_size, no_samples, stat, branch_any, no_buffering;
	uint64_t user_regs, intr_regs;
	bool list_registers;
	struct opt_strings switch_events_list;
	const char *mmap_flush;
	enum capture_affinity affinity;
	uint64_t realtime, synth_threads, map_timeout;
	unsigned synth; /* CAPTURE_SYNTH_* */
	bool strict_freq, sample_identifier, running_time, latency, tail_synthesize;
	bool timestamp_boundary;
	bool switch_events, namespaces, all_cgroups, no_bpf_event;
	bool no_build_ids, no_build_id_cache, build_id_cache_set, build_id_all, build_id_mmap;
	uint64_t compress; /* level; 0: not at all */
	unsigned blocks;   /* of --aio */
	bool switching, timestamp_filename, overwrite, dry_run;
	enum capture_embed embed;
	bool quiet, strict;
	int verbose;
};

extern struct record_options record_opts;
extern const struct option record_option_table[];

/* What the plan points to. */
struct record_targets {
	VEC(int32_t) pids;
	VEC(int32_t) tids;
	struct cpu_list cpus;
	struct event_list events;
	VEC(const char *) filters;                /* one for each event; heap; NULL: none */
	VEC(struct kernel_filter) kernel_filters; /* one for each event */
	struct event_list switch_events;
	VEC(const char *) cgroups;
	VEC(struct capture_range) ranges;
};
void record_targets_free(struct record_targets *t);

/* Reads all values into the plan; says what contradicts itself. */
MUST_USE bool record_fill_plan(struct capture_plan *plan, struct record_targets *t,
			       void (*note)(const char *), struct err *err);

/* --- record_refused.c ----------------------------------------------------------------------- */

/* An option of perf's that is not there, and why; the value of one with record_refuse(). */
struct record_refused {
	const char *sentence, *hint;
};
extern const struct record_refused refused_off_cpu, refused_snapshot, refused_aux_sample,
	refused_kcore, refused_debuginfod, refused_clang, refused_vmlinux;
bool record_refuse(void *value, const char *text, bool negated, struct err *err);

/* --- record_report.c: what is told, unless -q ----------------------------------------------- */

void record_note(const char *sentence);
void record_answer(const char *text);  /* to who gave an order by --control */
void record_written(const char *path); /* a finished file; gives it to who called sudo */
void record_progress(const struct capture_result *so_far);
void record_report(const struct capture_plan *plan, const struct capture_result *r, bool ok);
/* Takes one of the user's settings, see struct command. */
MUST_USE bool record_setting(const char *name, const char *value, struct err *err);
/* A note when the stacks in this file are bad. */
void record_quality(const char *path);
/* Under the name perf: copies what was mapped (or only where samples were taken) into the cache. */
void record_fill_cache(const char *output, bool all);
int record_exit_code(const struct capture_result *r);      /* the command's own, as perf has it */
int record_command_signal(const struct capture_result *r); /* which it died of; 0: none */

/* --- values: each false with a sentence about the option ----------------------------------- */

MUST_USE bool value_size(const char *text, const char *option, uint64_t *bytes, struct err *err);
MUST_USE bool value_ring(const char *text, uint64_t *pages, struct err *err);
MUST_USE bool value_frequency(const char *text, uint64_t *out, struct err *err);
MUST_USE bool value_clock(const char *text, int32_t *clock, struct err *err);
MUST_USE bool value_branches(const char *text, uint64_t *mask, struct err *err);
MUST_USE bool value_registers(const char *text, uint64_t *mask, struct err *err);
MUST_USE bool value_user(const char *text, uint32_t *uid, struct err *err);
MUST_USE bool value_delay(const char *text, struct record_targets *t, bool *disabled,
			  struct err *err);
MUST_USE bool value_switch(const char *text, struct capture_switch *s, struct err *err);
MUST_USE bool value_control(const char *text, struct capture_plan *plan, struct err *err);

#endif
