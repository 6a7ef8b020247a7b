/* A line of /proc/kallsyms; only for the files that read it. */
#ifndef KILN_KALLSYMS_LINE_H
#define KILN_KALLSYMS_LINE_H

#include "base/str.h"

/* Digits have bit 4 set. */
static const uint8_t kallsyms_hex[256] = {
	['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
	['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['a'] = 0x1a, ['b'] = 0x1b,
	['c'] = 0x1c, ['d'] = 0x1d, ['e'] = 0x1e, ['f'] = 0x1f, ['A'] = 0x1a, ['B'] = 0x1b,
	['C'] = 0x1c, ['D'] = 0x1d, ['E'] = 0x1e, ['F'] = 0x1f,
};

struct kallsyms_line {
	uint64_t address;
	char kind;
	struct str name, module;
};

static inline bool kallsyms_line_parse(struct str s, struct kallsyms_line *out)
{
	size_t i = 0;
	out->address = 0;
	for (; i < s.n && i < 16 && kallsyms_hex[(uint8_t)s.p[i]]; i++)
		out->address = out->address << 4 | (kallsyms_hex[(uint8_t)s.p[i]] & 15);
	if (i == 0 || s.n < i + 4 || s.p[i] != ' ' || s.p[i + 2] != ' ')
		return false;
	out->kind = s.p[i + 1];
	out->name = str_skip(s, i + 3);
	out->module = STR("");
	const char *tab = s.p[s.n - 1] == ']' ? memrchr(out->name.p, '\t', out->name.n) : NULL;
	if (tab && tab[1] == '[') {
		size_t n = (size_t)(tab - out->name.p);
		out->module = str_make(tab + 2, out->name.n - n - 3);
		out->name.n = n;
	}
	return out->name.n > 0 && out->name.p[0];
}

/* Whether the kind is one that perf takes, and the name is no mark of the linker's. */
static inline bool kallsyms_line_counts(const struct kallsyms_line *l)
{
	char kind = l->kind | 0x20;
	return (kind == 't' || kind == 'w' || kind == 'd' || kind == 'b') && l->name.p[0] != '$';
}

#endif
