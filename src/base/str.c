#include "base/str.h"

int str_cmp(struct str a, struct str b)
{
	size_t n = MIN(a.n, b.n);
	int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str str_split(struct str s, char sep, struct str *rest)
{
	const char *hit = s.n ? memchr(s.p, sep, s.n) : NULL;
	if (!hit) {
		*rest = (struct str){NULL, 0};
		return s;
	}
	size_t n = (size_t)(hit - s.p);
	*rest = str_skip(s, n + 1);
	return str_make(s.p, n);
}

bool str_line(struct str *text, struct str *line)
{
	if (!text->n)
		return false;
	struct str rest;
	*line = str_split(*text, '\n', &rest);
	*text = rest;
	return true;
}

struct str str_basename(struct str path)
{
	for (size_t i = path.n; i > 0; i--)
		if (path.p[i - 1] == '/')
			return str_skip(path, i);
	return path;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool str_to_u64(struct str s, int base, uint64_t *out)
{
	if ((base == 0 || base == 16) && (str_starts(s, "0x") || str_starts(s, "0X"))) {
		s = str_skip(s, 2);
		base = 16;
	}
	if (base == 0)
		base = 10;
	if (!s.n)
		return false;
	uint64_t v = 0;
	for (size_t i = 0; i < s.n; i++) {
		int d = digit_value(s.p[i]);
		if (d >= base)
			return false;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*out = v;
	return true;
}

bool str_to_i64(struct str s, int64_t *out)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t v;
	if (!str_to_u64(negative ? str_skip(s, 1) : s, 10, &v) || v > (uint64_t)INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}
