/* kiln evlist: the events in a recording. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "perfdata/describe.h"
#include "perfdata/tracing.h"

static struct {
	const char *input;
	bool freq, group, trace_fields, force;
	int verbose;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'i', "input", "FILE", "the recording (default perf.data; - is stdin)",
	 .value = &opts.input},
	{OPT_BOOL, 'F', "freq", NULL, "show the sampling frequency or period", .value = &opts.freq},
	{OPT_COUNT, 'v', "verbose", NULL, "show every attribute", .value = &opts.verbose},
	{OPT_BOOL, 'g', "group", NULL, "show groups as {leader,member}", .value = &opts.group},
	{OPT_BOOL, 0, "trace-fields", NULL, "show the fields of tracepoints",
	 .value = &opts.trace_fields},
	{OPT_BOOL, 'f', "force", NULL, "no complaint about who owns the file (none is made)",
	 .value = &opts.force},
	{0},
};

static enum describe_event what(void)
{
	if (opts.group)
		return DESCRIBE_GROUP;
	if (opts.verbose)
		return DESCRIBE_ATTR;
	return opts.freq ? DESCRIBE_FREQ : DESCRIBE_NAME;
}

static void print_events(struct out *o, const struct perfdata *pd)
{
	const struct perfdata_header *h = perfdata_header(pd);
	struct tracing *fields = opts.trace_fields ? tracing_new(h->tracing_data, h->swapped)
						   : NULL;
	bool tracepoint = false;
	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		perfdata_describe_event(o, pd, i, what(), fields);
		tracepoint |= perfdata_event(pd, i)->attr.type == PERF_TYPE_TRACEPOINT;
	}
	if (tracepoint && !opts.trace_fields)
		out_fmt(o,
			"# Tip: use '%s evlist --trace-fields' to show fields for tracepoint events\n",
			cli_name());
	tracing_free(fields);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	if (!no_more_words(args, &err))
		return cli_fail(cmd, &err);
	if (opts.group && (opts.verbose || opts.freq)) {
		err_set(&err, ERR_USAGE, "--group option is not compatible with other options");
		return cli_fail(cmd, &err);
	}
	const struct perfdata_options how = {.temp_dir = cli_temp_dir()};
	struct perfdata *pd = perfdata_open(opts.input ? opts.input : "perf.data", &how, &diags,
					    &err);
	if (!pd)
		return cli_fail(cmd, &err);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	print_events(&o, pd);
	perfdata_close(pd);
	return cli_finish_stdout(cmd, &o, cli_diags(cmd, &diags, false));
}

const struct command cmd_evlist = {
	.name = "evlist",
	.summary = "List the events in a recording",
	.usage = "kiln evlist [-i FILE] [-F | -v | -g] [--trace-fields]",
	.describe = "One line per event, by the name it was recorded under.",
	.examples =
		(const struct example[]){
			{"kiln evlist -v", "how each event was set up, attribute by attribute"},
			{"kiln evlist -g -i other.data", "which events were counted together"},
			{0},
		},
	.options = options,
	.run = run,
};
