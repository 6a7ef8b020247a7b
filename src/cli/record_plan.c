/* From the options to the capture plan. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"
#include "cli/record_options.h"

#define opts record_opts
#define SAMPLE_CGROUP (1U << 21)         /* PERF_SAMPLE_CGROUP, since 5.7 */
#define SAMPLE_DATA_PAGE_SIZE (1U << 22) /* since 5.11, as the next */
#define SAMPLE_CODE_PAGE_SIZE (1U << 23)

void record_targets_free(struct record_targets *t)
{
	vec_free(&t->pids);
	vec_free(&t->tids);
	vec_free(&t->cpus.v);
	for (size_t i = 0; i < t->filters.n; i++)
		free((void *)t->filters.v[i]);
	vec_free(&t->filters);
	for (size_t i = 0; i < t->kernel_filters.n; i++)
		kernel_filter_free(&t->kernel_filters.v[i]);
	vec_free(&t->kernel_filters);
	for (size_t i = 0; i < t->cgroups.n; i++)
		free((void *)t->cgroups.v[i]);
	vec_free(&t->cgroups);
	vec_free(&t->ranges);
	event_list_free(&t->events);
	event_list_free(&t->switch_events);
}

static char *copy_text(const void *p, size_t n)
{
	char *copy = mem_alloc(n + 1);
	memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

static bool parse_id(struct str word, int32_t *out, const char *option, struct err *err)
{
	uint64_t id;
	if (!str_to_u64(str_trim(word), 10, &id) || !id || id > INT32_MAX)
		return err_set(err, ERR_USAGE, "%s wants numbers (as 12,345), not \"%.*s\"", option,
			       (int)word.n, word.p);
	*out = (int32_t)id;
	return true;
}

static bool parse_targets(struct capture_plan *plan, struct record_targets *t, struct err *err)
{
	struct str rest = str_of(opts.pids);
	int32_t id;
	while (rest.p) {
		if (!parse_id(str_split(rest, ',', &rest), &id, "-p", err))
			return false;
		vec_push(&t->pids, id);
	}
	rest = str_of(opts.tids);
	while (rest.p) {
		if (!parse_id(str_split(rest, ',', &rest), &id, "-t", err))
			return false;
		vec_push(&t->tids, id);
	}
	if (opts.cpus && !cpus_parse(&t->cpus, str_of(opts.cpus), err))
		return false;
	plan->by_user = opts.user;
	return !opts.user || value_user(opts.user, &plan->user, err);
}

static bool choose_scope(struct capture_plan *plan, struct record_targets *t,
			 void (*note)(const char *), struct err *err)
{
	bool threads = t->pids.n || t->tids.n || opts.user;
	if (threads && (opts.all_cpus || opts.cpus))
		note("-p, -t and -u take precedence over -a and -C");
	else if (opts.all_cpus || opts.cpus || (!threads && !plan->command))
		plan->all_cpus = true;
	if (plan->all_cpus && opts.latency) {
		err_set(err, ERR_USAGE, "--latency is about one program, not about the system");
		return err_hint(err, "name a command, or processes with -p");
	}
	if (plan->all_cpus && opts.per_thread) {
		note("--per-thread is for a command, -p or -t: CPUs have a buffer each");
		plan->per_thread = false;
	}
	if (t->tids.n && !opts.inherit_given)
		plan->inherit = false;
	plan->pids = t->pids.v;
	plan->pid_count = t->pids.n;
	plan->tids = t->tids.v;
	plan->tid_count = t->tids.n;
	if (plan->all_cpus) {
		plan->cpus = t->cpus.v.v;
		plan->cpu_count = t->cpus.v.n;
	}
	if (opts.cgroups && !plan->all_cpus)
		return err_set(err, ERR_USAGE, "-G watches CPUs, so it wants -a or -C");
	return true;
}

/* One control group for each event: of a single one all `span` events before -G, of several each
 * its own; "" is no limit. */
static bool parse_cgroups(struct capture_plan *plan, struct record_targets *t, size_t span,
			  struct err *err)
{
	size_t events = MAX(t->events.events.n, (size_t)1);
	if (!opts.cgroups)
		return true;
	for (struct str rest = str_of(opts.cgroups); rest.p;) {
		struct str word = str_split(rest, ',', &rest);
		vec_push(&t->cgroups, copy_text(word.p, word.n));
	}
	if (t->cgroups.n > span)
		return err_set(err, ERR_USAGE,
			       "-G names %zu control groups, and there are %zu events before it",
			       t->cgroups.n, span);
	const char *all = t->cgroups.n == 1 ? t->cgroups.v[0] : "";
	while (t->cgroups.n < events) {
		const char *name = t->cgroups.n < span ? all : "";
		vec_push(&t->cgroups, copy_text(name, strlen(name)));
	}
	plan->cgroups = t->cgroups.v;
	plan->cgroup_count = t->cgroups.n;
	return true;
}

/* Several filters for one event have to hold all. */
static void add_filter(const char **filter, const char *text)
{
	struct out o;
	const char *old = *filter;
	out_memory(&o);
	if (old)
		out_fmt(&o, "(%s) && (%s)", old, text);
	else
		out_cstr(&o, text);
	*filter = copy_text(o.buf, o.n);
	(void)out_finish(&o);
	free((void *)old);
}

static bool filter_events(struct record_targets *t, size_t from, size_t option, struct err *err)
{
	for (size_t i = 0; i < opts.filters.n; i++) {
		const struct filter_option *f = &opts.filters.v[i];
		char self[40];
		snprintf(self, sizeof self, "common_pid != %d", (int)getpid());
		if (f->event_option != option)
			continue;
		for (size_t k = from; k < t->events.events.n; k++) {
			bool tracepoint = t->events.events.v[k].attr.type == PERF_TYPE_TRACEPOINT;
			if (!tracepoint && !f->text) {
				err_set(err, ERR_USAGE,
					"--exclude-perf is for tracepoints, and %s is none",
					t->events.events.v[k].name);
				return err_hint(err,
						"it belongs to the -e before it: give each its "
						"own -e");
			}
			if (tracepoint)
				add_filter(&t->filters.v[k], f->text ? f->text : self);
			else if (!kernel_filter_parse(&t->kernel_filters.v[k], f->text, err))
				return false;
		}
	}
	return true;
}

/* Without a colon there is no tracepoint in it: then tracefs is only for finding names. */
static bool parse_event_option(struct record_targets *t, size_t option, struct err *err)
{
	const char *text = opts.events.list.v[option];
	for (size_t i = 0; i < opts.pfm_events.n; i++)
		if (opts.pfm_events.v[i] == option)
			return event_parse_vendor(&t->events, text, err);
	return event_parse(&t->events, text, capture_tracefs(strchr(text, ':')), err);
}

static bool parse_events(struct capture_plan *plan, struct record_targets *t, struct err *err)
{
	size_t in_cgroups = SIZE_MAX; /* events before -G */
	for (size_t i = 0; i < opts.filters.n; i++)
		if (!opts.filters.v[i].event_option)
			return err_set(err, ERR_USAGE, "%s wants the -e it belongs to before it",
				       opts.filters.v[i].text ? "--filter" : "--exclude-perf");
	for (size_t i = 0; i < opts.events.list.n; i++) {
		size_t from = t->events.events.n;
		if (!parse_event_option(t, i, err))
			return false;
		while (t->filters.n < t->events.events.n)
			vec_push(&t->filters, NULL);
		while (t->kernel_filters.n < t->events.events.n)
			vec_push(&t->kernel_filters, (struct kernel_filter){0});
		if (!filter_events(t, from, i + 1, err))
			return false;
		if (i + 1 == opts.cgroup_events)
			in_cgroups = t->events.events.n;
	}
	for (size_t i = 0; i < opts.switch_events_list.list.n; i++) {
		const char *text = opts.switch_events_list.list.v[i];
		if (!event_parse(&t->switch_events, text, capture_tracefs(strchr(text, ':')), err))
			return err_wrap(err, "--switch-output-event");
	}
	if (opts.switch_events_list.list.n) {
		plan->switching.events = &t->switch_events;
		plan->switching.on_signal = true;
	}
	if (opts.group)
		event_list_group_all(&t->events);
	plan->filters = t->filters.v;
	plan->kernel_filters = t->kernel_filters.v;
	return parse_cgroups(plan, t, MIN(in_cgroups, MAX(t->events.events.n, (size_t)1)), err);
}

static void choose_fields(struct capture_plan *plan)
{
	plan->sample_also = (opts.weight ? PERF_SAMPLE_WEIGHT : 0) |
			    (opts.transaction ? PERF_SAMPLE_TRANSACTION : 0) |
			    (opts.phys_data ? PERF_SAMPLE_PHYS_ADDR : 0) |
			    (opts.data_page_size ? SAMPLE_DATA_PAGE_SIZE : 0) |
			    (opts.code_page_size ? SAMPLE_CODE_PAGE_SIZE : 0) |
			    (opts.all_cgroups ? SAMPLE_CGROUP : 0);
	plan->track_also = (opts.switch_events || opts.latency ? (uint64_t)ATTR_CONTEXT_SWITCH
							       : 0) |
			   (opts.namespaces ? (uint64_t)ATTR_NAMESPACES : 0) |
			   (opts.all_cgroups ? ATTR_CGROUP : 0);
	plan->track_not = (opts.no_bpf_event ? (uint64_t)ATTR_BPF_EVENT : 0) |
			  (opts.no_build_ids ? ATTR_BUILD_ID : 0);
	plan->user_regs = opts.user_regs;
	plan->intr_regs = opts.intr_regs;
	plan->call_graph = opts.call_graph;
	plan->stack_bytes = opts.stack_bytes;
	plan->max_stack = opts.max_stack;
	plan->no_user_chain = opts.kernel_callchains;
	plan->no_kernel_chain = opts.user_callchains;
}

static bool check_conflicts(const struct capture_plan *plan, struct err *err)
{
	if (opts.period_given && !opts.period)
		return err_set(err, ERR_USAGE, "-c 0 would never sample");
	if (opts.frequency && opts.period)
		return err_set(err, ERR_USAGE, "-F and -c exclude each other");
	if (opts.all_user && opts.all_kernel)
		return err_set(err, ERR_USAGE, "--all-user and --all-kernel exclude each other");
	if (opts.user_callchains && opts.kernel_callchains)
		return err_set(err, ERR_USAGE,
			       "--user-callchains and --kernel-callchains exclude each other");
	bool to_pipe = !strcmp(plan->output, "-");
	if (to_pipe &&
	    (opts.switching || opts.switch_events_list.list.n || opts.timestamp_filename))
		return err_set(err, ERR_USAGE, "%s wants a file, not standard output",
			       opts.switching                   ? "--switch-output"
			       : opts.switch_events_list.list.n ? "--switch-output-event"
								: "--timestamp-filename");
	if (to_pipe && opts.compress) {
		err_set(err, ERR_USAGE, "-z compresses files, not standard output");
		return err_hint(err, "pipe it through zstd");
	}
	if (opts.realtime > 99)
		return err_set(err, ERR_USAGE, "-r wants a priority from 1 to 99, not %" PRIu64,
			       opts.realtime);
	if (opts.blocks && (to_pipe || opts.threads))
		return err_set(err, ERR_USAGE, "--aio writes one file, not %s",
			       to_pipe ? "standard output" : "those of --threads");
	if (opts.threads && opts.affinity)
		return err_set(err, ERR_USAGE,
			       "--threads says where its readers run, so --affinity has no say");
	if (opts.threads && (to_pipe || opts.per_thread))
		return err_set(err, ERR_USAGE, "--threads %s",
			       to_pipe ? "writes a directory, not standard output"
				       : "has buffers per CPU, --per-thread has none");
	if (opts.switch_max_files && !opts.switching && !opts.switch_events_list.list.n)
		return err_set(err, ERR_USAGE, "--switch-max-files wants --switch-output");
	if (plan->start_disabled && plan->control_fd < 0)
		return err_set(err, ERR_USAGE, "-D -1 waits for --control, which is missing");
	return true;
}

bool record_fill_plan(struct capture_plan *plan, struct record_targets *t,
		      void (*note)(const char *), struct err *err)
{
	if (!parse_targets(plan, t, err) ||
	    (opts.frequency && !value_frequency(opts.frequency, &plan->frequency, err)) ||
	    (opts.ring && !value_ring(opts.ring, &plan->ring_pages, err)) ||
	    (opts.mmap_flush &&
	     !value_size(opts.mmap_flush, "--mmap-flush", &plan->flush_bytes, err)) ||
	    (opts.max_size && !value_size(opts.max_size, "--max-size", &plan->max_bytes, err)) ||
	    (opts.delay && !value_delay(opts.delay, t, &plan->start_disabled, err)) ||
	    (opts.branch_filter && !value_branches(opts.branch_filter, &plan->branches, err)) ||
	    (opts.switching && !value_switch(opts.switch_output, &plan->switching, err)) ||
	    (opts.control && !value_control(opts.control, plan, err)) ||
	    (opts.clock && !value_clock(opts.clock, &plan->clock, err)))
		return false;
	if (opts.branch_any)
		plan->branches |= PERF_SAMPLE_BRANCH_ANY;
	plan->use_clock = opts.clock;
	plan->switching.max_files = opts.switch_max_files;
	plan->ranges = t->ranges.v;
	plan->range_count = t->ranges.n;
	choose_fields(plan);
	return check_conflicts(plan, err) && choose_scope(plan, t, note, err) &&
	       parse_events(plan, t, err);
}
