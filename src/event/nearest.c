#include "event/nearest.h"

#define LONGEST 63 /* longer names are not compared: work per candidate stays bounded */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* '-' and '_' are easily mixed up, as is case: no difference at all here. */
static char fold(char c)
{
	return c == '_' ? '-' : lower(c);
}

/* Edits (insert, delete, replace, swap of neighbours) that make b of a. Both at most LONGEST. */
static size_t edits(struct str a, struct str b)
{
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= b.n; j++)
		last[j] = before[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			char x = fold(a.p[i - 1]), y = fold(b.p[j - 1]);
			size_t d = last[j - 1] + (x != y);
			d = MIN(d, MIN(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == fold(b.p[j - 2]) && fold(a.p[i - 2]) == y)
				d = MIN(d, before[j - 2] + 1);
			now[j] = d;
		}
		size_t *spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b.n];
}

void nearest_add(struct nearest *ne, struct str name)
{
	if (ne->want.n > LONGEST || name.n > LONGEST)
		return;
	size_t d = edits(ne->want, name);
	if (d > MAX((size_t)2, ne->want.n / 3) || d >= name.n)
		return;
	size_t at = ne->n;
	while (at > 0 && ne->distance[at - 1] > d)
		at--;
	if (at == NEAREST_COUNT)
		return;
	if (ne->n < NEAREST_COUNT)
		ne->n++;
	for (size_t i = ne->n - 1; i > at; i--) {
		ne->names[i] = ne->names[i - 1];
		ne->distance[i] = ne->distance[i - 1];
	}
	ne->names[at] = arena_str(ne->arena, name);
	ne->distance[at] = d;
}

const char *nearest_text(const struct nearest *ne)
{
	if (!ne->n)
		return NULL;
	const char *text = ne->names[0].p;
	for (size_t i = 1; i < ne->n; i++)
		text = arena_printf(ne->arena, "%s%s%s", text, i + 1 == ne->n ? " or " : ", ",
				    ne->names[i].p);
	return text;
}
