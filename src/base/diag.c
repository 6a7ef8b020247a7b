#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

PRINTF_LIKE(4, 0)
static void diag_count(struct diags *d, enum diag_kind kind, uint64_t n, const char *fmt,
		       va_list args)
{
	struct diag *g = &d->of[kind];
	if (!g->count)
		vsnprintf(g->first, sizeof g->first, fmt, args);
	g->count += n;
}

void diag_add(struct diags *d, enum diag_kind kind, uint64_t n, const char *fmt, ...)
{
	if (!d || !n)
		return;
	va_list args;
	va_start(args, fmt);
	diag_count(d, kind, n, fmt, args);
	va_end(args);
}

void diag_partial(struct diags *d, enum diag_kind kind, const char *fmt, ...)
{
	if (!d)
		return;
	va_list args;
	va_start(args, fmt);
	diag_count(d, kind, 1, fmt, args);
	va_end(args);
	d->of[kind].partial = true;
}

void diag_hint(struct diags *d, enum diag_kind kind, const char *fmt, ...)
{
	if (!d || d->of[kind].hint[0])
		return;
	va_list args;
	va_start(args, fmt);
	vsnprintf(d->of[kind].hint, sizeof d->of[kind].hint, fmt, args);
	va_end(args);
}

bool diags_partial(const struct diags *d)
{
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++)
		if (d->of[i].partial)
			return true;
	return false;
}
