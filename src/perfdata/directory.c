/* A recording that is a directory: `data` has the header, data.0, data.1 … more records, each the
 * ring of one CPU. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "perfdata/reader.h"

#define FILES_MAX 65536 /* as many as there can be CPUs */

struct numbers {
	VEC(uint32_t) v;
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Which data.N there are, ascending. */
static bool list(const char *dir, struct numbers *out, struct err *err)
{
	DIR *d = opendir(dir);
	if (!d)
		return err_sys(err, errno, "cannot read the directory %s", dir);
	for (struct dirent *e; (e = readdir(d));) {
		struct str name = str_of(e->d_name);
		uint64_t n;
		if (str_starts(name, "data.") && str_to_u64(str_skip(name, 5), 10, &n) &&
		    n < FILES_MAX)
			vec_push(&out->v, (uint32_t)n);
	}
	closedir(d);
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof *out->v.v, by_number);
	return true;
}

/* Offsets of a new segment begin behind those of the last. */
static uint64_t next_offset(const struct perfdata *pd)
{
	return pd->chunks.n ? vec_last(&pd->chunks).offset + vec_last(&pd->chunks).n : 0;
}

static bool read_file(struct perfdata *pd, const char *path, struct err *err)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!spool_map(pd, fd, err))
		return false;
	const struct mapped *m = &vec_last(&pd->maps);
	struct segment s = {.name = path,
			    .p = m->p,
			    .n = m->n,
			    .offset = next_offset(pd),
			    .expected = m->n,
			    .to_eof = pd->header.unfinished};
	return walk(pd, &s, err);
}

bool directory_read(struct perfdata *pd, const char *dir, struct err *err)
{
	struct numbers files = {0};
	bool ok = list(dir, &files, err);
	for (size_t i = 0; ok && i < files.v.n; i++) {
		uint32_t n = files.v.v[i];
		if (n != (i ? files.v.v[i - 1] + 1 : 0))
			diag_partial(pd->diags, DIAG_TRUNCATED,
				     "%s is not whole: there is a data.%u but no data.%u", dir, n,
				     n - 1);
		ok = read_file(pd, arena_printf(&pd->arena, "%s/data.%u", dir, n), err);
	}
	vec_free(&files.v);
	return ok;
}
