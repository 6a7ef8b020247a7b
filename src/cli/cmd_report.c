/* kiln report: where the time went, as a table, in the very text of perf report --stdio. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/config.h"
#include "cli/report.h"
#include "perfdata/describe.h"

static bool take_call_graph(void *value, const char *text, bool negated, struct err *err);
static bool take_percent_limit(void *value, const char *text, bool negated, struct err *err);
static bool take_quality(void *value, const char *text, bool negated, struct err *err);
static bool take_percentage(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	struct report_setup report;
	bool children_set;
	bool inverted;
	bool header, header_only, full_header;
	bool stdio;
	bool quality, json;
} opts = {.report = {.graph = {.min_percent = CALLGRAPH_MIN_PERCENT}}};

static const struct option options[] = {
	INPUT_OPTIONS(opts.in),
	{OPT_GROUP, 0, NULL, NULL, "what is shown"},
	{OPT_STRING, 's', "sort", "KEYS",
	 "what tells entries apart: comm,dso,symbol,pid,cpu,srcline,srcfile,trace; +KEY adds to the default",
	 .value = &opts.report.columns.sort},
	{OPT_STRING, 'F', "fields", "COLUMNS",
	 "columns: overhead,overhead_children,overhead_sys,overhead_us,sample,period and sort keys",
	 .value = &opts.report.columns.fields},
	{OPT_BOOL, 'n', "show-nr-samples", NULL, "a column with the number of samples",
	 .value = &opts.report.columns.samples},
	{OPT_BOOL, 0, "show-total-period", NULL, "a column with the sum of periods",
	 .value = &opts.report.columns.period},
	{OPT_BOOL, 0, "show-cpu-utilization", NULL, "columns for kernel and user mode",
	 .value = &opts.report.columns.utilization},
	{OPT_BOOL, 0, "children", NULL, "count also what a function calls",
	 .value = &opts.report.columns.children, .was_set = &opts.children_set},
	{OPT_CALL, 'g', "call-graph", "OPTIONS",
	 "graph|fractal|flat|folded|none,THRESHOLD[,LIMIT], caller|callee,function|address|srcline,percent|period|count",
	 .optional_arg = true, .next_word = true, .call = take_call_graph},
	{OPT_BOOL, 'G', "inverted", NULL, "call graphs begin at the caller",
	 .value = &opts.inverted},
	{OPT_CALL, 0, "percent-limit", "PERCENT", "leave out what is below",
	 .call = take_percent_limit},
	{OPT_CALL, 0, "percentage", "relative|absolute",
	 "of the samples that are shown, or of all (default)", .call = take_percentage},
	{OPT_STRING, 't', "field-separator", "SEP", "put SEP between columns",
	 .value = &opts.report.separator},
	{OPT_BOOL, 0, "header", NULL, "print the file's header first", .value = &opts.header},
	{OPT_BOOL, 0, "header-only", NULL, "print only the file's header",
	 .value = &opts.header_only},
	{OPT_BOOL, 'I', "show-info", NULL, "a longer header", .value = &opts.full_header},
	{OPT_BOOL, 0, "no-group", NULL, "a table for each event of a group",
	 .value = &opts.report.no_group},
	{OPT_BOOL, 0, "stdio", NULL, "text (there is nothing else)", .value = &opts.stdio},
	SOURCE_OPTIONS(opts.in),
	{OPT_CALL, 0, "quality", "text|json",
	 "instead: how many stacks are whole, where the others end, and what helps",
	 .optional_arg = true, .call = take_quality},
	STACK_OPTIONS(opts.in),
	{OPT_GROUP, 0, NULL, NULL, "which samples"},
	{OPT_STRING, 'c', "comms", "LIST", "only these commands",
	 .value = &opts.report.filter.comms},
	{OPT_STRING, 'd', "dsos", "LIST", "only in these objects",
	 .value = &opts.report.filter.dsos},
	{OPT_STRING, 'S', "symbols", "LIST", "only in these functions",
	 .value = &opts.report.filter.symbols},
	{OPT_STRING, 0, "symbol-filter", "TEXT", "only in functions with TEXT in their names",
	 .value = &opts.report.symbol_part},
	{OPT_STRING, 0, "pid", "LIST", "only these processes", .value = &opts.report.filter.pids},
	{OPT_STRING, 0, "tid", "LIST", "only these threads", .value = &opts.report.filter.tids},
	{OPT_STRING, 'C', "cpu", "LIST", "only these CPUs (0,2-3)", .value = &opts.in.cpus},
	TIME_OPTION(opts.in),
	{0},
};

static bool take_call_graph(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	if (negated)
		text = "none";
	if (!callgraph_options_parse(&opts.report.graph, text ? text : CALLGRAPH_TEXT_DEFAULT, err))
		return false;
	opts.report.graph_asked = opts.report.graph.mode != CALLGRAPH_NONE;
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
	opts.report.min_percent = opts.report.graph.min_percent = limit;
	return true;
}

static bool take_percentage(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.report.relative = text && !strcmp(text, "relative");
	if (negated || !text || (!opts.report.relative && strcmp(text, "absolute") != 0))
		return err_set(err, ERR_USAGE, "--percentage is relative or absolute");
	return true;
}

static bool take_quality(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.quality = !negated;
	opts.json = text && !strcmp(text, "json");
	if (text && !opts.json && strcmp(text, "text") != 0)
		return err_set(err, ERR_USAGE, "--quality is text or json, not \"%s\"", text);
	return true;
}

static bool mentions(const char *list, const char *word)
{
	return list && strstr(list, word);
}

/* perf counts children unless told not to; kiln when told to. */
static void choose_children(void)
{
	struct hist_request *c = &opts.report.columns;
	if (!opts.children_set)
		c->children = cli_as_perf() || mentions(c->fields, "overhead_children") ||
			      mentions(c->sort, "overhead_children");
	if (opts.inverted || (c->children && !opts.report.graph.order_set))
		opts.report.graph.caller_first = true;
}

static bool take_setting(const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "report.children")) {
		opts.children_set = true;
		return config_bool(name, value, &opts.report.columns.children, err);
	}
	if (!strcmp(name, "report.percent-limit"))
		return take_percent_limit(NULL, value, false, err);
	if (!strcmp(name, "report.sort_order"))
		opts.report.columns.sort = value;
	if (!strcmp(name, "call-graph.threshold") || !strcmp(name, "call-graph.print-limit")) {
		char *end;
		double number = strtod(value, &end);
		if (end == value || *end || !(number >= 0))
			return err_set(err, ERR_USAGE, "%s is a number, not \"%s\"", name, value);
		if (!strcmp(name, "call-graph.threshold"))
			opts.report.graph.min_percent = number;
		else
			opts.report.graph.print_limit = (uint32_t)MIN(number, UINT32_MAX);
		return true;
	}
	if (!strcmp(name, "call-graph.print-type") || !strcmp(name, "call-graph.order") ||
	    !strcmp(name, "call-graph.sort-key"))
		return callgraph_options_parse(&opts.report.graph, value, err);
	return true;
}

static bool report(struct out *o, struct ingest *in, struct diags *d, struct err *err)
{
	/* perf does not know of a pipe's stacks before it has decided. */
	if (perfdata_header(ingest_perfdata(in))->pipe && !opts.children_set && cli_as_perf())
		opts.report.columns.children = false;
	if (opts.quality)
		return report_quality(o, in, opts.json, err);
	struct hist_options h;
	if (!report_prepare(&opts.report, in, &h, err))
		return false;
	if (!opts.in.quiet && (opts.header || opts.header_only))
		perfdata_describe_header(o, ingest_perfdata(in), opts.full_header);
	else if (!opts.in.quiet)
		out_cstr(o, "# To display the perf.data header info, please use "
			    "--header/--header-only options.\n#\n");
	return opts.header_only || report_print(o, in, &opts.report, &h, d, err);
}

static bool check(const struct parsed *args, struct err *err)
{
	if (args->count > 1)
		return err_set(err, ERR_USAGE, "\"%s\": only one word, a part of symbols' names",
			       args->args[1]);
	if (args->count)
		opts.report.symbol_part = args->args[0];
	if (opts.report.separator && (!opts.report.separator[0] || opts.report.separator[0] == '.'))
		return err_set(err, ERR_USAGE, "'.' cannot be the field separator");
	return true;
}

/* What must be read, and told apart, for these columns. */
static void choose_input(struct ingest_options *io, const struct hist_fields *columns)
{
	const struct filter_options *filter = &opts.report.filter;
	input_options_fill(&opts.in, io);
	io->no_callchains = !opts.quality && !opts.report.columns.children &&
			    opts.report.graph.mode == CALLGRAPH_NONE;
	/* perf counts from where its graphs begin. */
	if (opts.report.graph.caller_first) {
		opts.report.max_depth = io->max_stack;
		io->max_stack = 0;
	}
	io->lines = LINES_NONE;
	if (hist_fields_lines(columns) ||
	    (opts.report.graph.mode != CALLGRAPH_NONE && opts.report.graph.syms != SYM_FUNCTION))
		io->lines = LINES_REPORT;
	io->by_cpu = hist_fields_sort_by(columns, FIELD_CPU);
	io->by_thread = true;
	io->merge_threads = !hist_fields_sort_by(columns, FIELD_PID) &&
			    !hist_fields_sort_by(columns, FIELD_TID) && !filter->pids &&
			    !filter->tids;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct hist_fields columns;
	opts.report.quiet = opts.in.quiet;
	opts.report.times = opts.in.times;
	opts.report.columns.ipc = cli_as_perf();
	choose_children();
	if (!check(args, &err) || !hist_fields_set(&columns, &opts.report.columns, &err))
		return cli_fail(cmd, &err);
	struct ingest_options io;
	choose_input(&io, &columns);
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
	{"kiln report --quality", "whether the stacks can be trusted, and what would help"},
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
	.setting = take_setting,
};
