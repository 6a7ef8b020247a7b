#include "object/id_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* --- places ---------------------------------------------------------------------------------- */

static bool format(char *buf, const char *fmt, const char *a, const char *b, const char *c,
		   struct err *err)
{
	int n = snprintf(buf, PATH_MAX, "%s%s%s%s", a, fmt, b, c);
	return (n > 0 && n < PATH_MAX) ||
	       err_set(err, ERR_INPUT, "a path in the cache %s is too long", a);
}

/* DIR/.build-id/XX/REST */
static bool link_path(char *buf, const char *dir, struct str id, struct err *err)
{
	char tail[2 * BUILD_ID_MAX + 2];
	if (id.n < 3 || id.n > 2 * BUILD_ID_MAX)
		return err_set(err, ERR_INPUT, "\"%.*s\" is no build id", (int)id.n, id.p);
	snprintf(tail, sizeof tail, "%.2s/%.*s", id.p, (int)id.n - 2, id.p + 2);
	return format(buf, "/.build-id/", dir, tail, "", err);
}

/* What the link says: "../../PATH/ID", as PATH (with its '/' again) and ID. */
static bool read_link(const char *link, char *buf, struct str *name)
{
	ssize_t n = readlink(link, buf, PATH_MAX - 1);
	if (n <= 0)
		return false;
	struct str text = str_make(buf, (size_t)n);
	if (!str_starts(text, "../../"))
		return false;
	*name = str_skip(text, 5);
	struct str id = str_basename(*name);
	if (id.n + 1 >= name->n)
		return false;
	name->n -= id.n + 1;
	if (name->n > 1 && name->p[1] == '[')
		*name = str_skip(*name, 1);
	return true;
}

/* Empty directories on the way up to `dir` go, too. */
static void remove_parents(const char *dir, char *path)
{
	size_t stop = strlen(dir);
	for (char *at = strrchr(path, '/'); at && (size_t)(at - path) > stop;
	     at = strrchr(path, '/')) {
		*at = '\0';
		if (rmdir(path) != 0)
			return;
	}
}

/* --- looking --------------------------------------------------------------------------------- */

bool id_cache_has(const char *dir, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1], link[PATH_MAX], file[PATH_MAX];
	static const char *const files[] = {"/elf", "/vdso", "/kallsyms"};
	build_id_hex(id, hex);
	if (!link_path(link, dir, str_of(hex), NULL))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (format(file, files[i], link, "", "", NULL) && access(file, R_OK) == 0)
			return true;
	return false;
}

/* Sizes of the files of an entry, and the latest use of one. */
static void measure(struct id_cache_entry *e, const char *path)
{
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *f; (f = readdir(d));) {
		struct stat st;
		if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		e->bytes += (uint64_t)st.st_size;
		e->used = MAX(e->used, MAX((int64_t)st.st_atime, (int64_t)st.st_mtime));
	}
	closedir(d);
}

static void list_group(struct id_cache_list *l, const char *path, const char *digits)
{
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *f; (f = readdir(d));) {
		char link[PATH_MAX], target[PATH_MAX];
		struct str name;
		struct build_id id;
		char hex[NAME_MAX + 3];
		snprintf(hex, sizeof hex, "%s%s", digits, f->d_name);
		if (!build_id_parse(str_of(hex), &id) ||
		    !format(link, "/", path, f->d_name, "", NULL) ||
		    !read_link(link, target, &name))
			continue;
		struct id_cache_entry e = {.id = arena_str(&l->arena, str_of(hex)),
					   .path = arena_str(&l->arena, name)};
		measure(&e, link);
		if (e.bytes) /* a link to nothing is no entry */
			vec_push(&l->entries, e);
	}
	closedir(d);
}

static int compare_entries(const void *x, const void *y)
{
	const struct id_cache_entry *a = x, *b = y;
	return str_cmp(a->id, b->id);
}

void id_cache_list(struct id_cache_list *l, const char *dir)
{
	*l = (struct id_cache_list){0};
	char top[PATH_MAX], group[PATH_MAX];
	if (!format(top, "/.build-id", dir, "", "", NULL))
		return;
	DIR *d = opendir(top);
	if (!d)
		return;
	for (struct dirent *f; (f = readdir(d));)
		if (strlen(f->d_name) == 2 && f->d_name[0] != '.' &&
		    format(group, "/", top, f->d_name, "", NULL))
			list_group(l, group, f->d_name);
	closedir(d);
	if (l->entries.n)
		qsort(l->entries.v, l->entries.n, sizeof *l->entries.v, compare_entries);
}

void id_cache_list_free(struct id_cache_list *l)
{
	vec_free(&l->entries);
	arena_free(&l->arena);
}

/* --- adding ---------------------------------------------------------------------------------- */

/* Files of /proc have no size, so that copying in the kernel would copy nothing. */
static bool copy_bytes(int from, int to, const char *name, struct err *err)
{
	size_t size = 1 << 18;
	CLEANUP(mem_free_ptr) char *buf = mem_alloc(size);
	for (;;) {
		ssize_t n = read(from, buf, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot read %s", name);
		if (n == 0)
			return true;
		if (!file_write_all(to, buf, (size_t)n, name, err))
			return false;
	}
}

/* Under another name first: what is there is whole. */
static bool copy_file(const char *from, const char *to, struct err *err)
{
	char temp[PATH_MAX];
	if (!format(temp, ".XXXXXX", to, "", "", err))
		return false;
	CLEANUP(close_fd) int in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return err_sys(err, errno, "cannot open %s", from);
	struct stat st;
	mode_t mode = fstat(in, &st) == 0 ? st.st_mode & 0777 : 0644;
	CLEANUP(close_fd) int out = mkostemp(temp, O_CLOEXEC);
	if (out < 0)
		return err_sys(err, errno, "cannot write %s", temp);
	bool ok = copy_bytes(in, out, from, err);
	if (ok && (fchmod(out, mode | 0444) != 0 || rename(temp, to) != 0))
		ok = err_sys(err, errno, "cannot write %s", to);
	if (!ok)
		unlink(temp);
	return ok;
}

static const char *file_name(const char *name)
{
	return !strcmp(name, "[kernel.kallsyms]") ? "kallsyms"
	       : !strcmp(name, "[vdso]")          ? "vdso"
						  : "elf";
}

/* Names become paths below the cache: they must not lead out of it. */
static bool safe_name(const char *name, struct err *err)
{
	struct str rest = str_of(name);
	bool safe = name[0] == '/' || (name[0] == '[' && !strchr(name, '/'));
	while (rest.p && safe)
		safe = !str_is(str_split(rest, '/', &rest), "..");
	return safe || err_set(err, ERR_INPUT, "\"%s\" is no place in the cache", name);
}

static void add_debug_file(const char *entry, const char *hex)
{
	char from[PATH_MAX], to[PATH_MAX];
	snprintf(from, sizeof from, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	if (access(from, R_OK) == 0 && format(to, "/debug", entry, "", "", NULL))
		(void)!copy_file(from, to, NULL);
}

static bool make_link(const char *dir, const char *hex, const char *name, struct err *err)
{
	char link[PATH_MAX], target[PATH_MAX];
	if (!link_path(link, dir, str_of(hex), err) || !file_make_parents(link, err))
		return false;
	int n = snprintf(target, sizeof target, "../../%s/%s", name[0] == '/' ? name + 1 : name,
			 hex);
	if (n < 0 || (size_t)n >= sizeof target)
		return err_set(err, ERR_INPUT, "%s is too long a path", name);
	if (symlink(target, link) == 0 || errno == EEXIST)
		return true;
	return err_sys(err, errno, "cannot make the link %s", link);
}

bool id_cache_add(const char *dir, const struct build_id *id, const char *name, const char *file,
		  bool *added, struct err *err)
{
	char hex[2 * BUILD_ID_MAX + 1], entry[PATH_MAX], copy[PATH_MAX];
	*added = false;
	if (!safe_name(name, err))
		return false;
	if (id_cache_has(dir, id))
		return true;
	build_id_hex(id, hex);
	if (!format(entry, name[0] == '/' ? "" : "/", dir, name, "", err) ||
	    !format(copy, "/", entry, hex, "/", err) || !file_make_parents(copy, err))
		return false;
	copy[strlen(copy) - 1] = '\0';
	snprintf(entry, sizeof entry, "%s", copy);
	if (!format(copy, "/", entry, file_name(name), "", err) || !copy_file(file, copy, err) ||
	    !make_link(dir, hex, name, err))
		return false;
	if (name[0] == '/')
		add_debug_file(entry, hex);
	*added = true;
	return true;
}

/* --- removing -------------------------------------------------------------------------------- */

static bool remove_files(const char *path)
{
	DIR *d = opendir(path);
	if (!d)
		return errno == ENOENT;
	bool ok = true;
	for (struct dirent *f; (f = readdir(d));)
		if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0)
			ok &= unlinkat(dirfd(d), f->d_name, 0) == 0;
	closedir(d);
	return ok;
}

bool id_cache_remove(const char *dir, struct str id, struct err *err)
{
	char link[PATH_MAX], target[PATH_MAX], entry[PATH_MAX];
	struct str name;
	if (!link_path(link, dir, id, err))
		return false;
	if (!read_link(link, target, &name))
		return err_set(err, ERR_INPUT, "%.*s is not in the cache %s", (int)id.n, id.p, dir);
	target[name.p + name.n - target] = '\0'; /* its id is ours */
	if (!safe_name(name.p, err))
		return false;
	int n = snprintf(entry, sizeof entry, "%s%s%s/%.*s", dir, name.p[0] == '/' ? "" : "/",
			 name.p, (int)id.n, id.p);
	if (n < 0 || (size_t)n >= sizeof entry)
		return err_set(err, ERR_INPUT, "a path in the cache %s is too long", dir);
	if (!remove_files(entry) || (rmdir(entry) != 0 && errno != ENOENT))
		return err_sys(err, errno, "cannot remove %s", entry);
	if (unlink(link) != 0)
		return err_sys(err, errno, "cannot remove %s", link);
	remove_parents(dir, entry);
	remove_parents(dir, link);
	return true;
}
