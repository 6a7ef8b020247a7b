#include "ingest/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define READ_BYTES ((size_t)256 << 10)
#define PEEK_BYTES ((size_t)64 << 10)

void lines_open_fd(struct lines *l, int fd, const char *name)
{
	*l = (struct lines){.name = name, .fd = fd, .cap = READ_BYTES};
	l->buf = mem_alloc(l->cap);
	l->data = l->buf;
}

void lines_open_memory(struct lines *l, struct str text, const char *name)
{
	*l = (struct lines){.name = name, .fd = -1, .eof = true, .data = text.p, .end = text.n};
}

void lines_close(struct lines *l)
{
	free(l->buf);
	*l = (struct lines){.fd = -1, .eof = true};
}

/* Reads once behind what is there, making room first. */
static void fill(struct lines *l)
{
	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->end - l->at);
		l->end -= l->at;
		l->at = 0;
	}
	if (l->end == l->cap) {
		l->cap *= 2;
		l->buf = mem_realloc(l->buf, l->cap);
		l->data = l->buf;
	}
	ssize_t n;
	do
		n = read(l->fd, l->buf + l->end, l->cap - l->end);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		l->end += (size_t)n;
		return;
	}
	l->eof = true;
	l->error = n < 0 ? errno : 0;
}

struct str lines_peek(struct lines *l)
{
	while (!l->eof && l->end - l->at < PEEK_BYTES)
		fill(l);
	return str_make(l->data + l->at, MIN(l->end - l->at, PEEK_BYTES));
}

/* Drops input up to and including the next '\n'. */
static void skip_rest(struct lines *l)
{
	for (;;) {
		const char *nl = memchr(l->data + l->at, '\n', l->end - l->at);
		if (nl) {
			l->at = (size_t)(nl - l->data) + 1;
			return;
		}
		l->at = l->end;
		if (l->eof)
			return;
		fill(l);
	}
}

bool lines_next(struct lines *l, struct str *line)
{
	if (l->cut) {
		l->cut = false;
		skip_rest(l);
	}
	size_t seen = 0;
	for (;;) {
		size_t left = l->end - l->at;
		const char *from = l->data + l->at + seen;
		const char *nl = left > seen ? memchr(from, '\n', left - seen) : NULL;
		size_t n = nl ? (size_t)(nl - (l->data + l->at)) : left;
		if (!nl && !l->eof && n < LINE_MAX_BYTES) {
			seen = left;
			fill(l);
			continue;
		}
		if (!nl && !n)
			return false;
		l->cut = n > LINE_MAX_BYTES || (n == LINE_MAX_BYTES && !nl && !l->eof);
		*line = str_make(l->data + l->at, MIN(n, LINE_MAX_BYTES));
		l->at += line->n + (nl && !l->cut);
		l->number++;
		return true;
	}
}

bool lines_copy(struct lines *l, int fd, struct err *err)
{
	for (;;) {
		if (!file_write_all(fd, l->data + l->at, l->end - l->at, "a temporary file", err))
			return false;
		l->at = l->end;
		if (l->eof)
			return lines_ok(l, err);
		fill(l);
	}
}

bool lines_ok(const struct lines *l, struct err *err)
{
	return !l->error || err_sys(err, l->error, "cannot read %s", l->name);
}
