#include "event/mark.h"

#include <stdio.h>

#define MARKED_MAX 64 /* columns of the text shown with the mark */

void err_mark(struct err *e, struct str text, struct str bad)
{
	char shown[MARKED_MAX + 1], mark[2 * MARKED_MAX + 1];
	if (!bad.p || bad.p < text.p || bad.p + bad.n > text.p + text.n)
		return;
	size_t at = (size_t)(bad.p - text.p);
	size_t from = at > MARKED_MAX / 2 ? at - MARKED_MAX / 2 : 0;
	size_t n = MIN(text.n - from, (size_t)MARKED_MAX);
	for (size_t i = 0; i < n; i++) {
		char c = text.p[from + i];
		shown[i] = c < ' ' || c > '~' ? '?' : c;
	}
	shown[n] = '\0';
	size_t column = at - from, width = MIN(bad.n, n - column);
	memset(mark, ' ', column);
	mark[column] = '^';
	for (size_t i = 1; i < width; i++)
		mark[column + i] = '~';
	mark[column + MAX(width, (size_t)1)] = '\0';
	char hint[sizeof e->hint];
	snprintf(hint, sizeof hint, "%.300s", e->hint[0] ? e->hint : "look here:");
	err_hint(e, "%s\n        %s\n        %s", hint, shown, mark);
}
