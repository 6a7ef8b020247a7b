/* Character classes and small scans the text importers share: bytes, no locale. */
#ifndef KILN_SCAN_H
#define KILN_SCAN_H

#include "base/str.h"

static inline bool is_blank_char(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_digit_char(char c)
{
	return c >= '0' && c <= '9';
}

/* Lower case only: perf prints addresses and offsets so, and names such as "ADDED" are no hex. */
static inline bool is_hex_char(char c)
{
	return is_digit_char(c) || (c >= 'a' && c <= 'f');
}

static inline bool is_word_char(char c)
{
	return is_digit_char(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline size_t skip_blanks(struct str s, size_t i)
{
	while (i < s.n && is_blank_char(s.p[i]))
		i++;
	return i;
}

static inline size_t skip_word(struct str s, size_t i)
{
	while (i < s.n && !is_blank_char(s.p[i]))
		i++;
	return i;
}

static inline size_t skip_digits(struct str s, size_t i)
{
	while (i < s.n && is_digit_char(s.p[i]))
		i++;
	return i;
}

static inline bool all_digits(struct str s)
{
	return s.n && skip_digits(s, 0) == s.n;
}

/* "name+0x1f" -> "name"; anything else is left as it is. */
static inline struct str strip_offset(struct str s)
{
	size_t i = s.n;
	while (i && is_hex_char(s.p[i - 1]))
		i--;
	if (i < s.n && i >= 3 && memcmp(s.p + i - 3, "+0x", 3) == 0)
		s.n = i - 3;
	return s;
}

/* Index of the last `c` in s[0, end), or -1. */
static inline ptrdiff_t find_last(struct str s, size_t end, char c)
{
	const char *hit = s.p && end ? memrchr(s.p, c, end) : NULL;
	return hit ? hit - s.p : -1;
}

#endif
