/* kiln data convert: a recording in other formats. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "ingest/event_json.h"

static bool refuse_ctf(void *value, const char *text, bool negated, struct err *err);

static struct {
	struct input_options in;
	const char *json;
	bool force, all, wall_clock;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'i', "input", "FILE", "the recording (default perf.data; - is stdin)",
	 .value = &opts.in.input},
	{OPT_STRING, 0, "to-json", "FILE", "write perf's JSON to FILE (- is standard output)",
	 .value = &opts.json},
	{OPT_BOOL, 'f', "force", NULL, "overwrite FILE", .value = &opts.force},
	TIME_OPTION(opts.in),
	{OPT_STRING, 0, "symfs", "DIR", "look for binaries below DIR", .value = &opts.in.symfs},
	{OPT_STRING, 0, "kallsyms", "FILE", "kernel symbols from FILE", .value = &opts.in.kallsyms},
	{OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &opts.in.verbose},
	{OPT_BOOL, 0, "all", NULL, "not done: other records than samples", .value = &opts.all,
	 .hidden = true},
	{OPT_BOOL, 0, "tod", NULL, "not done: the time of day", .value = &opts.wall_clock,
	 .hidden = true},
	{OPT_CALL, 0, "to-ctf", "DIR", "not done: CTF", .call = refuse_ctf, .hidden = true},
	{0},
};

static bool refuse_ctf(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)text;
	(void)negated;
	err_set(err, ERR_UNSUPPORTED, "kiln does not write CTF");
	return err_hint(err, "--to-json FILE, or kiln script for text");
}

static bool check(const struct parsed *args, struct err *err)
{
	if (args->count != 1 || strcmp(args->args[0], "convert") != 0)
		return err_set(err, ERR_USAGE, "data wants the word convert");
	if (opts.all || opts.wall_clock)
		return err_set(err, ERR_USAGE, "--%s is currently unsupported for JSON output",
			       opts.all ? "all" : "tod");
	return opts.json || err_set(err, ERR_USAGE, "data convert wants a format: --to-json FILE");
}

/* As perf: what is there is only overwritten when asked to. */
static int open_output(struct err *err)
{
	if (!strcmp(opts.json, "-"))
		return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int fd = open(opts.json, O_CREAT | O_WRONLY | O_CLOEXEC | (opts.force ? O_TRUNC : O_EXCL),
		      0666);
	if (fd < 0) {
		err_sys(err, errno, "cannot write %s", opts.json);
		if (errno == EEXIST)
			err_hint(err, "-f overwrites it");
	}
	return fd;
}

static bool convert(struct diags *d, struct err *err)
{
	struct ingest_options io;
	input_options_fill(&opts.in, &io);
	const char *path = input_path(&opts.in);
	struct ingest *in = ingest_open(path, &io, d, err);
	if (!in)
		return false;
	struct ingest_rows rows;
	uint64_t samples = 0;
	CLEANUP(close_fd) int fd = -1;
	bool ok = ingest_timed(in, &rows, err) && (fd = open_output(err)) >= 0;
	if (ok) {
		struct out o;
		out_fd(&o, fd);
		samples = event_json_print(&o, in, &rows);
		ok = out_finish(&o) || err_sys(err, o.error, "cannot write %s", opts.json);
	}
	ingest_close(in);
	struct stat st;
	if (!ok || fstat(fd, &st) != 0)
		return ok;
	fprintf(stderr, "[ %s data convert: Converted '%s' into JSON data '%s' ]\n", cli_name(),
		path, opts.json);
	fprintf(stderr, "[ %s data convert: Converted and wrote %.3f MB (%" PRIu64 " samples) ]\n",
		cli_name(), (double)st.st_size / 1024 / 1024, samples);
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	if (!check(args, &err))
		return cli_fail(cmd, &err);
	int code = convert(&diags, &err) ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, false);
	return code ? code : trouble;
}

const struct command cmd_data = {
	.name = "data",
	.summary = "Convert a recording to JSON",
	.usage = "kiln data convert [-i FILE] --to-json FILE",
	.describe =
		"Writes the header of a recording and all its samples, with their stacks, in the JSON that\n"
		"perf data convert writes.",
	.examples =
		(const struct example[]){
			{"kiln data convert --to-json out.json", "all of perf.data"},
			{"kiln data convert --to-json - --time 0%-10% | jq .headers",
			 "the first tenth of it"},
			{0},
		},
	.options = options,
	.run = run,
};
