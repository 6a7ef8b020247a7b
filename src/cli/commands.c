#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_fold,
	&cmd_help,
	&cmd_version,
	NULL,
};
