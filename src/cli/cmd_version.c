/* kiln version: which kiln this is and what it was built with. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/feature_list.h"
#include "version.h"

static struct {
	bool build_options;
} opts;

static const struct option options[] = {
	{OPT_BOOL, 0, "build-options", NULL, "also print what it was built with",
	 .value = &opts.build_options},
	{0},
};

static int run(const struct command *cmd, const struct parsed *args)
{
	(void)args;
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	out_fmt(&o, "%s version %s\n", cli_name(), KILN_VERSION);
	for (const struct feature *f = features; opts.build_options && f->name; f++)
		feature_print(&o, f);
	return cli_finish_stdout(cmd, &o, EXIT_OK);
}

const struct command cmd_version = {
	.name = "version",
	.summary = "Print the version",
	.usage = "kiln version [--build-options]",
	.options = options,
	.run = run,
};
