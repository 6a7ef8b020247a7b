#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "object/cfi_block.h"

#define SUFFIX ".cfi"

static bool entry_path(char *path, size_t size, const char *dir, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];
	if (!dir || !*dir || !id->size)
		return false;
	build_id_hex(id, hex);
	return snprintf(path, size, "%s/%s" SUFFIX, dir, hex) < (int)size;
}

bool cfi_cache_load(struct cfi_table *t, const char *dir, const struct build_id *id)
{
	char path[PATH_MAX];
	struct stat st;
	*t = (struct cfi_table){0};
	if (!entry_path(path, sizeof path, dir, id))
		return false;
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	/* What somebody else put there is not to be believed. */
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (st.st_uid != geteuid() && st.st_uid != 0))
		return false;
	struct mapped map = {.n = (size_t)st.st_size};
	void *p = mmap(NULL, map.n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	map.p = p;
	if (!cfi_open_block(t, map.p, map.n, id)) {
		file_unmap(&map);
		*t = (struct cfi_table){0};
		return false;
	}
	t->map = map;
	return true;
}

/* --- keeping it small ---------------------------------------------------------------------------
 */

struct cached {
	char name[2 * BUILD_ID_MAX + sizeof SUFFIX];
	uint64_t size;
	struct timespec time;
};

static int by_age(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;
	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Removes the oldest entries until all together, and `more` bytes, are within the limit. */
static void make_room(const char *dir, uint64_t more, uint64_t limit)
{
	VEC(struct cached) all = {0};
	uint64_t total = more;
	DIR *d = opendir(dir);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		struct stat st;
		struct cached c;
		struct str name = str_of(e->d_name);
		if (!str_ends(name, SUFFIX) || name.n >= sizeof c.name ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		memcpy(c.name, e->d_name, name.n + 1);
		c.size = (uint64_t)st.st_size;
		c.time = st.st_mtim;
		total += c.size;
		vec_push(&all, c);
	}
	if (total > limit)
		qsort(all.v, all.n, sizeof *all.v, by_age);
	for (size_t i = 0; i < all.n && total > limit; i++) {
		if (unlinkat(dirfd(d), all.v[i].name, 0) == 0)
			total -= all.v[i].size;
	}
	closedir(d);
	vec_free(&all);
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool make_directories(const char *dir)
{
	char path[PATH_MAX];
	size_t n = strlen(dir);
	if (n >= sizeof path)
		return false;
	memcpy(path, dir, n + 1);
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return false;
		*p = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool write_block(int fd, const struct cfi_table *t, const struct build_id *id)
{
	uint8_t header[CFI_HEADER_SIZE];
	cfi_block_header(t, id, header);
	return file_write_all(fd, header, sizeof header, "cache", NULL) &&
	       file_write_all(fd, t->block + sizeof header, t->block_size - sizeof header, "cache",
			      NULL);
}

void cfi_cache_store(const struct cfi_table *t, const char *dir, const struct build_id *id,
		     uint64_t limit)
{
	char path[PATH_MAX], temp[PATH_MAX];
	if (!t->block || t->block_size > limit || !entry_path(path, sizeof path, dir, id) ||
	    !make_directories(dir))
		return;
	if (snprintf(temp, sizeof temp, "%s/new-XXXXXX" SUFFIX, dir) >= (int)sizeof temp)
		return;
	make_room(dir, t->block_size, limit);
	CLEANUP(close_fd) int fd = mkostemps(temp, (int)strlen(SUFFIX), O_CLOEXEC);
	/* Readers see all of it or nothing: the name comes last. */
	if (fd >= 0 && (!write_block(fd, t, id) || rename(temp, path) != 0))
		(void)unlink(temp);
}
