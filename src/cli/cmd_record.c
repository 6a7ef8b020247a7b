/* kiln record: from options to a capture plan, and from its result to messages and exit code. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture.h"
#include "capture/cpus.h"
#include "cli/commands.h"
#include "version.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static struct {
	struct opt_strings events;
	const char *frequency, *pids, *tids, *cpus, *output, *ring;
	uint64_t period;
	bool all_cpus, group, call_graph, no_inherit, per_thread, all_user, all_kernel;
	bool data, timestamp, raw, sample_cpu, quiet, strict;
	int verbose;
} opts;

/* Set by the signal handlers: the signal that asked us to stop. */
static volatile int stop_signal;

static bool set_call_graph(void *value, const char *text, bool negated, struct err *err)
{
	*(bool *)value = !negated;
	struct str rest, mode = text ? str_split(str_of(text), ',', &rest) : STR("fp");
	if (negated || str_is(mode, "fp"))
		return true;
	if (str_is(mode, "no")) {
		*(bool *)value = false;
		return true;
	}
	if (!str_is(mode, "dwarf") && !str_is(mode, "lbr"))
		return err_set(err, ERR_USAGE, "--call-graph knows fp, not \"%s\"", text);
	err_set(err, ERR_UNSUPPORTED, "--call-graph %.*s is not there yet", (int)mode.n, mode.p);
	return err_hint(err, "--call-graph fp works for code built with -fno-omit-frame-pointer");
}

static const struct option options[] = {
	{OPT_GROUP, .help = "what to record"},
	{OPT_STRING, 'p', "pid", "PID,…", "existing processes, all their threads",
	 .value = &opts.pids},
	{OPT_STRING, 't', "tid", "TID,…", "existing threads", .value = &opts.tids},
	{OPT_BOOL, 'a', "all-cpus", NULL, "the whole system (the default without a command)",
	 .value = &opts.all_cpus},
	{OPT_STRING, 'C', "cpu", "CPUS", "everything on these CPUs: 0-3,8", .value = &opts.cpus},
	{OPT_BOOL, 'i', "no-inherit", NULL, "not the children of what is recorded",
	 .value = &opts.no_inherit},
	{OPT_BOOL, 0, "per-thread", NULL, "one buffer per thread, and no children",
	 .value = &opts.per_thread},

	{OPT_GROUP, .help = "events"},
	{OPT_STRINGS, 'e', "event", "EVENT,…",
	 "cycles, cpu-clock, page-faults, L1-dcache-load-misses, r1a8, sched:sched_switch, irq:* …",
	 .value = &opts.events},
	{OPT_BOOL, 0, "group", NULL, "all events as one group: {a,b} says it for some",
	 .value = &opts.group},
	{OPT_STRING, 'F', "freq", "HZ|max", "samples per second (default 4000)",
	 .value = &opts.frequency},
	{OPT_U64, 'c', "count", "N", "one sample every N events", .value = &opts.period},
	{OPT_BOOL, 0, "all-user", NULL, "only user space", .value = &opts.all_user},
	{OPT_BOOL, 0, "all-kernel", NULL, "only the kernel", .value = &opts.all_kernel},

	{OPT_GROUP, .help = "what each sample holds"},
	{OPT_BOOL, 'g', NULL, NULL, "call stacks, by frame pointers", .value = &opts.call_graph},
	{OPT_CALL, 0, "call-graph", "MODE", "call stacks: fp (dwarf and lbr are not there yet)",
	 .value = &opts.call_graph, .call = set_call_graph},
	{OPT_BOOL, 'd', "data", NULL, "data addresses, and data mappings", .value = &opts.data},
	{OPT_BOOL, 'T', "timestamp", NULL, "times (always recorded)", .value = &opts.timestamp,
	 .hidden = true},
	{OPT_BOOL, 'R', "raw-samples", NULL, "raw records of all events, not tracepoints alone",
	 .value = &opts.raw},
	{OPT_BOOL, 0, "sample-cpu", NULL, "the CPU", .value = &opts.sample_cpu},

	{OPT_GROUP, .help = "output"},
	{OPT_STRING, 'o', "output", "FILE", "default perf.data; - is standard output",
	 .value = &opts.output},
	{OPT_STRING, 'm', "mmap-pages", "PAGES|SIZE", "size of each ring buffer: 256, 1M …",
	 .value = &opts.ring},
	{OPT_BOOL, 0, "strict", NULL, "exit with status 3 when anything was lost",
	 .value = &opts.strict},
	{OPT_BOOL, 'q', "quiet", NULL, "say nothing but errors", .value = &opts.quiet},
	{OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &opts.verbose},
	{0},
};

static const struct example examples[] = {
	{"kiln record -g -- ./program", "sample a program and its children, with call stacks"},
	{"kiln record -F 999 -g -a -- sleep 10", "the whole system for ten seconds"},
	{"kiln record -g -p 1234", "a running process, until Ctrl-C"},
	{"kiln record -e sched:sched_switch,page-faults -a -- make", "other events"},
	{"kiln record -g -o - -- ./program | kiln script -i -", "through a pipe, without a file"},
	{0},
};

/* --- values of options --------------------------------------------------------------------- */

struct ids {
	VEC(int32_t) v;
};

static bool parse_ids(struct ids *ids, const char *text, const char *option, struct err *err)
{
	struct str rest = str_of(text);
	while (rest.p) {
		uint64_t id;
		struct str word = str_trim(str_split(rest, ',', &rest));
		if (!str_to_u64(word, 10, &id) || !id || id > INT32_MAX)
			return err_set(err, ERR_USAGE, "%s wants numbers (as 12,345), not \"%s\"",
				       option, text);
		vec_push(&ids->v, (int32_t)id);
	}
	return true;
}

static bool parse_frequency(const char *text, uint64_t *out, struct err *err)
{
	if (!strcmp(text, "max")) {
		*out = CAPTURE_MAX_FREQUENCY;
		return true;
	}
	if (!str_to_u64(str_of(text), 10, out) || !*out || *out == CAPTURE_MAX_FREQUENCY)
		return err_set(err, ERR_USAGE, "-F wants samples per second or \"max\", not \"%s\"",
			       text);
	return true;
}

/* A number of pages, or a size with B, K, M or G; rounded up to a power of two. */
static bool parse_ring(const char *text, uint64_t *pages, struct err *err)
{
	static const char units[] = "BKMG";
	struct str number = str_of(text);
	uint64_t n, page = (uint64_t)sysconf(_SC_PAGESIZE), unit = page;
	const char *u = number.n ? strchr(units, number.p[number.n - 1]) : NULL;
	if (u) {
		number.n--;
		unit = (uint64_t)1 << 10 * (u - units);
	}
	if (!str_to_u64(number, 10, &n) || !n || n > ((uint64_t)1 << 40) / unit)
		return err_set(err, ERR_USAGE,
			       "-m wants a number of pages, or a size as 512K or 2M, not \"%s\"",
			       text);
	uint64_t want = (n * unit + page - 1) / page;
	*pages = 1;
	while (*pages < want)
		*pages *= 2;
	return true;
}

static bool parse_events(struct event_list *list, struct err *err)
{
	bool ok = true;
	for (size_t i = 0; ok && i < opts.events.list.n; i++) {
		const char *text = opts.events.list.v[i];
		/* Without a colon there is no tracepoint in it: then only to look for names. */
		ok = event_parse(list, text, capture_tracefs(strchr(text, ':')), err);
	}
	if (ok && opts.group)
		event_list_group_all(list);
	return ok;
}

static void note(const char *sentence)
{
	if (!opts.quiet)
		fprintf(stderr, "%s record: %s\n", cli_name(), sentence);
}

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
	bool found = false;
	struct stat st;
	if (strchr(name, '/') || !rest.p)
		rest = STR("");
	while (rest.p) {
		char path[4096];
		struct str dir = str_split(rest, ':', &rest);
		snprintf(path, sizeof path, "%.*s%s%s", (int)dir.n, dir.p, dir.n ? "/" : "", name);
		if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
			continue;
		if (access(path, X_OK) == 0)
			return EXIT_OK;
		found = true;
	}
	if (found) {
		err_set(err, ERR_INPUT, "%s may not be executed", name);
		err_hint(err, "chmod +x makes a file executable");
		return EXIT_NOT_EXECUTABLE;
	}
	err_set(err, ERR_INPUT, "there is no command \"%s\"", name);
	if (!strchr(name, '/') && access(name, X_OK) == 0)
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

static void catch_signals(void)
{
	/* No SA_RESTART: a signal ends the wait it interrupts. */
	struct sigaction act = {.sa_handler = on_signal};
	struct sigaction old;
	/* A file at its size limit (ulimit -f) is a failed write, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	/* Also where a shell started us in the background with SIGINT ignored: `kill -INT` is the
	 * way to end a recording there. */
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &act, NULL);
}

/* A recording made through sudo belongs to who asked for it. The file is looked at again, without
 * following links, because its directory may belong to somebody else. */
static void give_to_sudo_user(const char *path)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;
	struct stat st;
	if (geteuid() != 0 || !uid_text || !gid_text || !str_to_u64(str_of(uid_text), 10, &uid) ||
	    !str_to_u64(str_of(gid_text), 10, &gid) || uid > UINT32_MAX || gid > UINT32_MAX)
		return;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 && st.st_nlink == 1 &&
	    fchown(fd, (uid_t)uid, (gid_t)gid) != 0)
		note("the recording could not be given to the user who called sudo");
	close(fd);
}

static void report(const struct capture_plan *plan, const struct capture_result *r, bool ok)
{
	if (opts.quiet)
		return;
	bool to_stdout = !strcmp(plan->output, "-");
	fprintf(stderr, "[ %s record: Woken up %" PRIu64 " times to write data ]\n", cli_name(),
		r->wakeups);
	fprintf(stderr, "[ %s record: Captured and wrote %.3f MB %s (%" PRIu64 " samples)%s ]\n",
		cli_name(), (double)r->bytes / 1024 / 1024,
		to_stdout ? "to standard output" : plan->output, r->samples,
		ok ? "" : ", incomplete");
	if (r->lost || r->lost_samples) {
		uint64_t next = r->ring_bytes * 4;
		fprintf(stderr,
			"%s record: the ring buffers were full: %" PRIu64 " records lost, %" PRIu64
			" of them samples\n  hint: larger buffers with -m %" PRIu64
			"%s, or fewer samples with -F\n",
			cli_name(), MAX(r->lost, r->lost_samples), r->lost_samples,
			next >= 1 << 20 ? next >> 20 : next >> 10, next >= 1 << 20 ? "M" : "K");
	}
}

/* The command's own, as perf has it. */
static int exit_code(const struct capture_result *r)
{
	if (opts.strict && (r->lost || r->lost_samples))
		return EXIT_LOST;
	if (!r->command_ran)
		return EXIT_OK;
	if (WIFSIGNALED(r->command_status))
		return 128 + WTERMSIG(r->command_status);
	return WEXITSTATUS(r->command_status);
}

static int record(const struct command *cmd, const struct capture_plan *plan)
{
	struct capture_result result;
	struct diags diags = {0};
	struct err err = {0};
	catch_signals();
	bool ok = capture_run(plan, &stop_signal, &result, &diags, &err);
	int code = ok ? exit_code(&result) : cli_fail(cmd, &err);
	if (ok || result.bytes) {
		if (strcmp(plan->output, "-"))
			give_to_sudo_user(plan->output);
		report(plan, &result, ok);
	}
	(void)cli_diags(cmd, &diags, opts.quiet);
	if (ok && stop_signal) {
		/* Shells look whether we died of the signal, to know whether to go on. */
		signal(stop_signal, SIG_DFL);
		raise(stop_signal);
	}
	return result.exec_failed ? EXIT_NOT_EXECUTABLE : code;
}

static bool fill_plan(struct capture_plan *plan, struct ids *pids, struct ids *tids,
		      struct cpu_list *cpus, struct event_list *events, struct err *err)
{
	if (opts.pids && !parse_ids(pids, opts.pids, "-p", err))
		return false;
	if (opts.tids && !parse_ids(tids, opts.tids, "-t", err))
		return false;
	if (opts.cpus && !cpus_parse(cpus, str_of(opts.cpus), err))
		return false;
	if (opts.frequency && !parse_frequency(opts.frequency, &plan->frequency, err))
		return false;
	if (opts.ring && !parse_ring(opts.ring, &plan->ring_pages, err))
		return false;
	if (opts.frequency && opts.period)
		return err_set(err, ERR_USAGE, "-F and -c exclude each other");
	if (opts.all_user && opts.all_kernel)
		return err_set(err, ERR_USAGE, "--all-user and --all-kernel exclude each other");
	bool threads = pids->v.n || tids->v.n;
	if (threads && (opts.all_cpus || opts.cpus))
		note("-p and -t take precedence over -a and -C");
	else if (opts.all_cpus || opts.cpus || (!threads && !plan->command))
		plan->all_cpus = true;
	if (plan->all_cpus && opts.per_thread)
		return err_set(err, ERR_USAGE, "--per-thread wants a command, -p or -t");
	plan->pids = pids->v.v;
	plan->pid_count = pids->v.n;
	plan->tids = tids->v.v;
	plan->tid_count = tids->v.n;
	if (plan->all_cpus) {
		plan->cpus = cpus->v.v;
		plan->cpu_count = cpus->v.n;
	}
	return parse_events(events, err);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct ids pids = {0}, tids = {0};
	struct cpu_list cpus = {0};
	struct event_list events = {0};
	struct cmdline cmdline = {0};
	struct capture_plan plan = {
		.events = &events,
		.command = args->count ? args->args : NULL,
		.inherit = !opts.no_inherit,
		.per_thread = opts.per_thread,
		.period = opts.period,
		.user_rate = opts.frequency || opts.period,
		.call_graph = opts.call_graph ? CALL_GRAPH_FP : CALL_GRAPH_NONE,
		.sample_addr = opts.data,
		.sample_cpu = opts.sample_cpu,
		.sample_raw = opts.raw,
		.all_user = opts.all_user,
		.all_kernel = opts.all_kernel,
		.output = opts.output ? opts.output : "perf.data",
		.version = "kiln " KILN_VERSION,
		.verbose = opts.verbose > 0,
		.note = note,
	};
	int code = args->count ? check_command(args->args[0], &err) : EXIT_OK;
	if (code != EXIT_OK)
		cli_fail(cmd, &err);
	else if (!fill_plan(&plan, &pids, &tids, &cpus, &events, &err))
		code = cli_fail(cmd, &err);
	else if (!strcmp(plan.output, "-") && isatty(STDOUT_FILENO)) {
		err_set(&err, ERR_USAGE, "a recording is not fit for the terminal");
		err_hint(&err, "pipe it into something: kiln record -o - … | kiln report -i -");
		code = cli_fail(cmd, &err);
	} else {
		read_cmdline(&cmdline);
		plan.cmdline = cmdline.words.v;
		plan.cmdline_count = cmdline.words.n;
		code = record(cmd, &plan);
	}
	vec_free(&pids.v);
	vec_free(&tids.v);
	vec_free(&cpus.v);
	vec_free(&cmdline.words);
	free((void *)cmdline.text.p);
	vec_free(&opts.events.list);
	event_list_free(&events);
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
	.options = options,
	.stop_at_word = true,
	.run = run,
};
