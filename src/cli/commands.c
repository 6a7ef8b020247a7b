#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_flame,
	&cmd_fold,
	&cmd_help,
	&cmd_version,
	NULL,
};
