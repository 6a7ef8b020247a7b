#include "object/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

/* gzFile is a pointer to zlib's own struct, so a stream is just that, and where it leads. */
struct gzip {
	gzFile file;
	const char *name;
};

static struct gzip *open_stream(int fd, const char *mode, const char *name, struct err *err)
{
	gzFile file = gzdopen(fd, mode);
	if (!file) {
		err_set(err, ERR_SYSTEM, "cannot begin to compress %s", name);
		close(fd);
		return NULL;
	}
	(void)gzbuffer(file, 1 << 18);
	struct gzip *g = mem_zalloc(sizeof *g);
	*g = (struct gzip){file, name};
	return g;
}

struct gzip *gzip_write_open(int fd, const char *name, struct err *err)
{
	return open_stream(fd, "wb6", name, err);
}

struct gzip *gzip_read_open(int fd, const char *name, struct err *err)
{
	return open_stream(fd, "rb", name, err);
}

static bool failed(struct gzip *g, const char *what, struct err *err)
{
	int code;
	const char *text = gzerror(g->file, &code);
	if (code == Z_ERRNO)
		return err_sys(err, errno, "cannot %s %s", what, g->name);
	return err_set(err, ERR_INPUT, "cannot %s %s: %s", what, g->name,
		       code && *text ? text : "it is cut short");
}

bool gzip_write(struct gzip *g, const void *p, size_t n, struct err *err)
{
	const char *at = p;
	while (n) {
		unsigned part = (unsigned)MIN(n, (size_t)1 << 30);
		if (gzwrite(g->file, at, part) != (int)part)
			return failed(g, "write", err);
		at += part;
		n -= part;
	}
	return true;
}

bool gzip_read(struct gzip *g, void *p, size_t n, bool *end, struct err *err)
{
	char *at = p;
	*end = false;
	while (n) {
		int got = gzread(g->file, at, (unsigned)MIN(n, (size_t)1 << 30));
		if (got == 0 && at == p && gzeof(g->file)) {
			*end = true;
			return true;
		}
		if (got <= 0)
			return failed(g, "read", err);
		at += got;
		n -= (size_t)got;
	}
	return true;
}

bool gzip_close(struct gzip *g, struct err *err)
{
	const char *name = g->name;
	int code = gzclose(g->file);
	free(g);
	return code == Z_OK || err_sys(err, errno, "cannot write %s", name);
}
