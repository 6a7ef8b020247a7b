#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/inject.h"
#include "object/jit_elf.h"
#include "resolve/jit.h"

/* A file made of one piece of code. */
struct made_file {
	char path[PATH_MAX];
	struct stat st;
	struct build_id id;
};

static bool has_dump(const struct inject *j, int32_t pid)
{
	struct jit_source source;
	bool is_dump;
	for (size_t i = 0; jits_at(ingest_jits(j->in), i, &source, &is_dump); i++)
		if (is_dump && source.pid == pid)
			return true;
	return false;
}

bool inject_jit_replaces(const struct inject *j, const struct record *r)
{
	struct rec_mmap m;
	return (r->type == PERF_RECORD_MMAP || r->type == PERF_RECORD_MMAP2) &&
	       record_mmap(r, &m) &&
	       (str_starts(m.path, "//anon") || str_starts(m.path, "/memfd:")) &&
	       has_dump(j, m.pid);
}

/* Beside the dump, as perf does; or beside the output, where the dump is out of reach. */
static int create_file(const struct inject *j, const struct jit_source *s, uint32_t load,
		       char path[PATH_MAX], struct err *err)
{
	struct str dir = str_make(s->path.p, s->path.n - str_basename(s->path).n);
	char absolute[PATH_MAX];
	for (int place = 0; place < 2; place++) {
		if (place) {
			const char *out = strcmp(j->output, "-") ? j->output : ".";
			if (!realpath(out, absolute))
				break;
			dir = str_of(absolute);
			if (strcmp(j->output, "-"))
				dir.n -= str_basename(dir).n;
		}
		int n = snprintf(path, PATH_MAX, "%.*s%sjitted-%d-%u.so", (int)dir.n, dir.p,
				 str_ends(dir, "/") ? "" : "/", s->pid, load - 1);
		if (n < 0 || n >= PATH_MAX)
			continue;
		/* Anybody may have put a link there. */
		(void)unlink(path);
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
	}
	err_sys(err, errno, "cannot write %s", path);
	return -1;
}

static bool make_file(struct inject *j, const struct jit_source *s, const struct jit_table *t,
		      const struct jit_code *c, struct made_file *f, struct err *err)
{
	struct out o;
	CLEANUP(close_fd) int fd = create_file(j, s, c->load, f->path, err);
	if (fd < 0)
		return false;
	out_memory(&o);
	jit_elf_write(&o, t, c, &f->id);
	bool ok = file_write_all(fd, o.buf, o.n, f->path, err) &&
		  (fstat(fd, &f->st) == 0 || err_sys(err, errno, "cannot stat %s", f->path));
	(void)out_finish(&o);
	if (ok && j->verbose)
		fprintf(stderr, "%s: %s\n", f->path, c->name);
	struct str path = arena_str(&j->arena, str_of(f->path));
	vec_push(&j->ids, (struct rec_build_id){.pid = -1, .build_id = f->id, .path = path});
	vec_push(&j->ids_misc, PERF_RECORD_MISC_USER);
	return ok;
}

static void put_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void put_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

/* What the first event says that records end in. */
static void put_trailer(struct out *o, const struct perfdata_event *ev, int32_t pid, uint64_t time)
{
	uint64_t fields = ev->attr.flags & ATTR_SAMPLE_ID_ALL ? ev->attr.sample_type : 0;
	uint64_t id = ev->id_count ? ev->ids[0] : 0;
	if (fields & PERF_SAMPLE_TID) {
		put_u32(o, (uint32_t)pid);
		put_u32(o, (uint32_t)pid);
	}
	if (fields & PERF_SAMPLE_TIME)
		put_u64(o, time);
	if (fields & PERF_SAMPLE_ID)
		put_u64(o, id);
	if (fields & PERF_SAMPLE_STREAM_ID)
		put_u64(o, id);
	if (fields & PERF_SAMPLE_CPU)
		put_u64(o, 0);
	if (fields & PERF_SAMPLE_IDENTIFIER)
		put_u64(o, id);
}

static bool write_mapping(struct inject *j, const struct jit_source *s, const struct jit_code *c,
			  const struct made_file *f, struct err *err)
{
	struct out o;
	size_t path = strlen(f->path) + 1;
	out_memory(&o);
	put_u32(&o, PERF_RECORD_MMAP2);
	put_u32(&o, PERF_RECORD_MISC_USER);
	put_u32(&o, (uint32_t)s->pid);
	put_u32(&o, (uint32_t)s->pid);
	put_u64(&o, c->addr);
	put_u64(&o, c->end - c->addr);
	put_u64(&o, JIT_ELF_TEXT);
	put_u32(&o, major(f->st.st_dev));
	put_u32(&o, minor(f->st.st_dev));
	put_u64(&o, f->st.st_ino);
	put_u64(&o, 1); /* generation */
	put_u32(&o, PROT_READ | PROT_EXEC);
	put_u32(&o, MAP_SHARED);
	out_bytes(&o, f->path, path);
	while (o.n % 8)
		out_char(&o, '\0');
	put_trailer(&o, perfdata_event(j->pd, 0), s->pid, MAX(c->time, s->since));
	uint16_t size = (uint16_t)o.n;
	memcpy(o.buf + 6, &size, sizeof size);
	struct iovec iov = {.iov_base = o.buf, .iov_len = o.n};
	bool ok = perfdata_write(j->writer, &iov, 1, err);
	(void)out_finish(&o);
	return ok;
}

static bool inject_table(struct inject *j, const struct jit_source *s, const struct jit_table *t,
			 struct err *err)
{
	struct made_file *files = mem_calloc(t->loads.n + 1, sizeof *files);
	bool ok = true;
	for (size_t i = 0; ok && i < t->codes.n; i++) {
		const struct jit_code *c = &t->codes.v[i];
		struct made_file *f = &files[c->load];
		if (!c->load)
			continue;
		/* Moved code is the same file. */
		ok = (f->id.size || make_file(j, s, t, c, f, err)) &&
		     write_mapping(j, s, c, f, err);
	}
	free(files);
	return ok;
}

bool inject_jit(struct inject *j, struct err *err)
{
	const struct jit_table *t;
	struct jit_source source;
	bool is_dump, any = false;
	for (size_t i = 0; (t = jits_at(ingest_jits(j->in), i, &source, &is_dump)); i++) {
		if (!is_dump)
			continue;
		any = true;
		if (!inject_table(j, &source, t, err))
			return false;
	}
	if (!any) {
		diag_add(j->diags, DIAG_NOTE, 1,
			 "no process of the recording has a jitdump: nothing is made");
		diag_hint(j->diags, DIAG_NOTE, "docs/runtimes.md says how runtimes write one");
	}
	return true;
}
