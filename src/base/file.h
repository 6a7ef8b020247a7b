/* Files: whole reads with a limit, read-only maps, unnamed temporary files. */
#ifndef KILN_FILE_H
#define KILN_FILE_H

#include "base/base.h"
#include "base/err.h"
#include "base/str.h"

/* close() through a pointer, for CLEANUP(); -1 is allowed. */
void close_fd(int *fd);

/* Reads all of a file (also /proc files, which have no size) into heap memory, NUL behind the last
 * byte. Fails when it is larger than `limit`. The caller frees out->p. */
MUST_USE bool file_read(const char *path, size_t limit, struct str *out, struct err *err);
MUST_USE bool file_read_fd(int fd, const char *name, size_t limit, struct str *out,
			   struct err *err);

/* A short text file (sysfs, procfs) without its trailing newline, cut to size; false if unreadable.
 */
MUST_USE bool file_read_line(const char *path, char *buf, size_t size);
MUST_USE bool file_read_u64(const char *path, uint64_t *out);

/* The whole of a regular file, mapped read-only. An empty file gives n = 0. Only regular files. */
struct mapped {
	const uint8_t *p;
	size_t n;
};
MUST_USE bool file_map(const char *path, struct mapped *out, struct err *err);
void file_unmap(struct mapped *m);

/* An unnamed file in the given directory (e.g. $TMPDIR, found by the caller) or /tmp; -1 on
 * failure. */
int file_temp(const char *dir, struct err *err);

/* All directories that a path is in, as far as they are missing. */
MUST_USE bool file_make_parents(const char *path, struct err *err);

/* write(2) until all is out. */
MUST_USE bool file_write_all(int fd, const void *p, size_t n, const char *name, struct err *err);

#endif
