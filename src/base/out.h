/*
 * Text and bytes out: one buffer in front of a file descriptor, or a growing one in memory. Errors
 * stick and are asked for once, at out_finish(); a closed pipe (EPIPE) is an error like others, the
 * caller decides that it is a normal end.
 */
#ifndef KILN_OUT_H
#define KILN_OUT_H

#include "base/base.h"
#include "base/str.h"

struct out {
	char *buf;
	size_t n;
	size_t cap;
	int fd;    /* -1: in memory */
	int error; /* errno of the first failed write, 0 if none */
};

void out_fd(struct out *o, int fd);
void out_memory(struct out *o);

/* Writes what is buffered; false when this or an earlier write failed (see o->error). */
bool out_flush(struct out *o);

/* Flushes and frees the buffer; the descriptor stays open. False as out_flush. */
bool out_finish(struct out *o);

/* What a memory writer holds: borrowed until the next write. */
static inline struct str out_text(const struct out *o)
{
	return str_make(o->buf, o->n);
}

/* At least n writable bytes at the returned place; the caller adds what it used to o->n. */
char *out_grow(struct out *o, size_t n);
static inline char *out_room(struct out *o, size_t n)
{
	return LIKELY(o->cap - o->n >= n) ? o->buf + o->n : out_grow(o, n);
}

void out_bytes(struct out *o, const void *p, size_t n);
void out_fmt(struct out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
void out_u64(struct out *o, uint64_t v);
void out_i64(struct out *o, int64_t v);
void out_hex(struct out *o, uint64_t v); /* no 0x, no padding */
void out_spaces(struct out *o, size_t n);

static inline void out_str(struct out *o, struct str s)
{
	out_bytes(o, s.p, s.n);
}

static inline void out_cstr(struct out *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

static inline void out_char(struct out *o, char c)
{
	if (UNLIKELY(o->n == o->cap))
		(void)out_room(o, 1);
	o->buf[o->n++] = c;
}

/* Decimal and hexadecimal digits into buf (at least 20 bytes), without NUL; returns the length. */
size_t format_u64(char *buf, uint64_t v);
static inline size_t format_hex(char *buf, uint64_t v)
{
	size_t n = v ? (size_t)(67 - __builtin_clzll(v)) / 4 : 1;
	for (size_t i = n; i-- > 0; v >>= 4)
		buf[i] = "0123456789abcdef"[v & 15];
	return n;
}

#endif
