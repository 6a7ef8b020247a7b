#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#define OUT_BUFFER ((size_t)256 << 10)

void out_fd(struct out *o, int fd)
{
	*o = (struct out){.buf = mem_alloc(OUT_BUFFER), .cap = OUT_BUFFER, .fd = fd};
}

void out_memory(struct out *o)
{
	*o = (struct out){.buf = mem_alloc(256), .cap = 256, .fd = -1};
}

static void write_through(struct out *o, const char *p, size_t n)
{
	while (n && !o->error) {
		ssize_t w = write(o->fd, p, n);
		if (w > 0) {
			p += w;
			n -= (size_t)w;
		} else if (w < 0 && errno != EINTR) {
			o->error = errno;
		}
	}
}

bool out_flush(struct out *o)
{
	if (o->fd < 0)
		return true;
	write_through(o, o->buf, o->n);
	o->n = 0;
	return !o->error;
}

bool out_finish(struct out *o)
{
	bool ok = out_flush(o);
	free(o->buf);
	o->buf = NULL;
	o->cap = 0;
	o->n = 0;
	return ok;
}

char *out_grow(struct out *o, size_t n)
{
	if (o->cap - o->n < n) {
		if (o->fd >= 0)
			(void)out_flush(o); /* the error sticks */
		if (o->cap - o->n < n) {
			size_t cap = MAX(o->cap * 2, o->n + n);
			o->buf = mem_realloc(o->buf, cap);
			o->cap = cap;
		}
	}
	return o->buf + o->n;
}

void out_bytes(struct out *o, const void *p, size_t n)
{
	if (!n)
		return;
	if (n >= OUT_BUFFER && o->fd >= 0) {
		(void)out_flush(o); /* the error sticks */
		write_through(o, p, n);
		return;
	}
	memcpy(out_room(o, n), p, n);
	o->n += n;
}

void out_fmt(struct out *o, const char *fmt, ...)
{
	char *room = out_room(o, 256);
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(room, o->cap - o->n, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n >= o->cap - o->n) {
		room = out_room(o, (size_t)n + 1);
		va_start(args, fmt);
		vsnprintf(room, (size_t)n + 1, fmt, args);
		va_end(args);
	}
	o->n += (size_t)n;
}

size_t format_u64(char *buf, uint64_t v)
{
	char tmp[20];
	size_t n = 0;
	do {
		tmp[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = tmp[n - 1 - i];
	return n;
}

void out_u64(struct out *o, uint64_t v)
{
	o->n += format_u64(out_room(o, 20), v);
}

void out_i64(struct out *o, int64_t v)
{
	if (v < 0)
		out_char(o, '-');
	out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void out_hex(struct out *o, uint64_t v)
{
	o->n += format_hex(out_room(o, 20), v);
}

void out_spaces(struct out *o, size_t n)
{
	if (!n)
		return;
	memset(out_room(o, n), ' ', n);
	o->n += n;
}
