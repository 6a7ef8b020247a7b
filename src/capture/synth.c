#include "capture/synth.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/pool.h"
#include "perfdata/record.h"

#define MAPS_PIECE (32 << 10) /* at a time; the kernel gives a page of lines with each read */
#define COMM_MAX 64
#define MISC_FORK_EXEC (1 << 13) /* the child starts without the parent's mappings */

struct task {
	int32_t pid, tid, ppid;
	char comm[COMM_MAX];
};

/* "pid (comm) state ppid …"; comm may hold anything, so its end is the last parenthesis. */
static bool read_stat(int32_t pid, struct task *t)
{
	char path[64], line[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (!file_read_line(path, line, sizeof line))
		return false;
	char *open = strchr(line, '('), *close = strrchr(line, ')');
	if (!open || !close || close < open)
		return false;
	*close = '\0';
	*t = (struct task){.pid = pid, .tid = pid};
	snprintf(t->comm, sizeof t->comm, "%s", open + 1);
	return sscanf(close + 1, " %*c %d", &t->ppid) == 1;
}

static void emit_fork(const struct synth *s, const struct task *t)
{
	int32_t parent = t->tid == t->pid ? t->ppid : t->pid;
	emit_begin(s->e, PERF_RECORD_FORK, MISC_FORK_EXEC);
	emit_u32(s->e, (uint32_t)t->pid);
	emit_u32(s->e, (uint32_t)parent);
	emit_u32(s->e, (uint32_t)t->tid);
	emit_u32(s->e, (uint32_t)parent);
	emit_u64(s->e, 0);
	emit_end(s->e);
}

static void emit_comm(const struct synth *s, const struct task *t)
{
	emit_begin(s->e, PERF_RECORD_COMM, 0);
	emit_u32(s->e, (uint32_t)t->pid);
	emit_u32(s->e, (uint32_t)t->tid);
	emit_text(s->e, str_of(t->comm));
	emit_end(s->e);
}

/* In the order of the kernel's own NAMESPACES records. */
static void emit_namespaces(const struct synth *s, const struct task *t)
{
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	char path[64];
	emit_begin(s->e, PERF_RECORD_NAMESPACES, 0);
	emit_u32(s->e, (uint32_t)t->pid);
	emit_u32(s->e, (uint32_t)t->tid);
	emit_u64(s->e, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct stat st = {0};
		snprintf(path, sizeof path, "/proc/%d/ns/%s", t->pid, names[i]);
		if (stat(path, &st) != 0)
			st = (struct stat){0};
		emit_u64(s->e, st.st_dev);
		emit_u64(s->e, st.st_ino);
	}
	emit_end(s->e);
}

struct map_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	struct str perms, path;
};

/* "start-end perms offset major:minor inode   path" */
static bool parse_map_line(struct str line, struct map_line *m)
{
	uint64_t major, minor;
	struct str rest;
	struct str start = str_split(line, '-', &rest);
	struct str end = str_split(rest, ' ', &rest);
	m->perms = str_split(rest, ' ', &rest);
	struct str offset = str_split(rest, ' ', &rest);
	struct str device = str_split(rest, ' ', &rest);
	struct str inode = str_split(rest, ' ', &rest);
	struct str minor_text;
	struct str major_text = str_split(device, ':', &minor_text);
	if (m->perms.n != 4 || !str_to_u64(start, 16, &m->start) || !str_to_u64(end, 16, &m->end) ||
	    !str_to_u64(offset, 16, &m->offset) || !str_to_u64(major_text, 16, &major) ||
	    !str_to_u64(minor_text, 16, &minor) || !str_to_u64(inode, 10, &m->inode))
		return false;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	while (rest.n && rest.p[0] == ' ')
		rest = str_skip(rest, 1);
	m->path = rest;
	/* The kernel's own records call all memory without a file so. */
	if (!rest.n || str_starts(rest, "[anon:") || str_starts(rest, "/anon_hugepage"))
		m->path = STR("//anon");
	return true;
}

struct map_place {
	int32_t pid;
	const struct map_line *m;
	char path[PATH_MAX];
};

static const char *open_path(void *ctx)
{
	struct map_place *at = ctx;
	/* Leads to the mapped file itself, be it deleted or in another namespace, but needs
	 * CAP_CHECKPOINT_RESTORE. */
	snprintf(at->path, sizeof at->path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, at->pid,
		 at->m->start, at->m->end);
	if (access(at->path, R_OK) != 0)
		snprintf(at->path, sizeof at->path, "/proc/%d/root%.*s", at->pid,
			 (int)MIN(at->m->path.n, 4000), at->m->path.p);
	return at->path;
}

static void emit_map(const struct synth *s, int32_t pid, const struct map_line *m, bool timed_out)
{
	bool code = m->perms.p[2] == 'x';
	struct map_place place;
	place.pid = pid;
	place.m = m;
	struct build_id id = mapped_files_build_id(s->files, m->path,
						   (uint64_t)m->major << 32 | m->minor, m->inode,
						   open_path, &place);
	uint16_t misc = PERF_RECORD_MISC_USER;
	if (!code)
		misc |= MISC_MMAP_DATA;
	if (id.size && s->build_id)
		misc |= MISC_MMAP_BUILD_ID;
	if (timed_out)
		misc |= PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT;
	emit_begin(s->e, PERF_RECORD_MMAP2, misc);
	emit_u32(s->e, (uint32_t)pid);
	emit_u32(s->e, (uint32_t)pid);
	emit_u64(s->e, m->start);
	emit_u64(s->e, m->end - m->start);
	emit_u64(s->e, m->offset);
	if (misc & MISC_MMAP_BUILD_ID) {
		uint8_t bytes[4 + BUILD_ID_MAX] = {id.size};
		memcpy(bytes + 4, id.bytes, id.size);
		emit_bytes(s->e, bytes, sizeof bytes);
	} else {
		emit_u32(s->e, m->major);
		emit_u32(s->e, m->minor);
		emit_u64(s->e, m->inode);
		emit_u64(s->e, 0);
	}
	uint32_t prot = (m->perms.p[0] == 'r' ? PROT_READ : 0u) |
			(m->perms.p[1] == 'w' ? PROT_WRITE : 0u) | (code ? PROT_EXEC : 0u);
	emit_u32(s->e, prot);
	emit_u32(s->e, m->perms.p[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	emit_text(s->e, m->path);
	emit_end(s->e);
}

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The mappings in whole lines of /proc/PID/maps. */
static void emit_map_lines(const struct synth *s, int32_t pid, struct str text, bool timed_out)
{
	struct str line;
	while (str_line(&text, &line)) {
		struct map_line m;
		if (!parse_map_line(line, &m))
			continue;
		/* The last one we show tells a reader that there are more. */
		bool last = timed_out && !text.n;
		if (last || m.perms.p[2] == 'x' || (s->data && m.perms.p[0] == 'r'))
			emit_map(s, pid, &m, last);
	}
}

/* Read piece by piece: a process may have a million mappings, and the kernel holds it up while it
 * tells them. */
static void emit_maps(const struct synth *s, int32_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	CLEANUP(mem_free_ptr) char *buf = mem_alloc(MAPS_PIECE);
	uint64_t end = now() + s->timeout_ns;
	size_t kept = 0;
	ssize_t n;
	bool timed_out = false;
	while (!timed_out && (n = read(fd, buf + kept, MAPS_PIECE - kept)) > 0) {
		const char *last = memrchr(buf, '\n', kept + (size_t)n);
		if (!last)
			return; /* a line longer than a path can be */
		size_t whole = (size_t)(last + 1 - buf);
		timed_out = now() > end;
		emit_map_lines(s, pid, str_make(buf, whole), timed_out);
		kept = kept + (size_t)n - whole;
		memmove(buf, last + 1, kept);
	}
}

static void emit_thread(const struct synth *s, const struct task *process, int32_t tid)
{
	char path[64];
	struct task t = *process;
	t.tid = tid;
	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", t.pid, tid);
	if (!file_read_line(path, t.comm, sizeof t.comm))
		return;
	emit_fork(s, &t);
	emit_comm(s, &t);
}

static bool emit_process(const struct synth *s, int32_t pid, struct task *t)
{
	if (!read_stat(pid, t))
		return false;
	emit_fork(s, t);
	if (s->namespaces)
		emit_namespaces(s, t);
	emit_comm(s, t);
	if (s->maps)
		emit_maps(s, pid);
	return true;
}

static bool parse_pid(const char *name, int32_t *pid)
{
	uint64_t v;
	if (!str_to_u64(str_of(name), 10, &v) || v == 0 || v > INT32_MAX)
		return false;
	*pid = (int32_t)v;
	return true;
}

bool synth_process(const struct synth *s, int32_t pid)
{
	char path[64];
	struct task t;
	int32_t tid;
	if (!emit_process(s, pid, &t))
		return false;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *d = opendir(path);
	if (!d)
		return true;
	for (struct dirent *e; (e = readdir(d));)
		if (parse_pid(e->d_name, &tid) && tid != pid)
			emit_thread(s, &t, tid);
	closedir(d);
	return true;
}

void synth_thread(const struct synth *s, int32_t pid, int32_t tid)
{
	struct task t;
	if (emit_process(s, pid, &t) && tid != pid)
		emit_thread(s, &t, tid);
}

void synth_name(const struct synth *s, int32_t pid)
{
	struct task t;
	if (read_stat(pid, &t))
		emit_comm(s, &t);
}

/* --- all processes ------------------------------------------------------------------------- */

#define SHARE 16 /* processes in a task of a worker */

struct shared_work {
	const struct synth *s;
	struct emitter *emitters; /* one for each worker */
	VEC(int32_t) pids;
};

static void synth_share(void *ctx, size_t i, unsigned worker)
{
	struct shared_work *w = ctx;
	struct synth mine = *w->s;
	mine.e = &w->emitters[worker];
	for (size_t k = i * SHARE; k < MIN((i + 1) * SHARE, w->pids.n) && !mine.e->failed; k++)
		(void)synth_process(&mine, w->pids.v[k]);
}

static void synth_parallel(struct shared_work *w)
{
	struct pool *pool = pool_new(w->s->threads);
	unsigned threads = pool_threads(pool);
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct err *errs = mem_calloc(threads, sizeof *errs);
	w->emitters = mem_calloc(threads, sizeof *w->emitters);
	for (unsigned i = 0; i < threads; i++) {
		emit_open(&w->emitters[i], w->s->e->writer, w->s->e->trailer, &errs[i]);
		w->emitters[i].to = w->s->e->to;
		w->emitters[i].embed = w->s->e->embed;
		w->emitters[i].lock = &lock;
	}
	pool_run(pool, (w->pids.n + SHARE - 1) / SHARE, synth_share, w);
	for (unsigned i = 0; i < threads; i++)
		if (!emit_close(&w->emitters[i]) && !w->s->e->failed) {
			*w->s->e->err = errs[i];
			w->s->e->failed = true;
		}
	pool_free(pool);
	free(w->emitters);
	free(errs);
}

void synth_all(const struct synth *s)
{
	int32_t pid;
	struct shared_work w = {.s = s};
	DIR *d = opendir("/proc");
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (parse_pid(e->d_name, &pid))
			vec_push(&w.pids, pid);
	closedir(d);
	if (s->threads > 1 && w.pids.n > SHARE)
		synth_parallel(&w);
	else
		for (size_t i = 0; i < w.pids.n && !s->e->failed; i++)
			(void)synth_process(s, w.pids.v[i]);
	vec_free(&w.pids);
}

int32_t synth_process_of(int32_t tid)
{
	char path[64];
	struct str text, rest, line;
	int64_t pid = 0;
	snprintf(path, sizeof path, "/proc/%d/status", tid);
	if (!file_read(path, 1 << 20, &text, NULL))
		return 0;
	rest = text;
	while (str_line(&rest, &line))
		if (str_starts(line, "Tgid:") && str_to_i64(str_trim(str_skip(line, 5)), &pid))
			break;
	free((void *)text.p);
	return pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}
