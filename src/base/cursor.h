/*
 * Byte cursor: the only way input bytes become numbers. Every read checks what is left; a read
 * past the end yields zero and sets `bad`, which stays set, so a parser may read a whole structure
 * and look once at the end. Swaps when the writer had the other byte order.
 */
#ifndef KILN_CURSOR_H
#define KILN_CURSOR_H

#include "base/base.h"
#include "base/str.h"

struct cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap;
	bool bad;
};

static inline struct cursor cursor_of(const void *p, size_t n, bool swap)
{
	return (struct cursor){.p = p, .end = (const uint8_t *)p + n, .swap = swap};
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline bool cursor_fail(struct cursor *c)
{
	c->bad = true;
	c->p = c->end;
	return false;
}

/* n bytes, borrowed; NULL (and bad) when there are fewer. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t n)
{
	if (UNLIKELY(cursor_left(c) < n)) {
		cursor_fail(c);
		return NULL;
	}
	const uint8_t *p = c->p;
	c->p += n;
	return p;
}

static inline void cursor_skip(struct cursor *c, size_t n)
{
	(void)cursor_bytes(c, n);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 1);
	return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 2);
	uint16_t v = p ? load16(p) : 0;
	return c->swap ? swap16(v) : v;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 4);
	uint32_t v = p ? load32(p) : 0;
	return c->swap ? swap32(v) : v;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 8);
	uint64_t v = p ? load64(p) : 0;
	return c->swap ? swap64(v) : v;
}

/* A sub-cursor over the next n bytes, which are skipped here. Empty and bad when too few. */
static inline struct cursor cursor_sub(struct cursor *c, size_t n)
{
	const uint8_t *p = cursor_bytes(c, n);
	struct cursor s = cursor_of(p ? p : c->end, p ? n : 0, c->swap);
	s.bad = !p;
	return s;
}

/* Text up to a NUL or the end of the n bytes, whichever comes first; all n bytes are consumed. */
static inline struct str cursor_text(struct cursor *c, size_t n)
{
	const char *p = (const char *)cursor_bytes(c, n);
	return p ? str_make(p, strnlen(p, n)) : STR("");
}

/* Text up to its NUL, which must be there. */
static inline struct str cursor_cstr(struct cursor *c)
{
	const uint8_t *nul = cursor_left(c) ? memchr(c->p, 0, cursor_left(c)) : NULL;
	if (!nul) {
		cursor_fail(c);
		return STR("");
	}
	struct str s = str_make((const char *)c->p, (size_t)(nul - c->p));
	c->p = nul + 1;
	return s;
}

#endif
