/*
 * The user's settings: /etc/perfconfig, then ~/.perfconfig; or only the file that PERF_CONFIG
 * names. They are defaults: options of the command line win.
 */
#ifndef KILN_CLI_CONFIG_H
#define KILN_CLI_CONFIG_H

#include "base/config_text.h"
#include "base/err.h"

#define CONFIG_SYSTEM "/etc/perfconfig"

/* What is wrong with a file is said on stderr and does not stop anything: perf reads on, too. */
enum config_files { CONFIG_BOTH, CONFIG_ONLY_SYSTEM, CONFIG_ONLY_USER };
void config_load(struct config_set *s, enum config_files which);

/* Where the user's settings are; NULL when HOME is not set. */
const char *config_user_path(char *buf, size_t size);

/* Writes the items of one file again. */
MUST_USE bool config_save(const struct config_set *s, bool system, struct err *err);

/* Values: true, yes, on and numbers other than 0; or an error. */
MUST_USE bool config_bool(const char *name, const char *value, bool *out, struct err *err);

#endif
