#include "capture/jit_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/clock_pair.h"
#include "perfdata/record.h"

#define TEXT_MAX ((size_t)256 << 20) /* bytes of all maps */
#define PROCESSES_MAX 65536
#define DUMPS_MAX 4096
#define SLACK 2 /* seconds */

void jit_snapshot_init(struct jit_snapshot *j, int32_t clockid)
{
	*j = (struct jit_snapshot){.clockid = clockid};
}

static void process_close(struct jit_process *p)
{
	close_fd(&p->dir);
	close_fd(&p->map);
}

void jit_snapshot_free(struct jit_snapshot *j)
{
	for (size_t i = 0; i < j->processes.n; i++) {
		process_close(&j->processes.v[i]);
		vec_free(&j->processes.v[i].text);
		vec_free(&j->processes.v[i].growth);
	}
	for (size_t i = 0; i < j->dumps.n; i++)
		close_fd(&j->dumps.v[i].fd);
	vec_free(&j->processes);
	vec_free(&j->dumps);
	u64map_free(&j->by_pid);
	strtab_free(&j->paths);
}

/* --- a process -------------------------------------------------------------------------------- */

/* Field `n` of a line of /proc/PID/status, from the first one behind the name. */
static struct str status_field(struct str line, size_t n)
{
	struct str rest = line, word = STR("");
	for (size_t i = 0; i <= n && rest.p; i++)
		word = str_split(rest, '\t', &rest);
	return word;
}

static void read_status(struct jit_process *p)
{
	char path[32];
	struct str text, line;
	uint64_t uid;
	snprintf(path, sizeof path, "/proc/%d/status", p->pid);
	if (!file_read(path, 1 << 16, &text, NULL))
		return;
	for (struct str rest = text; str_line(&rest, &line);) {
		if (str_starts(line, "Uid:") && str_to_u64(status_field(line, 2), 10, &uid))
			p->user = (uint32_t)uid;
		if (!str_starts(line, "NStgid:"))
			continue;
		/* from the outermost namespace to its own */
		const char *tab = memrchr(line.p, '\t', line.n);
		if (tab)
			snprintf(p->inner, sizeof p->inner, "%.*s",
				 (int)(line.p + line.n - tab - 1), tab + 1);
	}
	free((void *)text.p);
}

/* The moment a directory of /proc came to be is when somebody first looked at it; but a process's
 * own is not older than the process, and a map that is younger than that is its own. */
static int64_t start_of(int32_t pid)
{
	char path[32], line[1024];
	struct timespec wall, boot;
	uint64_t ticks = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (!file_read_line(path, line, sizeof line))
		return 0;
	const char *end = strrchr(line, ')'); /* the name may hold anything */
	struct str rest = str_of(end ? end + 1 : "");
	for (int i = 2; i <= 22 && rest.p; i++) {
		struct str word = str_split(rest, ' ', &rest);
		if (i == 22 && !str_to_u64(word, 10, &ticks))
			return 0;
	}
	long per_second = MAX(sysconf(_SC_CLK_TCK), 1);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return wall.tv_sec - boot.tv_sec + (int64_t)(ticks / (uint64_t)per_second);
}

/* Its /tmp as it sees it, also where that is a link; -1: it is ours, or it cannot be opened. */
static int open_tmp(int32_t pid)
{
	char path[32];
	struct stat own, its;
	snprintf(path, sizeof path, "/proc/%d/root", pid);
	CLEANUP(close_fd) int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, root, "tmp", &how, sizeof how);
	if (fd < 0 && errno == ENOSYS)
		fd = openat(root, "tmp", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && fstat(fd, &its) == 0 && stat("/tmp", &own) == 0 &&
	    its.st_dev == own.st_dev && its.st_ino == own.st_ino)
		close_fd(&fd);
	return fd;
}

static void refuse(struct jit_snapshot *j, struct jit_process *p, const char *why, uint32_t who)
{
	p->refused = true;
	if (!j->refused++)
		snprintf(j->why, sizeof j->why, "/tmp/perf-%s.map of process %d %s (user %u)",
			 p->inner, p->pid, why, who);
}

/* False: there is no map yet, or none to be read. */
static bool open_map(struct jit_snapshot *j, struct jit_process *p)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "%sperf-%s.map", p->dir < 0 ? "/tmp/" : "", p->inner);
	CLEANUP(close_fd)
	int fd = openat(p->dir < 0 ? AT_FDCWD : p->dir, path,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0) {
		if (errno == ELOOP)
			refuse(j, p, "is a symbolic link", p->user);
		return false;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	if (st.st_mtime + SLACK < p->started)
		return false; /* left by another process of this number */
	if (st.st_uid != 0 && st.st_uid != p->user) {
		refuse(j, p, "belongs to somebody else", st.st_uid);
		return false;
	}
	p->map = fd;
	p->device = st.st_dev;
	p->inode = st.st_ino;
	p->read = 0;
	fd = -1;
	return true;
}

/* Another file in its place, or one that was begun again, is read from its beginning. */
static bool map_is_there(struct jit_snapshot *j, struct jit_process *p)
{
	struct stat st, named;
	char path[64];
	if (p->map < 0)
		return open_map(j, p);
	snprintf(path, sizeof path, "%sperf-%s.map", p->dir < 0 ? "/tmp/" : "", p->inner);
	if (fstatat(p->dir < 0 ? AT_FDCWD : p->dir, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (named.st_dev != p->device || named.st_ino != p->inode)) {
		int old = p->map;
		uint64_t read = p->read;
		p->map = -1;
		if (open_map(j, p)) {
			close(old);
		} else {
			p->map = old;
			p->read = read;
		}
	}
	if (fstat(p->map, &st) != 0)
		return false;
	if ((uint64_t)st.st_size < p->read)
		p->read = 0;
	return true;
}

/* Whole lines only: the rest comes with the next look. */
static void read_map(struct jit_snapshot *j, struct jit_process *p, uint64_t time)
{
	size_t before = p->text.n;
	for (;;) {
		size_t piece = 64 << 10;
		if (j->bytes + (p->text.n - before) >= TEXT_MAX) {
			j->full = true;
			break;
		}
		vec_reserve(&p->text, piece);
		ssize_t n = pread(p->map, p->text.v + p->text.n, piece,
				  (off_t)(p->read + p->text.n - before));
		if (n <= 0)
			break;
		p->text.n += (size_t)n;
	}
	const char *end = p->text.n > before ? memrchr(p->text.v + before, '\n', p->text.n - before)
					     : NULL;
	p->text.n = end ? (size_t)(end + 1 - p->text.v) : before;
	p->read += p->text.n - before;
	j->bytes += p->text.n - before;
	if (p->text.n > before)
		vec_push(&p->growth, (struct jit_growth){.time = time, .end = p->text.n});
}

/* Most processes that map such memory never write a map: they are asked less and less. */
#define PATIENCE 32
#define SELDOM 16

static void look_at(struct jit_snapshot *j, struct jit_process *p)
{
	if (p->over || p->refused)
		return;
	if (map_is_there(j, p))
		read_map(j, p, MAX(p->since, j->looked));
	else
		p->misses++;
}

/* --- what happens ----------------------------------------------------------------------------- */

void jit_snapshot_watch(struct jit_snapshot *j, int32_t pid, uint64_t time)
{
	const uint32_t *known = u64map_get(&j->by_pid, (uint32_t)pid);
	if ((known && !j->processes.v[*known].over) || pid <= 0)
		return;
	if (j->processes.n >= PROCESSES_MAX) {
		j->full = true;
		return;
	}
	struct jit_process p = {.pid = pid, .since = time, .map = -1, .user = UINT32_MAX};
	snprintf(p.inner, sizeof p.inner, "%d", pid);
	read_status(&p);
	p.started = start_of(pid);
	p.dir = open_tmp(pid);
	u64map_put(&j->by_pid, (uint32_t)pid, (uint32_t)j->processes.n);
	vec_push(&j->processes, p);
	look_at(j, &vec_last(&j->processes));
}

void jit_snapshot_exit(struct jit_snapshot *j, int32_t pid)
{
	const uint32_t *known = u64map_get(&j->by_pid, (uint32_t)pid);
	if (!known)
		return;
	struct jit_process *p = &j->processes.v[*known];
	look_at(j, p);
	p->over = true;
	process_close(p);
}

static void look(struct jit_snapshot *j, uint64_t now, bool all)
{
	j->looks++;
	for (size_t i = 0; i < j->processes.n; i++)
		if (all || j->processes.v[i].misses < PATIENCE || j->looks % SELDOM == i % SELDOM)
			look_at(j, &j->processes.v[i]);
	j->looked = now;
}

/* Some runtimes write thousands of lines a second; the loop that calls us may be as fast. */
#define LOOK_INTERVAL_NS 50000000

void jit_snapshot_look(struct jit_snapshot *j, uint64_t now)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	uint64_t at = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	if (at - j->looked_at < LOOK_INTERVAL_NS)
		return;
	j->looked_at = at;
	look(j, now, false);
}

void jit_snapshot_end(struct jit_snapshot *j)
{
	look(j, j->looked, true);
	if (j->dumps.n)
		clock_pair(j->clockid, &j->clock.monotonic[1], &j->clock.recording[1]);
}

/* --- jitdumps --------------------------------------------------------------------------------- */

static bool is_dump(struct str path)
{
	struct str base = str_basename(path);
	uint64_t number;
	return base.n > 9 && str_starts(base, "jit-") && str_ends(base, ".dump") &&
	       str_to_u64(str_make(base.p + 4, base.n - 9), 10, &number);
}

/* The very file that was mapped: by inode, as a process's number may be another's by now. */
static int open_dump(const struct rec_mmap *m)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int path_len = (int)MIN(m->path.n, (size_t)PATH_MAX);
	for (int place = 0; place < 3; place++) {
		if (place == 0)
			snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				 m->pid, m->addr, m->addr + m->len);
		else if (place == 1)
			snprintf(path, sizeof path, "/proc/%d/root%.*s", m->pid, path_len,
				 m->path.p);
		else
			snprintf(path, sizeof path, "%.*s", path_len, m->path.p);
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    (!m->inode || st.st_ino == m->inode))
			return fd;
		close_fd(&fd);
	}
	return -1;
}

bool jit_snapshot_mapped(struct jit_snapshot *j, const struct rec_mmap *m, uint64_t time)
{
	if (!is_dump(m->path))
		return false;
	string_id path = strtab_intern(&j->paths, m->path);
	for (size_t i = 0; i < j->dumps.n; i++)
		if (j->dumps.v[i].pid == m->pid && j->dumps.v[i].path.v == path.v)
			return true;
	if (j->dumps.n >= DUMPS_MAX) {
		j->full = true;
		return true;
	}
	int fd = open_dump(m);
	if (!j->clock.recording[0])
		clock_pair(j->clockid, &j->clock.monotonic[0], &j->clock.recording[0]);
	if (fd >= 0)
		vec_push(&j->dumps,
			 (struct jit_dump){.pid = m->pid, .since = time, .path = path, .fd = fd});
	return true;
}
