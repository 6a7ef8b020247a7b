/* kiln archive: a recording's binaries in one file, to be read on another machine. */
#include <limits.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/archive.h"
#include "cli/commands.h"
#include "cli/common.h"

static struct {
	const char *input, *output, *unpack;
	bool all, mapped;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'i', "input", "FILE", "the recording (default perf.data)",
	 .value = &opts.input},
	{OPT_STRING, 'o', "output", "FILE", "the archive (default RECORDING.tar.gz)",
	 .value = &opts.output},
	{OPT_BOOL, 0, "all", NULL, "the recording itself, too", .value = &opts.all},
	{OPT_BOOL, 0, "mapped", NULL, "all files that were mapped, not only those with samples",
	 .value = &opts.mapped},
	{OPT_STRING, 0, "unpack", "ARCHIVE", "the other way: into the cache of build ids",
	 .value = &opts.unpack},
	{0},
};

/* As perf names them: perf.all-HOST-DATE-TIME.tar. */
static void choose_output(char *buf, size_t size, const char *recording)
{
	struct utsname host = {0};
	time_t now = time(NULL);
	struct tm t;
	if (!opts.all) {
		snprintf(buf, size, "%s.tar.gz", recording);
		return;
	}
	char date[32] = "";
	if (localtime_r(&now, &t))
		(void)strftime(date, sizeof date, "%Y%m%d-%H%M%S", &t);
	(void)uname(&host);
	snprintf(buf, size, "perf.all-%s-%s.tar.gz", host.nodename, date);
}

static bool pack(struct out *o, const char *cache, struct diags *d, struct err *err)
{
	char output[PATH_MAX];
	struct input_options in = {.input = opts.input};
	struct archive_plan plan = {.recording = input_path(&in),
				    .output = opts.output,
				    .cache = cache,
				    .with_recording = opts.all,
				    .everything = opts.mapped};
	struct archive_count count;
	if (!strcmp(plan.recording, "-"))
		return err_set(err, ERR_USAGE, "archive wants a file, not standard input");
	if (!opts.output) {
		choose_output(output, sizeof output, plan.recording);
		plan.output = output;
	}
	if (!archive_write(&plan, &count, d, err))
		return false;
	if (count.missing)
		diag_add(
			d, DIAG_NOTE, count.missing,
			"files that are not on disk as they were, or have no build id, are not in the archive");
	if (!count.files && !opts.all) {
		unlink(plan.output);
		return err_set(err, ERR_INPUT, "no build-ids found");
	}
	if (opts.all)
		out_fmt(o, "Now please run:\n\n$ %s archive --unpack %s\n\n", cli_name(),
			plan.output);
	else
		out_fmt(o, "Now please run:\n\n$ tar xvf %s -C ~/.debug\n\n", plan.output);
	out_fmt(o, "wherever you need to run '%s report' on.\n", cli_name());
	return true;
}

static bool unpack(struct out *o, const char *cache, struct err *err)
{
	struct archive_count count;
	if (!archive_unpack(opts.unpack, cache, "perf.data", &count, err))
		return false;
	out_fmt(o, "%zu files unpacked\n", count.files);
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	char buf[PATH_MAX];
	const char *cache = cli_build_id_dir(buf, sizeof buf);
	if (args->count > 1 || (args->count && opts.input))
		err_set(&err, ERR_USAGE, "archive takes one recording");
	else if (args->count)
		opts.input = args->args[0];
	if (opts.unpack && !cache)
		err_set(&err, ERR_USAGE,
			"neither HOME nor PERF_BUILDID_DIR says where the cache is");
	if (err.code)
		return cli_fail(cmd, &err);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	bool ok = opts.unpack ? unpack(&o, cache, &err) : pack(&o, cache, &diags, &err);
	int code = ok ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, false);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

const struct command cmd_archive = {
	.name = "archive",
	.summary = "Pack the binaries of a recording, for reports on another machine",
	.usage = "kiln archive [--all] [-o ARCHIVE] [FILE] | --unpack ARCHIVE",
	.describe =
		"Writes a tar file with the binaries that samples were taken in, laid out as the cache of\n"
		"build ids is, so that kiln and perf find them there by their build ids.",
	.examples =
		(const struct example[]){
			{"kiln archive", "perf.data.tar.gz, for ~/.debug elsewhere"},
			{"kiln archive --all", "with the recording"},
			{"kiln archive --unpack perf.all-host-20260101-120000.tar.gz", "elsewhere"},
			{0},
		},
	.options = options,
	.run = run,
};
