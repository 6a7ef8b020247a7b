/*
 * What all commands share: the command table's entry type, the one error printer, environment.
 * Only files in cli may print, read the environment or end the process.
 */
#ifndef KILN_CLI_H
#define KILN_CLI_H

#include "base/diag.h"
#include "base/err.h"
#include "base/out.h"
#include "cli/option.h"

/* Exit codes; docs/exit-codes.md. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,  /* the work could not be done */
	EXIT_PARTIAL = 2, /* shown, but the input was damaged or cut: not the whole result */
	EXIT_LOST = 3,    /* record --strict: something was lost */
	EXIT_USAGE = 129, /* as perf and git */
};

struct example {
	const char *command;
	const char *what;
};

struct command {
	const char *name;
	const char *summary;            /* one line */
	const char *usage;              /* "kiln report [OPTIONS]" */
	const char *describe;           /* a paragraph or two for help and man page */
	const struct example *examples; /* ends with {0} */
	const struct option *options;   /* ends with {0}; values live in the command's file */
	bool stop_at_word;              /* the first non-option ends the options (record) */
	int (*run)(const struct command *cmd, const struct parsed *args);
	/* Takes one of the user's settings ("report.children"), before the options; false when the
	 * value is wrong. NULL: none matter. */
	bool (*setting)(const char *name, const char *value, struct err *err);
};

extern const struct command *const commands[]; /* ends with NULL */

/* True when run under the name "perf" (or perf-COMMAND): perf's defaults apply. */
bool cli_as_perf(void);
void cli_set_name(const char *argv0);
const char *cli_name(void); /* "kiln" or "perf" */

/* The one error printer: "kiln report: SENTENCE\n  hint: …" to stderr. Returns EXIT_FAILED or
 * EXIT_USAGE. */
int cli_fail(const struct command *cmd, const struct err *err);

/* Prints the diagnostics, once, to stderr; returns EXIT_PARTIAL when one says so, else EXIT_OK. */
int cli_diags(const struct command *cmd, const struct diags *d, bool quiet);

/* --help text of a command. */
void cli_help(struct out *o, const struct command *cmd);

/* Ends output on stdout: flush errors are reported, a closed pipe is a quiet success. Returns the
 * exit code to use instead of `code` when the write failed. */
int cli_finish_stdout(const struct command *cmd, struct out *o, int code);

/* Environment and terminal. */
const char *cli_temp_dir(void);
void cli_set_build_id_dir(const char *dir); /* --buildid-dir in front of the command; borrowed */
void cli_default_build_id_dir(const char *dir); /* the setting buildid.dir; borrowed */
/* --buildid-dir, PERF_BUILDID_DIR, buildid.dir, ~/.debug */
const char *cli_build_id_dir(char *buf, size_t size);
/* Where kiln keeps what it can make again: $XDG_CACHE_HOME/kiln or ~/.cache/kiln. */
const char *cli_cache_dir(char *buf, size_t size);
bool cli_color(int fd); /* a terminal, and NO_COLOR is not set */

/* A progress line on stderr, only on a terminal; text NULL clears it. */
void cli_progress(const char *text);

#endif
