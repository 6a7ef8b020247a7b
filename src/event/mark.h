/* The place of an error in a text that a person wrote. */
#ifndef KILN_MARK_H
#define KILN_MARK_H

#include "base/err.h"
#include "base/str.h"

/* Adds the text to the hint, as much as fits a line, and under it a mark below `bad`, which points
 * into the text; nothing when it does not. */
void err_mark(struct err *e, struct str text, struct str bad);

#endif
