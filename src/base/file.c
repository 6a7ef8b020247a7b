#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool file_read_fd(int fd, const char *name, size_t limit, struct str *out, struct err *err)
{
	size_t n = 0, cap = 64 << 10;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (uint64_t)st.st_size < limit)
		cap = (size_t)st.st_size + 1;
	char *buf = mem_alloc(cap + 1);
	for (;;) {
		if (n == cap) {
			cap *= 2;
			buf = mem_realloc(buf, cap + 1);
		}
		ssize_t r = read(fd, buf + n, cap - n);
		if (r == 0)
			break;
		if (r < 0) {
			if (errno == EINTR)
				continue;
			int error = errno;
			free(buf);
			return err_sys(err, error, "cannot read %s", name);
		}
		n += (size_t)r;
		if (n > limit) {
			free(buf);
			return err_set(err, ERR_INPUT, "%s is larger than %zu MB", name,
				       limit >> 20);
		}
	}
	buf[n] = '\0';
	*out = str_make(buf, n);
	return true;
}

bool file_read(const char *path, size_t limit, struct str *out, struct err *err)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	return file_read_fd(fd, path, limit, out, err);
}

bool file_read_line(const char *path, char *buf, size_t size)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, buf, size - 1);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool file_read_u64(const char *path, uint64_t *out)
{
	char buf[64];
	return file_read_line(path, buf, sizeof buf) && str_to_u64(str_trim(str_of(buf)), 0, out);
}

bool file_map(const char *path, struct mapped *out, struct err *err)
{
	*out = (struct mapped){0};
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	struct stat st;
	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot stat %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "%s is not a regular file", path);
	if (st.st_size == 0)
		return true;
	void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_sys(err, errno, "cannot map %s", path);
	*out = (struct mapped){.p = p, .n = (size_t)st.st_size};
	return true;
}

void file_unmap(struct mapped *m)
{
	if (m->p)
		munmap((void *)m->p, m->n);
	*m = (struct mapped){0};
}

int file_temp(const char *dir, struct err *err)
{
	if (!dir || !*dir)
		dir = "/tmp";
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0) {
		char path[4096];
		snprintf(path, sizeof path, "%s/kiln-XXXXXX", dir);
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0) {
		err_sys(err, errno, "cannot make a temporary file in %s", dir);
		err_hint(err, "set TMPDIR to a directory with room");
	}
	return fd;
}

bool file_write_all(int fd, const void *p, size_t n, const char *name, struct err *err)
{
	const char *at = p;
	while (n) {
		ssize_t w = write(fd, at, n);
		if (w < 0) {
			if (errno == EINTR)
				continue;
			return err_sys(err, errno, "cannot write %s", name);
		}
		at += w;
		n -= (size_t)w;
	}
	return true;
}

bool file_make_parents(const char *path, struct err *err)
{
	char part[PATH_MAX];
	if (strlen(path) >= sizeof part)
		return err_set(err, ERR_INPUT, "a path is too long: %.60s…", path);
	strcpy(part, path);
	for (char *at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(part, 0755) != 0 && errno != EEXIST)
			return err_sys(err, errno, "cannot make the directory %s", part);
		*at = '/';
	}
	return true;
}
