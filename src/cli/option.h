/*
 * Options as data. One table per command drives parsing, --help, the man page and completion.
 *
 * perf's habits: long options may be abbreviated, every boolean has a --no- form, short booleans
 * combine (-ag), values follow as the next word, after '=', or stuck to the letter (-F99).
 */
#ifndef KILN_OPTION_H
#define KILN_OPTION_H

#include "base/err.h"
#include "base/vec.h"

enum option_kind {
	OPT_END = 0,
	OPT_GROUP,   /* a heading in --help; `help` is the text */
	OPT_BOOL,    /* bool *; --no-NAME clears */
	OPT_COUNT,   /* int *; each use adds one (-v -v), --no-NAME sets 0 */
	OPT_STRING,  /* const char ** */
	OPT_STRINGS, /* struct opt_strings *: collects every use */
	OPT_U64,     /* uint64_t * */
	OPT_DOUBLE,  /* double * */
	OPT_CALL,    /* call(): text is NULL for --no-NAME or when an optional value is missing */
};

struct opt_strings {
	VEC(const char *) list;
};

struct option {
	enum option_kind kind;
	char letter;      /* 0: none */
	const char *name; /* long name; NULL: none */
	const char *arg;  /* name of the value in --help ("FILE"); NULL: takes none */
	const char *help;
	void *value;
	bool optional_arg; /* the value may be missing; then only --name=value and -xVALUE carry one
			    */
	bool next_word; /* with optional_arg: the next word is the value unless it begins with '-'
			 */
	bool hidden;    /* parsed, not shown */
	bool *was_set;  /* set to true when the option was given; may be NULL */
	bool (*call)(void *value, const char *text, bool negated, struct err *err);
};

struct parsed {
	char **args; /* what is left behind the options (behind "--" too), NULL-terminated; heap */
	size_t count;
	bool help; /* -h or --help */
};

/* argv[0] is the command's name and is not looked at. stop_at_word: the first word that is no
 * option ends the options (record's command); otherwise words and options may mix. */
MUST_USE bool options_parse(const struct option *table, int argc, char *const *argv,
			    bool stop_at_word, struct parsed *out, struct err *err);

#endif
