/* kiln fold: stacks, one per line. */
#include "analyze/tree.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "render/render.h"

static bool mark_inlined(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	const char *output;
	const char *event;
	bool pid, tid;
	bool kernel, jit, inlined, all;
	bool addrs;
	bool classic, srcline;
} opts = {.in = {.inlines = INLINE_ALL}};

static const struct option options[] = {
	{OPT_STRING, 'o', "output", "FILE", "write to FILE instead of standard output",
	 .value = &opts.output},
	{OPT_STRING, 'e', "event", "NAME", "stacks of this event (default: the first)",
	 .value = &opts.event},
	{OPT_STRING, 0, "event-filter", "NAME", "the same as --event", .value = &opts.event},
	{OPT_GROUP, .help = "names"},
	{OPT_BOOL, 0, "pid", NULL, "root is COMM-PID", .value = &opts.pid},
	{OPT_BOOL, 0, "tid", NULL, "root is COMM-PID/TID", .value = &opts.tid},
	{OPT_BOOL, 0, "kernel", NULL, "mark kernel functions with _[k]", .value = &opts.kernel},
	{OPT_BOOL, 0, "jit", NULL, "mark JIT-compiled functions with _[j]", .value = &opts.jit},
	{OPT_CALL, 0, "inline", NULL,
	 "mark inlined functions with _[i]; with --classic: show them; --no-inline: do not show them",
	 .call = mark_inlined},
	{OPT_BOOL, 0, "all", NULL, "all these marks", .value = &opts.all},
	{OPT_BOOL, 0, "addrs", NULL, "show the address where there is no symbol",
	 .value = &opts.addrs},
	{OPT_GROUP, .help = "compatibility"},
	{OPT_BOOL, 0, "classic", NULL, "exactly what stackcollapse-perf.pl prints, quirks included",
	 .value = &opts.classic},
	{OPT_BOOL, 0, "srcline", NULL,
	 "with --classic: text is from perf script -F +srcline; add the source lines to the names",
	 .value = &opts.srcline},
	{OPT_GROUP, .help = "input"},
	INPUT_FILE_OPTIONS(opts.in),
	STACK_OPTIONS(opts.in),
	{0},
};

static const struct example examples[] = {
	{"kiln fold -i perf.data > out.folded", "the stacks of a recording as text"},
	{"perf script | kiln fold -i - | flamegraph.pl > flame.svg",
	 "in place of stackcollapse-perf.pl"},
	{0},
};

static bool mark_inlined(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.inlined = !negated;
	return take_inline(&opts.in.inlines, text, negated, err);
}

static bool check(struct err *err)
{
	if (opts.srcline && !opts.classic)
		return err_set(err, ERR_USAGE, "--srcline is for --classic only");
	if (opts.classic && opts.in.reroot)
		return err_set(err, ERR_USAGE,
			       "--classic has its own roots: --reroot is not for it");
	/* The script shows them when asked only. */
	if (opts.classic && !opts.inlined)
		opts.in.inlines = INLINE_NONE;
	return true;
}

static bool fold(struct diags *d, struct err *err)
{
	struct classic_options classic = {.pid = opts.pid,
					  .tid = opts.tid,
					  .kernel = opts.kernel || opts.all,
					  .jit = opts.jit || opts.all,
					  .addrs = opts.addrs,
					  .srcline = opts.srcline,
					  .event = opts.event};
	struct load_options load = {.input = &opts.in,
				    .detail = opts.tid   ? IMPORT_BY_THREAD
					      : opts.pid ? IMPORT_BY_PROCESS
							 : IMPORT_BY_COMM,
				    .classic = opts.classic ? &classic : NULL};
	struct loaded in;
	if (!load_input(&in, &load, d, err))
		return false;
	bool text = in.kind == INPUT_FOLDED || opts.classic;
	struct tree_options shape = {.root = opts.tid   ? TREE_ROOT_COMM_TID
					     : opts.pid ? TREE_ROOT_COMM_PID
							: TREE_ROOT_COMM,
				     .weights = true,
				     .mark_kernel = opts.kernel || opts.all,
				     .mark_jit = opts.jit || opts.all,
				     .mark_inlined = opts.inlined || opts.all,
				     .addresses = opts.addrs,
				     .verbatim = text,
				     .folded = !text};
	if (text)
		shape.mark_kernel = shape.mark_jit = shape.mark_inlined = false;
	bool ok = text || load_event(&in, opts.event, &shape.event, d, err);
	/* Periods that are all 0 weigh nothing: then samples are counted. */
	if (ok && shape.event.v)
		shape.weights = in.profile->events.v[shape.event.v].weight > 0;
	struct tree tree = {0};
	if (ok)
		tree_build(&tree, in.profile, &shape);
	load_close(&in);
	struct out o;
	if (ok && (ok = output_open(&o, opts.output, err))) {
		render_folded(&o, &tree);
		ok = output_close(&o, opts.output, err);
	}
	tree_free(&tree);
	return ok;
}

static bool fold_input(struct diags *d, struct err *err)
{
	return check(err) && fold(d, err);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	return load_run(cmd, args, &opts.in, fold_input);
}

const struct command cmd_fold = {
	.name = "fold",
	.summary = "Print stacks, one per line: root;caller;callee WEIGHT",
	.usage = "kiln fold [OPTIONS] [FILE]",
	.describe =
		"Equal stacks are added up; the weight is the sum of the periods. The root is the "
		"name of the command. Lines are sorted.\n\nNames are printed whole, only ';' "
		"becomes ':'. With --classic they are cut as stackcollapse-perf.pl cuts them, so "
		"that old and new files can be compared.",
	.examples = examples,
	.options = options,
	.run = run,
};
