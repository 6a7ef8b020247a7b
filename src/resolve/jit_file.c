#include "resolve/jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"

#define FILE_MAX ((size_t)1 << 30)
#define SLACK 2 /* seconds: clocks are read at different moments, and files keep ticks */

/* Who has the process's number now. */
struct holder {
	bool lives;
	bool same;       /* the recorded process itself */
	int64_t started; /* seconds since 1970 */
	char inner[16];  /* its number as it sees it itself */
};

static int64_t boot_time(void)
{
	struct str text, line;
	uint64_t seconds = 0;
	if (!file_read("/proc/stat", 16 << 20, &text, NULL))
		return 0;
	for (struct str rest = text; str_line(&rest, &line);)
		if (str_starts(line, "btime ") &&
		    !str_to_u64(str_trim(str_skip(line, 6)), 10, &seconds))
			seconds = 0;
	free((void *)text.p);
	return (int64_t)seconds;
}

/* Field 22 of /proc/PID/stat; the name in field 2 may hold anything, blanks and brackets too. */
static int64_t start_time(int32_t pid)
{
	char path[32], line[1024];
	uint64_t ticks = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (!file_read_line(path, line, sizeof line))
		return 0;
	const char *end = strrchr(line, ')');
	struct str rest = str_of(end ? end + 1 : "");
	for (int i = 2; i <= 22 && rest.p; i++) {
		struct str word = str_split(rest, ' ', &rest);
		if (i == 22 && !str_to_u64(word, 10, &ticks))
			return 0;
	}
	long per_second = sysconf(_SC_CLK_TCK);
	return boot_time() + (int64_t)(ticks / (uint64_t)MAX(per_second, 1));
}

static void inner_number(int32_t pid, char out[16])
{
	char path[32];
	struct str text, line;
	snprintf(out, 16, "%d", pid);
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	if (!file_read(path, 1 << 16, &text, NULL))
		return;
	for (struct str rest = text; str_line(&rest, &line);) {
		if (!str_starts(line, "NStgid:"))
			continue;
		/* from the outermost namespace to its own */
		const char *tab = memrchr(line.p, '\t', line.n);
		if (tab)
			snprintf(out, 16, "%.*s", (int)(line.p + line.n - tab - 1), tab + 1);
	}
	free((void *)text.p);
}

static struct holder find_holder(const struct jit_file *f)
{
	struct holder h = {0};
	h.started = f->pid > 0 ? start_time(f->pid) : 0;
	h.lives = h.started != 0;
	h.same = h.lives && (!f->recorded || h.started <= f->recorded + SLACK);
	if (h.same)
		inner_number(f->pid, h.inner);
	return h;
}

static int64_t birth_time(int fd)
{
	struct statx x;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &x) != 0 || !(x.stx_mask & STATX_BTIME))
		return 0;
	return x.stx_btime.tv_sec;
}

static bool in_time(const struct jit_file *f, const struct holder *h, int fd, const struct stat *st,
		    struct err *err)
{
	int64_t born = birth_time(fd);
	if (f->started && st->st_mtime + SLACK < f->started)
		return err_set(err, ERR_INPUT,
			       "%s is older than the process that was recorded, and not used",
			       f->path);
	if (h->same)
		return true;
	if ((h->lives && MAX(born, st->st_mtime) + SLACK >= h->started) ||
	    (f->recorded && born > f->recorded + SLACK))
		return err_set(err, ERR_INPUT,
			       "%s was written after the recording, when process %d was over or "
			       "another one, and is not used",
			       f->path, f->pid);
	return true;
}

static bool is_trusted(const struct jit_file *f, const struct holder *h, const struct stat *st)
{
	struct stat process;
	char path[32];
	if (f->force || st->st_uid == 0 || st->st_uid == geteuid())
		return true;
	snprintf(path, sizeof path, "/proc/%d", f->pid);
	return h->same && stat(path, &process) == 0 && process.st_uid == st->st_uid;
}

static bool read_at(const struct jit_file *f, const struct holder *h, const char *path,
		    struct str *out, struct err *err)
{
	/* A FIFO would make us wait for ever. */
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_INPUT, "%s is a symbolic link, and not followed", path);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "%s is not a regular file", path);
	if (!is_trusted(f, h, &st)) {
		err_set(err, ERR_INPUT, "%s belongs to user %u, and is not trusted", path,
			st.st_uid);
		return err_hint(err, "-f uses it all the same");
	}
	if (!f->force && !in_time(f, h, fd, &st, err))
		return err_hint(err, "kiln record keeps such files in the recording");
	return file_read_fd(fd, path, FILE_MAX, out, err);
}

bool jit_file_read(const struct jit_file *f, struct str *out, struct err *err)
{
	struct holder h = find_holder(f);
	char inside[4096 + 64];
	if (h.same) {
		/* A process in a container has another /tmp and calls itself by another number. */
		if (f->is_map)
			snprintf(inside, sizeof inside, "/proc/%d/root/tmp/perf-%s.map", f->pid,
				 h.inner);
		else
			snprintf(inside, sizeof inside, "/proc/%d/root%s", f->pid, f->path);
		if (read_at(f, &h, inside, out, err))
			return true;
		if (err->sys != ENOENT && err->code != ERR_PERMISSION)
			return false;
	}
	*err = (struct err){0};
	return read_at(f, &h, f->path, out, err);
}
