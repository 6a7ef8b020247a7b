/*
 * perf's configuration text, which is git's:
 *
 *   [section]
 *           key = value           # comments with '#' or ';'
 *           other = "a # b"       ; quotes keep what is between them
 *   [section "Sub"]               sections and keys are in lower case, what is quoted is kept
 *
 * In values \n, \t, \b, \" and \\ are known, a '\' at the end of a line goes on in the next one,
 * and blanks that follow each other are one.
 */
#ifndef KILN_CONFIG_TEXT_H
#define KILN_CONFIG_TEXT_H

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"

/* Longest text that is read: sets are searched item by item. */
#define CONFIG_MAX_BYTES 65536

struct config_item {
	struct str section, key, value; /* NUL-terminated */
	bool system;                    /* from the system's file, not the user's */
};

/* Zero-initialised is empty. */
struct config_set {
	struct arena arena;
	VEC(struct config_item) items; /* those of one section together, in order of appearance */
};

void config_free(struct config_set *s);

/* Adds what the text says; later values replace earlier ones. False at the first line that is no
 * configuration: *bad_line is its number (from 1), what came before is kept. */
MUST_USE bool config_parse(struct config_set *s, struct str text, bool system, unsigned *bad_line);

void config_put(struct config_set *s, struct config_item item);

/* "section.key", the first '.' being where the key begins; NULL when it is not set. */
const struct config_item *config_find(const struct config_set *s, struct str name);

/* As a file: the items of the system's file, or all others. */
void config_print(struct out *o, const struct config_set *s, bool system);

#endif
