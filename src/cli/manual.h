/* Everything written from the command and option tables: overview, man pages, shell completion. */
#ifndef KILN_MANUAL_H
#define KILN_MANUAL_H

#include "cli/cli.h"

/* By name, or by an abbreviation only one command has; NULL when none. */
const struct command *command_find(const char *name);

void manual_overview(struct out *o);
void manual_page(struct out *o, const struct command *cmd);
MUST_USE bool manual_completion(struct out *o, const char *shell, struct err *err);

#endif
