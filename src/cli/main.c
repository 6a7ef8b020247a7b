/* kiln: finds the command, parses its options, runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/config.h"
#include "cli/manual.h"

/* A wrong value is said and left out: the command itself can still be used. */
static void apply_settings(const struct command *cmd)
{
	static struct config_set s; /* options may point at its values */
	config_load(&s, CONFIG_BOTH);
	for (size_t i = 0; i < s.items.n; i++) {
		const struct config_item *item = &s.items.v[i];
		char name[256];
		struct err err = {0};
		snprintf(name, sizeof name, "%s.%s", item->section.p, item->key.p);
		if (!strcmp(name, "buildid.dir"))
			cli_default_build_id_dir(item->value.p);
		else if (cmd->setting && !cmd->setting(name, item->value.p, &err))
			cli_fail(cmd, &err);
	}
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct err err = {0};
	struct parsed args;
	int code;
	apply_settings(cmd);
	if (!options_parse(cmd->options, argc, argv, cmd->stop_at_word, &args, &err)) {
		code = cli_fail(cmd, &err);
	} else if (args.help) {
		struct out o;
		out_fd(&o, STDOUT_FILENO);
		cli_help(&o, cmd);
		code = cli_finish_stdout(cmd, &o, cli_as_perf() ? EXIT_USAGE : EXIT_OK);
	} else {
		code = cmd->run(cmd, &args);
	}
	free(args.args);
	return code;
}

/* Files are mapped, so one that is cut while we read it shows up as a signal. There is no way back
 * into the code that read it; what was printed so far stays. */
static void file_cut(int signal)
{
	(void)signal;
	static const char text[] =
		"kiln: a file was cut short by another program while it was being read\n"
		"  hint: run the command again when the file is at rest, or on a copy\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(EXIT_FAILED);
}

static int overview(int code)
{
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	manual_overview(&o);
	return cli_finish_stdout(NULL, &o, code);
}

/* Were one of these closed, the next file opened would take its place and get its output. Opened
 * the wrong way round, it fails as a closed one does. */
static void occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* perf's options in front of the command; returns how many words they are. kiln starts no pager.
 */
static int global_options(int argc, char **argv)
{
	static const char dir[] = "--buildid-dir";
	int at = 0;
	for (; at < argc; at++) {
		if (!strcmp(argv[at], dir) && at + 1 < argc)
			cli_set_build_id_dir(argv[++at]);
		else if (!strncmp(argv[at], dir, sizeof dir - 1) && argv[at][sizeof dir - 1] == '=')
			cli_set_build_id_dir(argv[at] + sizeof dir);
		else if (strcmp(argv[at], "--no-pager") != 0 && strcmp(argv[at], "-p") != 0)
			break;
	}
	return at;
}

int main(int argc, char **argv)
{
	occupy_standard_files();
	/* A reader that goes away ends us by a failed write, after which files are still closed. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGBUS, file_cut);
	cli_set_name(argv[0]);

	int at = 1 + global_options(argc - 1, argv + 1);
	if (at >= argc)
		return overview(EXIT_USAGE);
	const char *name = argv[at];
	if (!strcmp(name, "--version") || !strcmp(name, "-v"))
		name = "version";
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return overview(EXIT_OK);
	const struct command *cmd = command_find(name);
	if (!cmd) {
		struct err err;
		err_set(&err, ERR_USAGE, "there is no command \"%s\"", name);
		err_hint(&err, "`%s help` lists the commands", cli_name());
		return cli_fail(NULL, &err);
	}
	return run_command(cmd, argc - at, argv + at);
}
