/* kiln report: where the time went, as a table, in the very text of perf report --stdio. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "perfdata/describe.h"
#include "render/report_text.h"

static bool take_call_graph(void *value, const char *text, bool negated, struct err *err);
static bool take_percent_limit(void *value, const char *text, bool negated, struct err *err);
static bool take_percentage(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	struct filter_options filter;
	struct hist_request columns;
	struct callgraph_options graph;
	bool graph_set;
	bool children_set;
	bool inverted;
	double min_percent;
	bool relative;
	const char *separator;
	const char *symbol_part;
	bool header, header_only, full_header;
	bool stdio;
} opts = {.graph = {.min_percent = CALLGRAPH_MIN_PERCENT}};

static const struct option options[] = {
	INPUT_OPTIONS(opts.in),
	{OPT_GROUP, 0, NULL, NULL, "what is shown"},
	{OPT_STRING, 's', "sort", "KEYS",
	 "what tells entries apart: comm,dso,symbol,pid,cpu,trace; +KEY adds to the default",
	 .value = &opts.columns.sort},
	{OPT_STRING, 'F', "fields", "COLUMNS",
	 "columns: overhead,overhead_children,overhead_sys,overhead_us,sample,period and sort keys",
	 .value = &opts.columns.fields},
	{OPT_BOOL, 'n', "show-nr-samples", NULL, "a column with the number of samples",
	 .value = &opts.columns.samples},
	{OPT_BOOL, 0, "show-total-period", NULL, "a column with the sum of periods",
	 .value = &opts.columns.period},
	{OPT_BOOL, 0, "show-cpu-utilization", NULL, "columns for kernel and user mode",
	 .value = &opts.columns.utilization},
	{OPT_BOOL, 0, "children", NULL, "count also what a function calls",
	 .value = &opts.columns.children, .was_set = &opts.children_set},
	{OPT_CALL, 'g', "call-graph", "OPTIONS",
	 "graph|fractal|flat|folded|none,THRESHOLD[,LIMIT], caller|callee,function|address,percent|period|count",
	 .optional_arg = true, .next_word = true, .call = take_call_graph},
	{OPT_BOOL, 'G', "inverted", NULL, "call graphs begin at the caller",
	 .value = &opts.inverted},
	{OPT_CALL, 0, "percent-limit", "PERCENT", "leave out what is below",
	 .call = take_percent_limit},
	{OPT_CALL, 0, "percentage", "relative|absolute",
	 "of the samples that are shown, or of all (default)", .call = take_percentage},
	{OPT_STRING, 't', "field-separator", "SEP", "put SEP between columns",
	 .value = &opts.separator},
	{OPT_BOOL, 0, "header", NULL, "print the file's header first", .value = &opts.header},
	{OPT_BOOL, 0, "header-only", NULL, "print only the file's header",
	 .value = &opts.header_only},
	{OPT_BOOL, 'I', "show-info", NULL, "a longer header", .value = &opts.full_header},
	{OPT_BOOL, 0, "stdio", NULL, "text (there is nothing else)", .value = &opts.stdio},
	{OPT_GROUP, 0, NULL, NULL, "which samples"},
	{OPT_STRING, 'c', "comms", "LIST", "only these commands", .value = &opts.filter.comms},
	{OPT_STRING, 'd', "dsos", "LIST", "only in these objects", .value = &opts.filter.dsos},
	{OPT_STRING, 'S', "symbols", "LIST", "only in these functions",
	 .value = &opts.filter.symbols},
	{OPT_STRING, 0, "symbol-filter", "TEXT", "only in functions with TEXT in their names",
	 .value = &opts.symbol_part},
	{OPT_STRING, 0, "pid", "LIST", "only these processes", .value = &opts.filter.pids},
	{OPT_STRING, 0, "tid", "LIST", "only these threads", .value = &opts.filter.tids},
	{OPT_STRING, 'C', "cpu", "LIST", "only these CPUs (0,2-3)", .value = &opts.in.cpus},
	{0},
};

static bool take_call_graph(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	if (negated)
		text = "none";
	if (!callgraph_options_parse(&opts.graph, text ? text : CALLGRAPH_TEXT_DEFAULT, err))
		return false;
	opts.graph_set = opts.graph.mode != CALLGRAPH_NONE;
	return true;
}

/* It also is the threshold of call graphs, unless a later -g says otherwise. */
static bool take_percent_limit(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	char *end = NULL;
	double limit = text ? strtod(text, &end) : 0;
	if (negated || !text || end == text || *end || !(limit >= 0))
		return err_set(err, ERR_USAGE, "--percent-limit wants a number, not \"%s\"",
			       text ? text : "");
	opts.min_percent = opts.graph.min_percent = limit;
	return true;
}

static bool take_percentage(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.relative = text && !strcmp(text, "relative");
	if (negated || !text || (!opts.relative && strcmp(text, "absolute") != 0))
		return err_set(err, ERR_USAGE, "--percentage is relative or absolute");
	return true;
}

/* --- the parts of a report -------------------------------------------------------------------- */

static bool any_stacks(const struct profile *p)
{
	bool any = false;
	for (size_t i = 1; i < p->events.n; i++)
		any |= p->events.v[i].has_stacks;
	return any;
}

static bool only_tracepoints(const struct profile *p)
{
	bool only = p->events.n > 1;
	for (size_t i = 1; i < p->events.n; i++)
		only &= p->events.v[i].tracepoint;
	return only;
}

static bool mentions(const char *list, const char *word)
{
	return list && strstr(list, word);
}

/* perf counts children unless told not to, but never those of a pipe; kiln when told to. */
static void choose_children(void)
{
	if (!opts.children_set)
		opts.columns.children = cli_as_perf() ||
					mentions(opts.columns.fields, "overhead_children") ||
					mentions(opts.columns.sort, "overhead_children");
	if (opts.inverted || (opts.columns.children && !opts.graph.order_set))
		opts.graph.caller_first = true;
}

/* One value left in a column is said above the table instead. */
static void hide_single(struct out *o, struct hist_fields *fields)
{
	const struct {
		enum hist_field field;
		const char *list, *name;
	} lists[] = {{FIELD_COMM, opts.filter.comms, "comm"},
		     {FIELD_DSO, opts.filter.dsos, "dso"},
		     {FIELD_SYMBOL, opts.filter.symbols, "symbol"}};
	uint32_t mask = 0;
	for (size_t k = 0; k < fields->show_count; k++)
		for (size_t i = 0; i < ARRAY_LEN(lists); i++)
			if (fields->show[k] == lists[i].field && lists[i].list &&
			    filter_list_count(lists[i].list) == 1) {
				mask |= 1u << lists[i].field;
				out_fmt(o, "# %s: %s\n", lists[i].name, lists[i].list);
			}
	hist_fields_hide(fields, mask);
}

static bool set_columns(struct hist_options *h, struct ingest *in, struct err *err)
{
	const struct profile *p = ingest_profile(in);
	if (perfdata_header(ingest_perfdata(in))->pipe && !opts.children_set && cli_as_perf())
		opts.columns.children = false;
	opts.columns.tracepoints = only_tracepoints(p);
	opts.columns.ipc = cli_as_perf();
	if (!hist_fields_set(&h->fields, &opts.columns, err))
		return false;
	h->children = opts.columns.children && any_stacks(p);
	if (!h->children)
		hist_fields_no_children(&h->fields, &opts.columns);
	h->graphs = opts.graph.mode != CALLGRAPH_NONE && any_stacks(p);
	h->caller_first = opts.graph.caller_first;
	h->symbol_part = opts.symbol_part;
	if (opts.graph_set && !h->graphs) {
		err_set(err, ERR_INPUT,
			"the recording has no call chains, so -g has nothing to show");
		return err_hint(err, "record with -g");
	}
	return true;
}

/* What each thread was called at the end of the recording. */
static struct str *last_comms(struct ingest *in)
{
	const struct profile *p = ingest_profile(in);
	struct str *names = mem_calloc(p->threads.n, sizeof *names);
	for (size_t i = 1; i < p->threads.n; i++) {
		const struct profile_thread *t = &p->threads.v[i];
		struct session_who who = session_who_at(ingest_session(in), t->pid, t->tid,
							UINT64_MAX);
		bool known = who.comm.v && who.process == t->process;
		names[i] = known ? session_str(ingest_session(in), who.comm)
				 : profile_str(p, t->comm);
	}
	return names;
}

static void print_events(struct out *o, struct ingest *in, const struct hist_options *h,
			 struct diags *d)
{
	const struct profile *p = ingest_profile(in);
	CLEANUP(mem_free_ptr) struct str *comms = last_comms(in);
	struct report_options report = {
		.hist = h,
		.graph = &opts.graph,
		.min_percent = opts.min_percent,
		.separator = opts.separator,
		.quiet = opts.in.quiet,
		.relative = opts.relative,
		.dso_filter = opts.filter.dsos,
		.skip_first_frame = !opts.columns.fields && opts.columns.sort &&
				    !strncmp(opts.columns.sort, "sym", 3),
	};
	struct hist_keys keys;
	hist_keys_init(&keys, p, &h->fields, opts.graph.by_address, comms);
	bool any = false;
	for (uint32_t i = 1; i < p->events.n; i++) {
		struct hist hist;
		hist_build(&hist, &keys, h, (event_id){i});
		if (hist.total_count)
			report_text_event(o, &hist, &keys, &report);
		any |= hist.total_count != 0;
		hist_free(&hist);
	}
	hist_keys_free(&keys);
	if (!any)
		diag_add(d, DIAG_NOTE, 1, "%s has no samples", input_path(&opts.in));
}

static void print_lost(struct out *o, const struct profile *p)
{
	uint64_t lost = 0;
	for (size_t i = 1; i < p->events.n; i++)
		lost += p->events.v[i].lost;
	out_fmt(o, "#\n# Total Lost Samples: %" PRIu64 "\n#\n", lost);
}

static bool report(struct out *o, struct ingest *in, struct diags *d, struct err *err)
{
	const struct profile *p = ingest_profile(in);
	struct hist_options h = {0};
	if (!set_columns(&h, in, err))
		return false;
	if (!opts.in.quiet && (opts.header || opts.header_only))
		perfdata_describe_header(o, ingest_perfdata(in), opts.full_header);
	else if (!opts.in.quiet)
		out_cstr(o, "# To display the perf.data header info, please use "
			    "--header/--header-only options.\n#\n");
	if (opts.header_only)
		return true;
	if (hist_fields_sort_by(&h.fields, FIELD_TRACE) && !ingest_by_trace(in, err))
		return false;
	if (!ingest_aggregate(in, err) || !filter_init(&h.filter, p, &opts.filter, err))
		return false;
	hide_single(o, &h.fields);
	if (!opts.in.quiet)
		print_lost(o, p);
	print_events(o, in, &h, d);
	filter_free(&h.filter);
	return true;
}

static bool check(const struct parsed *args, struct err *err)
{
	if (args->count > 1)
		return err_set(err, ERR_USAGE, "\"%s\": only one word, a part of symbols' names",
			       args->args[1]);
	if (args->count)
		opts.symbol_part = args->args[0];
	if (opts.separator && (!opts.separator[0] || opts.separator[0] == '.'))
		return err_set(err, ERR_USAGE, "'.' cannot be the field separator");
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct hist_fields asked;
	choose_children();
	if (!check(args, &err) || !hist_fields_set(&asked, &opts.columns, &err))
		return cli_fail(cmd, &err);
	struct ingest_options io;
	input_options_fill(&opts.in, &io);
	io.no_callchains = !opts.columns.children && opts.graph.mode == CALLGRAPH_NONE;
	io.by_cpu = hist_fields_sort_by(&asked, FIELD_CPU);
	io.by_thread = true;
	io.merge_threads = !hist_fields_sort_by(&asked, FIELD_PID) &&
			   !hist_fields_sort_by(&asked, FIELD_TID) && !opts.filter.pids &&
			   !opts.filter.tids;

	struct diags diags = {0};
	struct ingest *in = ingest_open(input_path(&opts.in), &io, &diags, &err);
	if (!in)
		return cli_fail(cmd, &err);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	int code = report(&o, in, &diags, &err) ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, opts.in.quiet);
	ingest_close(in);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

static const struct example examples[] = {
	{"kiln report", "functions by their own time, with their callers"},
	{"kiln report --children -g caller", "functions by their time with all they call"},
	{"kiln report -g none --sort comm,dso", "programs and libraries only"},
	{"kiln report -g none -t, -F overhead,sample,sym", "for another program to read"},
	{0},
};

const struct command cmd_report = {
	.name = "report",
	.summary = "Show where the time went, as a table",
	.usage = "kiln report [OPTIONS] [SYMBOL-PART]",
	.describe =
		"Adds up the samples of a recording by command, object and function (or other keys) and lists\n"
		"the heaviest first, each with the call chains that led there.",
	.examples = examples,
	.options = options,
	.run = run,
};
