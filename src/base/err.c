#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	if (!e)
		return false;
	*e = (struct err){.code = code};
	va_list args;
	va_start(args, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, args);
	va_end(args);
	return false;
}

static enum err_code code_of_errno(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return ERR_PERMISSION;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return ERR_NO_SPACE;
	case EINTR:
		return ERR_INTERRUPTED;
	default:
		return ERR_SYSTEM;
	}
}

bool err_sys(struct err *e, int error, const char *fmt, ...)
{
	if (!e)
		return false;
	*e = (struct err){.code = code_of_errno(error), .sys = error};
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(e->text, sizeof e->text, fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	char buf[128];
	const char *why = strerror_r(error, buf, sizeof buf);
	size_t at = MIN((size_t)n, sizeof e->text - 1);
	snprintf(e->text + at, sizeof e->text - at, ": %s", why);
	return false;
}

bool err_hint(struct err *e, const char *fmt, ...)
{
	if (!e)
		return false;
	va_list args;
	va_start(args, fmt);
	vsnprintf(e->hint, sizeof e->hint, fmt, args);
	va_end(args);
	return false;
}

bool err_wrap(struct err *e, const char *fmt, ...)
{
	if (!e)
		return false;
	char old[sizeof e->text];
	memcpy(old, e->text, sizeof old);
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(e->text, sizeof e->text, fmt, args);
	va_end(args);
	size_t at = n < 0 ? 0 : MIN((size_t)n, sizeof e->text - 1);
	int kept = (int)(sizeof e->text - at - 3);
	if (kept > 0)
		snprintf(e->text + at, sizeof e->text - at, ": %.*s", kept, old);
	return false;
}
