/* kiln diff: what changed between recordings, in the very text of perf diff, and whether it is more
 * than noise. */
#include <unistd.h>

#include "base/arena.h"
#include "cli/commands.h"
#include "cli/diff.h"

static bool take_compute(void *value, const char *text, bool negated, struct err *err);
static bool take_by(void *value, const char *text, bool negated, struct err *err);
static bool take_percentage(void *value, const char *text, bool negated, struct err *err);
static bool refuse_branches(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	struct diff_setup diff;
	const char *keys, *times;
	uint64_t order;
	bool modules, no_noise;
} opts = {.order = 1, .diff = {.diff = {.compute = DIFF_DELTA_ABS}}};

static const struct option options[] = {
	{OPT_GROUP, .help = "what is compared"},
	{OPT_CALL, 'c', "compute", "HOW",
	 "delta|delta-abs|ratio|wdiff:W1,W2: difference of shares (default delta-abs), new / old, new * W2 - old * W1",
	 .call = take_compute},
	{OPT_CALL, 0, "by", "WHAT", "function|stack|dso: what a row is (default function)",
	 .call = take_by},
	{OPT_STRING, 's', "sort", "KEYS",
	 "what tells rows apart: dso,symbol,comm,pid,cpu,trace; +KEY adds to the default",
	 .value = &opts.keys},
	{OPT_U64, 'o', "order", "N",
	 "order by differences of file N (default 1; 0: by the baseline)", .value = &opts.order},
	{OPT_BOOL, 'b', "baseline-only", NULL, "only rows that the baseline has, too",
	 .value = &opts.diff.diff.baseline_only},
	{OPT_BOOL, 0, "significant", NULL,
	 "only rows whose difference is larger than chance explains",
	 .value = &opts.diff.diff.significant},
	{OPT_GROUP, .help = "what is shown"},
	{OPT_BOOL, 0, "no-noise", NULL, "only perf's columns", .value = &opts.no_noise},
	{OPT_BOOL, 'p', "period", NULL, "columns with the sums of periods",
	 .value = &opts.diff.text.period},
	{OPT_BOOL, 'F', "formula", NULL, "a column that shows the calculation",
	 .value = &opts.diff.text.formula},
	{OPT_CALL, 0, "percentage", "relative|absolute",
	 "of the samples that are shown, or of all (default)", .call = take_percentage},
	{OPT_STRING, 't', "field-separator", "SEP", "put SEP between columns",
	 .value = &opts.diff.text.separator},
	{OPT_BOOL, 'q', "quiet", NULL, "only rows and errors", .value = &opts.in.quiet},
	{OPT_COUNT, 'v', "verbose", NULL, "name the files also when there are only two",
	 .value = &opts.in.verbose},
	{OPT_GROUP, .help = "which samples"},
	{OPT_STRING, 'C', "comms", "LIST", "only these commands", .value = &opts.diff.filter.comms},
	{OPT_STRING, 'd', "dsos", "LIST", "only in these objects", .value = &opts.diff.filter.dsos},
	{OPT_STRING, 'S', "symbols", "LIST", "only in these functions",
	 .value = &opts.diff.filter.symbols},
	{OPT_STRING, 0, "pid", "LIST", "only these processes", .value = &opts.diff.filter.pids},
	{OPT_STRING, 0, "tid", "LIST", "only these threads", .value = &opts.diff.filter.tids},
	{OPT_STRING, 0, "cpu", "LIST", "only these CPUs (0,2-3)", .value = &opts.in.cpus},
	{OPT_STRING, 0, "time", "RANGES",
	 "only these times: START,END in seconds, 10%/2, 0%-10%,30%-40%; with ':' between them, of one file after the other",
	 .value = &opts.times},
	{OPT_GROUP, .help = "symbols"},
	{OPT_STRING, 0, "symfs", "DIR", "look for binaries below DIR", .value = &opts.in.symfs},
	{OPT_STRING, 0, "kallsyms", "FILE", "kernel symbols from FILE", .value = &opts.in.kallsyms},
	{OPT_BOOL, 'm', "modules", NULL, "symbols of kernel modules (they are always looked up)",
	 .value = &opts.modules},
	{OPT_BOOL, 0, "no-demangle", NULL, "show symbols as they are in the file",
	 .value = &opts.in.no_demangle},
	{OPT_GROUP, .help = "other"},
	{OPT_U64, 0, "threads", "N", "worker threads (default: one per CPU)",
	 .value = &opts.in.threads},
	{OPT_BOOL, 'f', "force", NULL, "no complaint about who owns the files (none is made)",
	 .value = &opts.in.force},
	{OPT_CALL, 0, "stream", NULL, "not done: needs branch stacks", .call = refuse_branches,
	 .hidden = true},
	{OPT_CALL, 0, "cycles-hist", NULL, "not done: needs branch stacks", .call = refuse_branches,
	 .hidden = true},
	{0},
};

static bool refuse_branches(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)text;
	(void)negated;
	err_set(err, ERR_UNSUPPORTED,
		"cycles of basic blocks and hot streams need branch stacks, which kiln does not compare");
	return err_hint(err, "compare functions with -c delta, ratio or wdiff:W1,W2");
}

/* "wdiff:W1,W2" */
static bool take_weights(const char *text, struct err *err)
{
	struct str w2, w1 = str_split(str_of(text), ',', &w2);
	if (str_to_i64(w1, &opts.diff.diff.w1) && w2.p && str_to_i64(w2, &opts.diff.diff.w2) &&
	    opts.diff.diff.w1 && opts.diff.diff.w2)
		return true;
	return err_set(err, ERR_USAGE,
		       "-c wdiff wants two weights that are not 0, as in wdiff:1,2, not \"%s\"",
		       text);
}

static bool take_compute(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	static const struct {
		const char *name;
		enum diff_compute compute;
	} all[] = {{"delta", DIFF_DELTA},
		   {"delta-abs", DIFF_DELTA_ABS},
		   {"ratio", DIFF_RATIO},
		   {"wdiff", DIFF_WDIFF}};
	struct str weights = {0}, name = str_split(str_of(text ? text : ""), ':', &weights);
	if (negated || str_is(name, "cycles"))
		return refuse_branches(NULL, NULL, false, err);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!str_is(name, all[i].name))
			continue;
		opts.diff.diff.compute = all[i].compute;
		if (all[i].compute == DIFF_WDIFF)
			return take_weights(weights.p ? weights.p : "", err);
		if (weights.p)
			break;
		return true;
	}
	return err_set(err, ERR_USAGE, "-c is delta, delta-abs, ratio or wdiff:W1,W2, not \"%s\"",
		       text);
}

static bool take_setting(const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "diff.order"))
		return str_to_u64(str_of(value), 10, &opts.order) ||
		       err_set(err, ERR_USAGE, "diff.order is a number, not \"%s\"", value);
	return strcmp(name, "diff.compute") != 0 || take_compute(NULL, value, false, err);
}

static bool take_by(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.diff.by = DIFF_BY_KEYS;
	if (negated || !strcmp(text, "function"))
		opts.diff.keys = "dso,symbol";
	else if (!strcmp(text, "dso"))
		opts.diff.keys = "dso";
	else if (!strcmp(text, "stack"))
		opts.diff.by = DIFF_BY_STACK;
	else
		return err_set(err, ERR_USAGE, "--by is function, stack or dso, not \"%s\"", text);
	return true;
}

static bool take_percentage(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	opts.diff.diff.relative = text && !strcmp(text, "relative");
	if (negated || !text || (!opts.diff.diff.relative && strcmp(text, "absolute") != 0))
		return err_set(err, ERR_USAGE, "--percentage is relative or absolute");
	return true;
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool choose_keys(struct arena *a, struct err *err)
{
	struct diff_setup *s = &opts.diff;
	if (opts.keys && (s->keys || s->by == DIFF_BY_STACK))
		return err_set(err, ERR_USAGE, "--by and --sort both say what a row is");
	s->text.stacks = s->by == DIFF_BY_STACK;
	if (s->text.stacks)
		s->keys = "trace";
	else if (!s->keys)
		s->keys = opts.keys ? opts.keys : "dso,symbol";
	if (s->keys[0] == '+')
		s->keys = arena_printf(a, "dso,symbol,%s", s->keys + 1);
	struct hist_fields fields;
	struct hist_request columns = {.fields = s->keys};
	if (!hist_fields_set(&fields, &columns, err))
		return false;
	for (size_t i = 0; i < fields.show_count; i++)
		if (!hist_field_is_key(fields.show[i]))
			return err_set(err, ERR_USAGE, "--sort takes keys, and \"%s\" is a number",
				       hist_field_name(fields.show[i]));
	return true;
}

/* BASELINE FILE…; one word is the new file. */
static bool choose_files(const struct parsed *args, struct arena *a, struct err *err)
{
	struct diff_setup *s = &opts.diff;
	s->count = MAX(args->count, 2);
	const char **files = arena_zalloc(a, s->count * sizeof *files);
	files[0] = args->count > 1 ? args->args[0] : "perf.data.old";
	files[1] = args->count == 1 ? args->args[0] : args->count ? args->args[1] : "perf.data";
	for (size_t i = 2; i < args->count; i++)
		files[i] = args->args[i];
	s->files = s->text.names = files;
	if (opts.order < s->count)
		return true;
	err_set(err, ERR_USAGE, "-o %" PRIu64 " names no file: there are 0 to %zu", opts.order,
		s->count - 1);
	return err_hint(err, "0 is the baseline, 1 the next file");
}

/* "0,5:3,8": each file has its own times. */
static bool choose_times(struct arena *a, struct err *err)
{
	struct diff_setup *s = &opts.diff;
	s->times = arena_zalloc(a, s->count * sizeof *s->times);
	bool several = opts.times && strchr(opts.times, ':');
	for (size_t i = 0; i < s->count && !several; i++)
		s->times[i] = opts.times;
	size_t n = 0;
	struct str rest = str_of(several ? opts.times : NULL);
	while (rest.p) {
		struct str one = str_split(rest, ':', &rest);
		if (n < s->count)
			s->times[n] = arena_str(a, one).p;
		n++;
	}
	if (!several || n == s->count)
		return true;
	return err_set(err, ERR_USAGE, "--time \"%s\" is for %zu files, and there are %zu",
		       opts.times, n, s->count);
}

static bool prepare(const struct parsed *args, struct arena *a, struct err *err)
{
	struct diff_setup *s = &opts.diff;
	if (s->text.separator && (!s->text.separator[0] || s->text.separator[0] == '.'))
		return err_set(err, ERR_USAGE, "'.' cannot be the field separator");
	s->in = &opts.in;
	s->diff.order = opts.order;
	s->diff.test = s->diff.significant || (!cli_as_perf() && !opts.no_noise);
	s->text.diff = &s->diff;
	s->text.quiet = opts.in.quiet;
	s->text.list_files = opts.in.verbose > 0;
	s->text.dso_filter = s->filter.dsos != NULL;
	return choose_keys(a, err) && choose_files(args, a, err) && choose_times(a, err);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	CLEANUP(arena_free) struct arena arena = {0};
	if (!prepare(args, &arena, &err))
		return cli_fail(cmd, &err);
	struct diags diags = {0};
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	int code = diff_print(&o, &opts.diff, &diags, &err) ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, opts.in.quiet);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

static const struct example examples[] = {
	{"kiln diff",
	 "perf.data.old and perf.data: which functions take more of the time, which less"},
	{"kiln diff --significant before.data after.data", "only what is more than chance"},
	{"kiln diff -c ratio --by dso before.data after.data", "libraries, new time / old time"},
	{"kiln diff -o 2 base.data one.data two.data", "two against one, ordered by the second"},
	{0},
};

const struct command cmd_diff = {
	.name = "diff",
	.summary = "Compare recordings: what takes more time, what less, and what is only noise",
	.usage = "kiln diff [OPTIONS] [BASELINE [FILE...]]",
	.describe =
		"Lists functions by how much their share of the samples changed from the first file "
		"to the others. Without files: from perf.data.old to perf.data.\n\nNoise is half of "
		"the interval that the difference lies in with 95 % certainty. Chance is how often "
		"two runs of the same program would differ so in one row of the table; a star marks "
		"what is below 5 %. Files may also be folded stacks or the text of perf script.",
	.examples = examples,
	.options = options,
	.run = run,
	.setting = take_setting,
};
