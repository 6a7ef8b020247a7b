#include "cli/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/tar.h"
#include "cli/recorded.h"
#include "object/gzip.h"
#include "object/id_cache.h"
#include "object/object.h"

#define COPY_BYTES (1u << 18)
#define RECORDING "perf.data"

/* --- writing ---------------------------------------------------------------------------------- */

static bool put_header(struct gzip *g, const struct tar_entry *e, struct err *err)
{
	struct out o;
	out_memory(&o);
	tar_header(&o, e);
	bool ok = gzip_write(g, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}

/* The size was promised in the header: what the file lost meanwhile is filled up, and said. */
static bool put_contents(struct gzip *g, int fd, uint64_t size, const char *name, struct err *err)
{
	CLEANUP(mem_free_ptr) char *buf = mem_zalloc(COPY_BYTES);
	for (uint64_t left = size; left;) {
		size_t want = (size_t)MIN(left, (uint64_t)COPY_BYTES);
		ssize_t n = read(fd, buf, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? err_sys(err, errno, "cannot read %s", name)
				     : err_set(err, ERR_INPUT, "%s was cut while it was read",
					       name);
		if (!gzip_write(g, buf, (size_t)n, err))
			return false;
		left -= (uint64_t)n;
	}
	static const char zeros[TAR_BLOCK];
	return gzip_write(g, zeros, tar_padding(size), err);
}

static bool put_file(struct gzip *g, const char *path, struct str name, struct err *err)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot open %s", path);
	struct tar_entry e = {.type = TAR_FILE,
			      .size = (uint64_t)st.st_size,
			      .mode = (st.st_mode & 0777) | 0444,
			      .time = st.st_mtime,
			      .name = name};
	return put_header(g, &e, err) && put_contents(g, fd, e.size, path, err);
}

/* The file that ran: still on disk, or in the cache. */
static const char *find_binary(const struct archive_plan *p, const struct recorded_object *object,
			       const char *hex, char *buf)
{
	struct build_id now;
	if (object->path.p[0] == '/' && object_build_id(object->path.p, &now, NULL) &&
	    build_id_eq(&now, &object->id))
		return object->path.p;
	static const char *const files[] = {"elf", "vdso", "kallsyms"};
	for (size_t i = 0; p->cache && i < ARRAY_LEN(files); i++) {
		int n = snprintf(buf, PATH_MAX, "%s/.build-id/%.2s/%s/%s", p->cache, hex, hex + 2,
				 files[i]);
		if (n > 0 && n < PATH_MAX && access(buf, R_OK) == 0)
			return buf;
	}
	return NULL;
}

static bool put_object(struct gzip *g, const struct archive_plan *p,
		       const struct recorded_object *object, struct archive_count *count,
		       struct err *err)
{
	char hex[2 * BUILD_ID_MAX + 1], found[PATH_MAX];
	build_id_hex(&object->id, hex);
	const char *from = object->id.size ? find_binary(p, object, hex, found) : NULL;
	if (!from) {
		count->missing++;
		return true;
	}
	struct arena a = {0};
	const char *place = object->path.p + (object->path.p[0] == '/');
	const char *file = from == found ? strrchr(found, '/') + 1 : "elf";
	struct str name = str_of(arena_printf(&a, "%s/%s/%s", place, hex, file));
	struct tar_entry link = {
		.type = TAR_SYMLINK,
		.mode = 0777,
		.name = str_of(arena_printf(&a, ".build-id/%.2s/%s", hex, hex + 2)),
		.link = str_of(arena_printf(&a, "../../%s/%s", place, hex))};
	bool ok = put_file(g, from, name, err) && put_header(g, &link, err);
	count->files += ok;
	arena_free(&a);
	return ok;
}

static bool put_all(struct gzip *g, const struct archive_plan *p, const struct recorded *r,
		    struct archive_count *count, struct err *err)
{
	if (p->with_recording && !put_file(g, p->recording, STR(RECORDING), err))
		return false;
	struct strtab known = {0}; /* ids: one file may have been mapped under several names */
	bool ok = true;
	for (size_t i = 0; i < r->objects.n && ok; i++) {
		char hex[2 * BUILD_ID_MAX + 1];
		build_id_hex(&r->objects.v[i].id, hex);
		if (strtab_find(&known, str_of(hex)).v)
			continue;
		(void)strtab_intern(&known, STR(""));
		(void)strtab_intern(&known, str_of(hex));
		ok = put_object(g, p, &r->objects.v[i], count, err);
	}
	strtab_free(&known);
	static const char end[2 * TAR_BLOCK];
	return ok && gzip_write(g, end, sizeof end, err);
}

bool archive_write(const struct archive_plan *p, struct archive_count *count, struct diags *d,
		   struct err *err)
{
	struct recorded r;
	*count = (struct archive_count){0};
	if (!recorded_read(&r, p->recording, p->everything ? RECORDED_MAPPED : RECORDED_HITS, d,
			   err))
		return false;
	int fd = open(p->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool ok = fd >= 0 || err_sys(err, errno, "cannot write %s", p->output);
	struct gzip *g = ok ? gzip_write_open(fd, p->output, err) : NULL;
	ok = g && put_all(g, p, &r, count, err);
	if (g)
		ok = gzip_close(g, ok ? err : NULL) && ok;
	if (!ok && fd >= 0)
		unlink(p->output);
	recorded_free(&r);
	return ok;
}

/* --- unpacking -------------------------------------------------------------------------------- */

struct unpacker {
	struct gzip *g;
	const char *cache, *recording;
	struct arena arena;
	struct str long_name, long_link;
	struct archive_count *count;
};

static bool has_dots(struct str path)
{
	while (path.p) {
		struct str part = str_split(path, '/', &path);
		if (str_is(part, "..") || str_is(part, ".") || !part.n)
			return true;
	}
	return false;
}

/* Files lie anywhere but among the links, and links lead to where files can lie: so no entry can
 * lead another one out of the cache. */
static bool safe_file(struct str name)
{
	return !has_dots(name) && !str_starts(name, ".build-id") && !memchr(name.p, 0, name.n);
}

static bool safe_link(const struct tar_entry *e)
{
	struct build_id id;
	char hex[2 * BUILD_ID_MAX + 2];
	struct str rest = str_skip(e->name, strlen(".build-id/"));
	if (!str_starts(e->name, ".build-id/") || rest.n < 4 || rest.n > sizeof hex - 1 ||
	    rest.p[2] != '/')
		return false;
	snprintf(hex, sizeof hex, "%.2s%.*s", rest.p, (int)rest.n - 3, rest.p + 3);
	return build_id_parse(str_of(hex), &id) && str_starts(e->link, "../../") &&
	       safe_file(str_skip(e->link, 6)) && str_is(str_basename(e->link), hex);
}

/* fd -1: they are not wanted. */
static bool take_contents(struct unpacker *u, uint64_t size, int fd, const char *name,
			  struct err *err)
{
	CLEANUP(mem_free_ptr) char *buf = mem_alloc(COPY_BYTES);
	uint64_t left = size + tar_padding(size);
	for (uint64_t data = size; left;) {
		size_t n = (size_t)MIN(left, (uint64_t)COPY_BYTES);
		bool end;
		if (!gzip_read(u->g, buf, n, &end, err))
			return false;
		if (end)
			return err_set(err, ERR_INPUT, "the archive ends inside %s", name);
		size_t useful = (size_t)MIN(data, (uint64_t)n);
		if (fd >= 0 && !file_write_all(fd, buf, useful, name, err))
			return false;
		data -= useful;
		left -= n;
	}
	return true;
}

static bool take_file(struct unpacker *u, const struct tar_entry *e, struct err *err)
{
	bool recording = str_is(e->name, RECORDING);
	char path[PATH_MAX];
	if (!recording && !safe_file(e->name))
		return err_set(err, ERR_INPUT,
			       "the archive has a file \"%.*s\", which no cache has",
			       (int)e->name.n, e->name.p);
	int n = recording ? snprintf(path, sizeof path, "%s", u->recording)
			  : snprintf(path, sizeof path, "%s/%.*s", u->cache, (int)e->name.n,
				     e->name.p);
	if (n < 0 || (size_t)n >= sizeof path)
		return err_set(err, ERR_INPUT, "the archive has a name that is too long");
	if (!recording && access(path, F_OK) == 0)
		return take_contents(u, e->size, -1, path, err); /* what is there stays */
	if (!recording && !file_make_parents(path, err))
		return false;
	CLEANUP(close_fd)
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      (e->mode & 0777) | 0600);
	if (fd < 0) {
		err_sys(err, errno, "cannot write %s", path);
		return recording && err_hint(err, "unpack where there is no %s", u->recording);
	}
	if (!take_contents(u, e->size, fd, path, err)) {
		unlink(path);
		return false;
	}
	u->count->files++;
	return true;
}

static bool take_link(struct unpacker *u, const struct tar_entry *e, struct err *err)
{
	char path[PATH_MAX];
	if (!safe_link(e))
		return err_set(err, ERR_INPUT,
			       "the archive has a link \"%.*s\" that leads out of the cache",
			       (int)e->name.n, e->name.p);
	int n = snprintf(path, sizeof path, "%s/%.*s", u->cache, (int)e->name.n, e->name.p);
	if (n < 0 || (size_t)n >= sizeof path)
		return err_set(err, ERR_INPUT, "the archive has a name that is too long");
	const char *target = arena_str(&u->arena, e->link).p;
	if (!file_make_parents(path, err))
		return false;
	return symlink(target, path) == 0 || errno == EEXIST ||
	       err_sys(err, errno, "cannot make the link %s", path);
}

/* The name or the target of the next entry. */
static bool take_text(struct unpacker *u, uint64_t size, struct str *out, struct err *err)
{
	if (!size || size > PATH_MAX)
		return err_set(err, ERR_INPUT, "the archive has a name of %" PRIu64 " bytes", size);
	size_t room = (size_t)size + tar_padding(size);
	char *text = arena_alloc(&u->arena, room);
	bool end;
	if (!gzip_read(u->g, text, room, &end, err))
		return false;
	if (end)
		return err_set(err, ERR_INPUT, "the archive ends inside a name");
	*out = str_make(text, strnlen(text, (size_t)size));
	return true;
}

static bool take_entry(struct unpacker *u, struct tar_entry *e, struct err *err)
{
	if (e->type == TAR_LONG_NAME)
		return take_text(u, e->size, &u->long_name, err);
	if (e->type == TAR_LONG_LINK)
		return take_text(u, e->size, &u->long_link, err);
	if (u->long_name.n)
		e->name = u->long_name;
	if (u->long_link.n)
		e->link = u->long_link;
	u->long_name = u->long_link = (struct str){0};
	switch (e->type) {
	case TAR_FILE:
		return take_file(u, e, err);
	case TAR_SYMLINK:
		return take_link(u, e, err);
	case TAR_DIRECTORY:
		return take_contents(u, e->size, -1, "a directory", err);
	default:
		return err_set(err, ERR_INPUT,
			       "the archive has an entry of type '%c', which none of "
			       "build ids has",
			       e->type >= ' ' && e->type < 127 ? e->type : '?');
	}
}

static bool unpack_all(struct unpacker *u, const char *archive, struct err *err)
{
	for (;;) {
		char block[TAR_BLOCK], scratch[257];
		struct tar_entry e;
		bool end;
		if (!gzip_read(u->g, block, sizeof block, &end, err))
			return false;
		if (end)
			return err_set(err, ERR_INPUT, "%s ends before its end is marked", archive);
		if (!tar_parse(block, &e, scratch)) {
			err_set(err, ERR_INPUT, "%s is no tar file, or not packed with gzip",
				archive);
			return err_hint(err, "unpack others with `tar xf %s -C %s`", archive,
					u->cache);
		}
		if (!e.type)
			return true;
		if (!take_entry(u, &e, err))
			return err_wrap(err, "%s", archive);
	}
}

bool archive_unpack(const char *archive, const char *cache, const char *recording,
		    struct archive_count *count, struct err *err)
{
	*count = (struct archive_count){0};
	int fd = open(archive, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", archive);
	struct unpacker u = {.g = gzip_read_open(fd, archive, err),
			     .cache = cache,
			     .recording = recording,
			     .count = count};
	if (!u.g)
		return false;
	bool ok = unpack_all(&u, archive, err);
	(void)!gzip_close(u.g, NULL);
	arena_free(&u.arena);
	return ok;
}
