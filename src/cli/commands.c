#include "cli/commands.h"

const struct command *const commands[] = {
<<<<<<< HEAD
	&cmd_flame,
=======
	&cmd_evlist,
>>>>>>> main
	&cmd_fold,
	&cmd_help,
	&cmd_report,
	&cmd_script,
	&cmd_version,
	NULL,
};
