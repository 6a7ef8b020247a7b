#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_archive,
	&cmd_buildid_cache,
	&cmd_buildid_list,
	&cmd_check,
	&cmd_config,
	&cmd_data,
	&cmd_diff,
	&cmd_evlist,
	&cmd_flame,
	&cmd_fold,
	&cmd_help,
	&cmd_inject,
	&cmd_kallsyms,
	&cmd_list,
	&cmd_record,
	&cmd_report,
	&cmd_script,
	&cmd_test,
	&cmd_version,
	NULL,
};
