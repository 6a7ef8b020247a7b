/* kiln script: every sample as text, as perf prints it. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "ingest/event_text.h"
#include "perfdata/describe.h"

static bool add_fields(void *value, const char *text, bool negated, struct err *err);
static bool take_hide(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	struct event_text_options text;
	bool fields_ready;
	bool header, header_only, full_header;
} opts;

static const struct option options[] = {
	INPUT_OPTIONS(opts.in),
	{OPT_GROUP, 0, NULL, NULL, "what is printed"},
	{OPT_CALL, 'F', "fields", "FIELDS",
	 "fields to print: comm,tid,pid,time,cpu,event,trace,ip,sym,symoff,dso,srcline,…; +f adds, -f removes, TYPE: for one type",
	 .call = add_fields},
	{OPT_BOOL, 0, "ns", NULL, "times with nanoseconds", .value = &opts.text.nanoseconds},
	{OPT_BOOL, 0, "reltime", NULL, "times since the first sample",
	 .value = &opts.text.relative_time},
	{OPT_BOOL, 0, "deltatime", NULL, "times since the sample before",
	 .value = &opts.text.delta_time},
	{OPT_CALL, 'G', "hide-call-graph", NULL, "no call chains", .call = take_hide},
	SOURCE_OPTIONS(opts.in),
	{OPT_BOOL, 0, "header", NULL, "print the file's header first", .value = &opts.header},
	{OPT_BOOL, 0, "header-only", NULL, "print only the file's header",
	 .value = &opts.header_only},
	{OPT_BOOL, 'I', "show-info", NULL, "a longer header", .value = &opts.full_header},
	{OPT_GROUP, 0, NULL, NULL, "which samples"},
	FILTER_OPTIONS(opts.in),
	TIME_OPTION(opts.in),
	{OPT_STRING, 'S', "symbols", "LIST", "only samples in these functions",
	 .value = &opts.text.symbols},
	{OPT_STRING, 0, "dsos", "LIST", "only samples in these objects", .value = &opts.text.dsos},
	{0},
};

static bool add_fields(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	if (negated)
		return err_set(err, ERR_USAGE, "there is no option --no-fields");
	if (!opts.fields_ready)
		text_fields_init(&opts.text.fields);
	opts.fields_ready = true;
	return text_fields_parse(&opts.text.fields, text, err);
}

static bool take_hide(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)text;
	(void)err;
	opts.text.hide_callchains = !negated;
	return true;
}

static bool print_all(struct out *o, struct diags *d, struct err *err)
{
	struct ingest_options io;
	input_options_fill(&opts.in, &io);
	io.no_callchains = opts.text.hide_callchains;
	io.relative_times = opts.text.relative_time;
	io.addresses = text_fields_any(&opts.text.fields, TEXT_ADDR);
	if (text_fields_any(&opts.text.fields, TEXT_SRCLINE))
		io.lines = LINES_SCRIPT;
	struct ingest *in = ingest_open(input_path(&opts.in), &io, d, err);
	if (!in)
		return false;
	bool ok = true;
	if (opts.header || opts.header_only)
		perfdata_describe_header(o, ingest_perfdata(in), opts.full_header);
	if (!opts.header_only) {
		struct ingest_rows rows;
		ok = ingest_timed(in, &rows, err) &&
		     event_text_print(o, in, &rows, &opts.text, d, err);
	}
	ingest_close(in);
	return ok;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	if (!opts.fields_ready)
		text_fields_init(&opts.text.fields);
	struct err err = {0};
	if (!no_more_words(args, &err))
		return cli_fail(cmd, &err);
	struct diags diags = {0};
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	int code = print_all(&o, &diags, &err) ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, opts.in.quiet);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

static const struct example examples[] = {
	{"kiln script", "all samples of perf.data"},
	{"kiln script -F comm,pid,tid,time,ip,sym", "only these fields"},
	{"kiln script -F +pid --no-inline | less", "process ids too"},
	{0},
};

const struct command cmd_script = {
	.name = "script",
	.summary = "Print every sample as text",
	.usage = "kiln script [OPTIONS]",
	.describe =
		"Prints the samples of a recording in order of time, in the very text of perf script, which\n"
		"many tools read.",
	.examples = examples,
	.options = options,
	.run = run,
};
