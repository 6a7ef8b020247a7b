/* Every command kiln has; each in its cmd_<name>.c. */
#ifndef KILN_COMMANDS_H
#define KILN_COMMANDS_H

#include "cli/cli.h"

extern const struct command cmd_archive;
extern const struct command cmd_buildid_cache;
extern const struct command cmd_buildid_list;
extern const struct command cmd_check;
extern const struct command cmd_config;
extern const struct command cmd_data;
extern const struct command cmd_diff;
extern const struct command cmd_evlist;
extern const struct command cmd_flame;
extern const struct command cmd_fold;
extern const struct command cmd_help;
extern const struct command cmd_inject;
extern const struct command cmd_kallsyms;
extern const struct command cmd_list;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_script;
extern const struct command cmd_test;
extern const struct command cmd_version;

#endif
