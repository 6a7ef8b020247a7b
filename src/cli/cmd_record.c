/* kiln record: checks the command, runs the capture plan, ends as signals and failures ask. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/file.h"
#include "capture/capture.h"
#include "cli/commands.h"
#include "cli/record_options.h"
#include "version.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127
#define EXIT_PERF_FAILED 255

#define opts record_opts

/* Set by the signal handlers: the signal that asked us to stop. */
static volatile int stop_signal;
/* How many times SIGUSR2 asked for a new file or a snapshot. */
static volatile int dump_signals;

static const struct example examples[] = {
	{"kiln record -g -- ./program", "sample a program and its children, with call stacks"},
	{"kiln record -F 999 -g -a -- sleep 10", "the whole system for ten seconds"},
	{"kiln record -g -p 1234", "a running process, until Ctrl-C"},
	{"kiln record -e sched:sched_switch,page-faults -a -- make", "other events"},
	{"kiln record -g -o - -- ./program | kiln script -i -", "through a pipe, without a file"},
	{0},
};

/* Our own words, for the recording's header, the program by its full path as perf has it. */
struct cmdline {
	struct str text;
	char program[4096];
	VEC(const char *) words;
};

static void read_cmdline(struct cmdline *c)
{
	if (!file_read("/proc/self/cmdline", 16 << 20, &c->text, NULL))
		return;
	for (const char *p = c->text.p; p < c->text.p + c->text.n; p += strlen(p) + 1)
		vec_push(&c->words, p);
	ssize_t n = readlink("/proc/self/exe", c->program, sizeof c->program - 1);
	if (n > 0 && c->words.n)
		c->words.v[0] = c->program;
}

/* --- the command --------------------------------------------------------------------------- */

/* Looks the command up as execvp will, so that a misspelt one fails before anything is touched. */
static int check_command(const char *name, struct err *err)
{
	struct str rest = str_of(getenv("PATH"));
	bool found = false, directory = false, is_path = strchr(name, '/');
	struct stat st;
	if (is_path || !rest.p)
		rest = STR("");
	while (rest.p) {
		char path[4096];
		struct str dir = str_split(rest, ':', &rest);
		snprintf(path, sizeof path, "%.*s%s%s", (int)dir.n, dir.p, dir.n ? "/" : "", name);
		if (stat(path, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			directory = true;
			continue;
		}
		if (access(path, X_OK) == 0)
			return EXIT_OK;
		found = true;
	}
	if (found) {
		err_set(err, ERR_INPUT, "%s may not be executed", name);
		err_hint(err, "chmod +x makes a file executable");
		return EXIT_NOT_EXECUTABLE;
	}
	if (directory && is_path) {
		err_set(err, ERR_INPUT, "%s is a directory, not a command", name);
		err_hint(err, "name a program in it");
		return EXIT_NOT_EXECUTABLE;
	}
	err_set(err, ERR_INPUT, "there is no command \"%s\"", name);
	if (is_path)
		err_hint(err, "there is no file of this name");
	else if (access(name, X_OK) == 0 && !directory)
		err_hint(err, "did you mean ./%s?", name);
	else
		err_hint(err, "it is in none of the directories of $PATH");
	return EXIT_NOT_FOUND;
}

/* --- running ------------------------------------------------------------------------------- */

static void on_signal(int number)
{
	stop_signal = number;
}

static void on_dump(int number)
{
	(void)number;
	dump_signals++;
}

static void on_nothing(int number)
{
	(void)number;
}

static void catch_signals(void)
{
	/* No SA_RESTART: a signal ends the wait it interrupts. */
	struct sigaction act = {.sa_handler = on_signal}, dump = {.sa_handler = on_dump};
	struct sigaction old;
	/* A file at its size limit (ulimit -f) is a failed write, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	/* Also where a shell started us in the background with SIGINT ignored: `kill -INT` is the
	 * way to end a recording there. */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	/* Where there is nothing to dump it does nothing, as in perf. */
	sigaction(SIGUSR2, &dump, NULL);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_nothing}, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &act, NULL);
}

/* Scripts that call perf tell its failures from those of the command by this status. */
static int fail(const struct command *cmd, const struct err *err)
{
	int code = cli_fail(cmd, err);
	return cli_as_perf() ? EXIT_PERF_FAILED : code;
}

/* Shells look whether we died of the signal, to know whether to go on. It is not us who left
 * something worth a core file. */
static void die_of(int number)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	signal(number, SIG_DFL);
	raise(number);
}

static int record(const struct command *cmd, const struct capture_plan *plan)
{
	struct capture_result result;
	struct diags diags = {0};
	struct err err = {0};
	catch_signals();
	bool ok = capture_run(plan, &stop_signal, &result, &diags, &err);
	if (plan->progress)
		cli_progress(NULL);
	int code = ok ? record_exit_code(&result) : fail(cmd, &err);
	if (!plan->dry_run && (ok || result.bytes))
		record_report(plan, &result, ok);
	if (ok && !opts.quiet && !plan->dry_run && plan->call_graph != CALL_GRAPH_NONE &&
	    !opts.switching && !opts.timestamp_filename && strcmp(plan->output, "-"))
		record_quality(plan->output);
	if (ok && (cli_as_perf() || opts.build_id_cache_set) && !opts.no_build_ids &&
	    !opts.no_build_id_cache && !plan->dry_run && !opts.switching &&
	    !opts.timestamp_filename && strcmp(plan->output, "-"))
		record_fill_cache(plan->output, opts.build_id_all);
	(void)cli_diags(cmd, &diags, opts.quiet);
	if (ok && stop_signal)
		die_of(stop_signal);
	else if (ok && code > 128 && code == 128 + record_command_signal(&result))
		die_of(code - 128);
	return result.exec_failed && !cli_as_perf() ? EXIT_NOT_EXECUTABLE : code;
}

static void list_registers(void)
{
	const struct arch *arch = arch_native();
	uint64_t known = capture_registers();
	for (unsigned i = 0; arch && i < 64; i++)
		if (known >> i & 1)
			printf("%s%s", arch_reg_name(arch, i), known >> i > 1 ? " " : "\n");
}

static bool check_output(const char *output, struct err *err)
{
	if (strcmp(output, "-") || !isatty(STDOUT_FILENO))
		return true;
	err_set(err, ERR_USAGE, "a recording is not fit for the terminal");
	return err_hint(err, "pipe it into something: kiln record -o - … | kiln report -i -");
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct record_targets targets = {0};
	struct cmdline cmdline = {0};
	struct capture_plan plan = {
		.events = &targets.events,
		.command = args->count ? args->args : NULL,
		.inherit = !opts.no_inherit,
		.per_thread = opts.per_thread,
		.period = opts.period,
		.user_rate = opts.frequency || opts.period,
		.no_samples = opts.no_samples,
		.sample_addr = opts.data,
		.sample_cpu = opts.sample_cpu,
		.sample_raw = opts.raw,
		.sample_period = opts.sample_period,
		.inherit_stat = opts.stat,
		.no_buffering = opts.no_buffering,
		.all_user = opts.all_user,
		.all_kernel = opts.all_kernel,
		.control_fd = -1,
		.ack_fd = -1,
		.dump = &dump_signals,
		.strict_rate = opts.strict_freq,
		.sample_identifier = opts.sample_identifier,
		.read_times = opts.running_time,
		.threads = opts.threads,
		.affinity = opts.affinity,
		.realtime = (int)MIN(opts.realtime, (uint64_t)INT32_MAX),
		.synth = opts.synth,
		.synth_last = opts.tail_synthesize,
		.synth_threads = (unsigned)MIN(opts.synth_threads, (uint64_t)256),
		.map_timeout_ms = opts.map_timeout,
		.overwrite = opts.overwrite,
		.compress = (unsigned)opts.compress,
		.blocks = opts.blocks,
		.timestamp_name = opts.timestamp_filename,
		.no_build_ids = opts.no_build_ids,
		.dry_run = opts.dry_run,
		.output = opts.output ? opts.output : "perf.data",
		.embed = opts.embed,
		.version = "kiln " KILN_VERSION,
		.verbose = opts.verbose > 0,
		.attr_dir = getenv("PERF_TEST_ATTR"),
		.note = record_note,
		.answer = record_answer,
		.written = record_written,
		.progress = isatty(STDERR_FILENO) && !opts.quiet ? record_progress : NULL,
	};
	if (opts.list_registers) {
		list_registers();
		return EXIT_OK;
	}
	int code = args->count ? check_command(args->args[0], &err) : EXIT_OK;
	if (code != EXIT_OK) {
		int failed = fail(cmd, &err);
		code = cli_as_perf() ? failed : code;
	} else if (!record_fill_plan(&plan, &targets, record_note, &err) ||
		   !check_output(plan.output, &err)) {
		code = fail(cmd, &err);
	} else {
		read_cmdline(&cmdline);
		plan.cmdline = cmdline.words.v;
		plan.cmdline_count = cmdline.words.n;
		code = record(cmd, &plan);
	}
	record_targets_free(&targets);
	vec_free(&cmdline.words);
	free((void *)cmdline.text.p);
	vec_free(&opts.events.list);
	vec_free(&opts.switch_events_list.list);
	vec_free(&opts.filters);
	vec_free(&opts.pfm_events);
	return code;
}

const struct command cmd_record = {
	.name = "record",
	.summary = "Sample a program, a process or the whole system into a file",
	.usage = "kiln record [OPTIONS] [--] [COMMAND [ARG]…]",
	.describe =
		"Runs COMMAND and samples it and its children, or watches what runs already (-p, -t, "
		"-a, -C): until COMMAND ends when one is given too, else until Ctrl-C. The file is "
		"perf's own format.\n\n"
		"An event may carry modifiers behind a colon: u user space, k kernel, p pp ppp more "
		"precise, P as precise as possible.",
	.examples = examples,
	.options = record_option_table,
	.stop_at_word = true,
	.run = run,
	.setting = record_setting,
};
