/* kiln help: the list of commands, one command's help, man pages and shell completion. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/manual.h"

static struct {
	const char *man;
	const char *completion;
} opts;

static const struct option options[] = {
	{OPT_STRING, 0, "man", "COMMAND", "write COMMAND's man page (roff)", .value = &opts.man},
	{OPT_STRING, 0, "completion", "SHELL", "write completion for bash, zsh or fish",
	 .value = &opts.completion},
	{0},
};

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err;
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	const char *topic = opts.man ? opts.man : args->count ? args->args[0] : NULL;
	const struct command *about = topic ? command_find(topic) : NULL;
	bool ok = true;
	if (topic && !about) {
		ok = err_set(&err, ERR_USAGE, "there is no command \"%s\"", topic);
		err_hint(&err, "`kiln help` lists the commands");
	} else if (opts.completion) {
		ok = manual_completion(&o, opts.completion, &err);
	} else if (opts.man) {
		manual_page(&o, about);
	} else if (about) {
		cli_help(&o, about);
	} else {
		manual_overview(&o);
	}
	int code = ok ? EXIT_OK : cli_fail(cmd, &err);
	return cli_finish_stdout(cmd, &o, code);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "Show help for kiln or one of its commands",
	.usage = "kiln help [COMMAND]",
	.options = options,
	.run = run,
};
