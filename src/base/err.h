/*
 * struct err: why a thing failed, in a whole sentence about this very input, and a hint that says
 * what to do next. Functions that can fail return false (or NULL) and fill it; only cli prints it.
 */
#ifndef KILN_ERR_H
#define KILN_ERR_H

#include "base/base.h"

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE,       /* the command line is wrong */
	ERR_INPUT,       /* the input is damaged or of an unknown kind */
	ERR_SYSTEM,      /* a system call failed; err.sys holds errno */
	ERR_PERMISSION,  /* the kernel says no */
	ERR_UNSUPPORTED, /* this machine, kernel or build cannot do it */
	ERR_NO_SPACE,    /* disk or memory limit reached */
	ERR_INTERRUPTED,
};

struct err {
	enum err_code code;
	int sys;
	char text[512];
	char hint[512];
};

/* Both return false, so that `return err_set(err, ...)` reads well. A NULL err is allowed. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* As err_set with ERR_SYSTEM (ERR_PERMISSION for EACCES/EPERM, ERR_NO_SPACE for ENOSPC/EDQUOT):
 * appends ": " and the text of errno. */
bool err_sys(struct err *e, int error, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds or replaces the hint of an error already set. Returns false. */
bool err_hint(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Puts "CONTEXT: " in front of the text. Returns false. */
bool err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
