/* kiln test: programs to record, and a look at what this machine lets kiln do. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture.h"
#include "cli/commands.h"
#include "cli/workloads/workloads.h"
#include "ingest/ingest.h"
#include "version.h"

static struct {
	const char *workload;
	bool list_workloads, verbose;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'w', "workload", "NAME", "run this program, with the words that follow",
	 .value = &opts.workload},
	{OPT_BOOL, 0, "list-workloads", NULL, "which programs there are",
	 .value = &opts.list_workloads},
	{OPT_BOOL, 'v', "verbose", NULL, "why a test was skipped or failed",
	 .value = &opts.verbose},
	{0},
};

static const struct example examples[] = {
	{"kiln test", "what kiln can do on this machine, for this user"},
	{"kiln record -g -- kiln test -w leafloop", "something to record whose stacks are known"},
	{"kiln test --list-workloads", "the others"},
	{0},
};

/* --- the self test ------------------------------------------------------------------------- */

enum verdict { VERDICT_OK, VERDICT_SKIP, VERDICT_FAIL };

struct self_test {
	const char *name;
	enum verdict (*run)(struct err *why);
};

/* Nothing stops these recordings but their command's end. */
static const volatile int never;

/* Samples one second of a workload in user space into an unnamed file at *path. */
static bool record_workload(const char *workload, const char *event, char *path, size_t size,
			    int *fd, struct capture_result *result, struct err *err)
{
	char self[4096];
	struct event_list events = {0};
	struct diags diags = {0};
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return err_sys(err, errno, "cannot find this program's own file");
	self[n] = '\0';
	*fd = file_temp(cli_temp_dir(), err);
	if (*fd < 0)
		return false;
	snprintf(path, size, "/proc/self/fd/%d", *fd);
	char *const command[] = {self, (char *)"test", (char *)"-w", (char *)workload, (char *)"1",
				 NULL};
	const struct capture_plan plan = {.events = &events,
					  .command = command,
					  .inherit = true,
					  .call_graph = CALL_GRAPH_FP,
					  .frequency = 999,
					  .control_fd = -1,
					  .ack_fd = -1,
					  .dump = &never,
					  .output = path,
					  .version = "kiln " KILN_VERSION};
	bool ok = event_parse(&events, event, NULL, err) &&
		  capture_run(&plan, &never, result, &diags, err);
	event_list_free(&events);
	return ok;
}

/* What a kernel that says no makes of a test: the machine's doing, not ours. */
static enum verdict refused(const struct err *why)
{
	return why->code == ERR_PERMISSION || why->code == ERR_UNSUPPORTED ? VERDICT_SKIP
									   : VERDICT_FAIL;
}

static enum verdict test_tracefs(struct err *why)
{
	char path[256];
	const char *dir = capture_tracefs(false);
	uint64_t id;
	if (!dir) {
		err_set(why, ERR_UNSUPPORTED, "tracefs is not mounted");
		return VERDICT_SKIP;
	}
	snprintf(path, sizeof path, "%s/events/sched/sched_switch/id", dir);
	if (file_read_u64(path, &id) && id)
		return VERDICT_OK;
	err_sys(why, errno, "cannot read %s", path);
	return VERDICT_SKIP;
}

static enum verdict test_kallsyms(struct err *why)
{
	struct str text;
	struct kallsyms k = {0};
	if (!file_read("/proc/kallsyms", (size_t)256 << 20, &text, why))
		return VERDICT_SKIP;
	enum verdict v = VERDICT_OK;
	if (!kallsyms_parse(&k, text, why)) {
		v = VERDICT_FAIL;
	} else if (k.hidden) {
		err_set(why, ERR_PERMISSION, "the kernel hides its addresses from this user");
		v = VERDICT_SKIP;
	}
	kallsyms_free(&k);
	free((void *)text.p);
	return v;
}

static enum verdict test_sampling(struct err *why)
{
	char path[64];
	CLEANUP(close_fd) int fd = -1;
	struct capture_result result;
	if (!record_workload("landlock", "task-clock:u", path, sizeof path, &fd, &result, why))
		return refused(why);
	return VERDICT_OK;
}

static enum verdict test_hardware(struct err *why)
{
	char path[64];
	CLEANUP(close_fd) int fd = -1;
	struct capture_result result;
	if (!record_workload("landlock", "instructions:u", path, sizeof path, &fd, &result, why))
		return refused(why);
	return VERDICT_OK;
}

static bool has_function(const struct profile *p, const char *name)
{
	for (size_t i = 1; i < p->funcs.n; i++)
		if (str_is(strtab_get(&p->strings, p->funcs.v[i].name), name))
			return true;
	return false;
}

static enum verdict recording_names(const char *workload, const char *const *names, struct err *why)
{
	char path[64];
	CLEANUP(close_fd) int fd = -1;
	struct capture_result result;
	struct diags diags = {0};
	if (!record_workload(workload, "cpu-clock:u", path, sizeof path, &fd, &result, why))
		return refused(why);
	struct ingest_options opt = {.input.temp_dir = cli_temp_dir()};
	struct ingest *in = ingest_open(path, &opt, &diags, why);
	enum verdict v = in && ingest_aggregate(in, why) ? VERDICT_OK : VERDICT_FAIL;
	for (; v == VERDICT_OK && *names; names++)
		if (!has_function(ingest_profile(in), *names)) {
			err_set(why, ERR_INPUT,
				"%" PRIu64 " samples of %s, and none of them is in %s",
				result.samples, workload, *names);
			v = VERDICT_FAIL;
		}
	ingest_close(in);
	return v;
}

static enum verdict test_names(struct err *why)
{
	static const char *const names[] = {"noploop", NULL};
	return recording_names("noploop", names, why);
}

static enum verdict test_threads(struct err *why)
{
	static const char *const names[] = {"test_loop", "thfunc", NULL};
	return recording_names("thloop", names, why);
}

static const struct self_test tests[] = {
	{"tracepoints can be read (tracefs)", test_tracefs},
	{"kernel symbols can be read (kallsyms)", test_kallsyms},
	{"software events can be opened", test_sampling},
	{"hardware events can be opened", test_hardware},
	{"a recording of noploop names noploop", test_names},
	{"a recording of thloop has both threads' stacks", test_threads},
};

static int run_tests(const struct command *cmd)
{
	struct out o;
	int failed = 0;
	out_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < ARRAY_LEN(tests); i++) {
		struct err why = {0};
		out_fmt(&o, "%3zu: %-60s:", i + 1, tests[i].name);
		(void)out_flush(&o);
		enum verdict v = tests[i].run(&why);
		failed += v == VERDICT_FAIL;
		out_cstr(&o, v == VERDICT_OK ? " Ok" : v == VERDICT_SKIP ? " Skip" : " FAILED!");
		if (v == VERDICT_SKIP || v == VERDICT_FAIL)
			out_fmt(&o, " (%s)", why.text);
		out_char(&o, '\n');
		if (opts.verbose && why.hint[0])
			out_fmt(&o, "     hint: %s\n", why.hint);
	}
	return cli_finish_stdout(cmd, &o, failed ? EXIT_FAILED : EXIT_OK);
}

/* --- the command --------------------------------------------------------------------------- */

static int list_workloads(const struct command *cmd)
{
	struct out o;
	const struct workload_kind *w;
	out_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; (w = workload_at(i)); i++)
		out_fmt(&o, "%s\n", w->name);
	return cli_finish_stdout(cmd, &o, EXIT_OK);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	if (opts.list_workloads)
		return list_workloads(cmd);
	if (opts.workload) {
		const struct workload_kind *w = workload_find(opts.workload);
		if (w)
			return w->run((int)args->count, args->args);
		err_set(&err, ERR_USAGE, "there is no workload \"%s\"", opts.workload);
		err_hint(&err, "`%s test --list-workloads` names all", cli_name());
		return cli_fail(cmd, &err);
	}
	if (args->count) {
		err_set(&err, ERR_USAGE, "there is no test \"%s\"", args->args[0]);
		return cli_fail(cmd, &err);
	}
	return run_tests(cmd);
}

const struct command cmd_test = {
	.name = "test",
	.summary = "Try what works on this machine, or run a program to record",
	.usage = "kiln test [-v] | -w NAME [ARG]… | --list-workloads",
	.describe =
		"Without options: opens events, reads tracefs and kernel symbols, makes two short "
		"recordings and looks whether the names in them are right. One line each: Ok, Skip "
		"when the machine or the user's rights do not allow it, FAILED! when it should have "
		"worked. The exit status is 1 when one failed.\n\n"
		"-w runs one of perf's workloads: noploop, thloop, sqrtloop, inlineloop [SECONDS], "
		"leafloop, datasym (until stopped), brstack [LOOPS], landlock.",
	.examples = examples,
	.options = options,
	.stop_at_word = true,
	.run = run,
};
