/* A borrowed piece of text: pointer and length, not NUL-terminated. */
#ifndef KILN_STR_H
#define KILN_STR_H

#include "base/base.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

static inline struct str str_of(const char *s)
{
	return (struct str){s, s ? strlen(s) : 0};
}

static inline struct str str_make(const char *p, size_t n)
{
	return (struct str){p, n};
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *b)
{
	return str_eq(a, str_of(b));
}

static inline bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

static inline bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);
	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static inline struct str str_skip(struct str s, size_t n)
{
	n = MIN(n, s.n);
	return (struct str){s.p + n, s.n - n};
}

/* Orders as strcmp does: bytes first, then the shorter one. */
int str_cmp(struct str a, struct str b);

/* Cuts white space at both ends. */
struct str str_trim(struct str s);

/* The text before the first `sep` (all of it when there is none); *rest gets what follows, or an
 * empty str with a NULL pointer when there was no `sep`. */
struct str str_split(struct str s, char sep, struct str *rest);

/* Takes one line (without its '\n') off the front of *text; false at the end. */
bool str_line(struct str *text, struct str *line);

/* The part behind the last '/', as basename(1). */
struct str str_basename(struct str path);

/* Whole-text number parsing: false unless every character belongs to the number and it fits. */
MUST_USE bool str_to_u64(struct str s, int base, uint64_t *out);
MUST_USE bool str_to_i64(struct str s, int64_t *out);

#endif
