/*
 * Probes that programs have built in (SDT), as perf keeps them in its cache of files by build id:
 * .build-id/XX/REST is a link to ../../PATH/BUILDID, a directory whose file "probes" has a line
 * "%GROUP:EVENT=…" for each.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "event/listing.h"

#define PROBES_LIMIT (4U << 20) /* bytes of one file */
#define LINK_MAX_BYTES 4096
#define BUILD_ID_SHOWN 12

struct cached {
	struct str name;
	const char *build_id, *path;
};

struct cache {
	struct arena *arena;
	VEC(struct cached) v;
};

static int by_name(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;
	int order = str_cmp(x->name, y->name);
	return order ? order : strcmp(x->build_id, y->build_id);
}

/* "../../usr/lib/libfoo.so/BUILDID" was /usr/lib/libfoo.so. */
static const char *path_of(struct arena *a, const char *link)
{
	char target[LINK_MAX_BYTES];
	ssize_t n = readlink(link, target, sizeof target);
	if (n <= 0 || (size_t)n == sizeof target)
		return "";
	struct str path = str_make(target, (size_t)n);
	while (str_starts(path, "../"))
		path = str_skip(path, 3);
	struct str last = str_basename(path);
	path.n -= MIN(path.n, last.n + 1);
	return arena_printf(a, "/%.*s", (int)path.n, path.p);
}

static void read_probes(struct cache *c, const char *link, const char *build_id)
{
	struct str text, line, rest;
	const char *file = arena_printf(c->arena, "%s/probes", link);
	if (access(file, R_OK) != 0)
		return;
	/* Of a program that is gone there is nothing to probe. */
	const char *path = path_of(c->arena, link);
	if (access(path, R_OK) != 0 || !file_read(file, PROBES_LIMIT, &text, NULL))
		return;
	for (struct str left = text; str_line(&left, &line);) {
		struct str name = str_split(line, '=', &rest);
		if (!str_starts(name, "%") || !rest.p || !memchr(name.p, ':', name.n))
			continue;
		struct cached one = {.name = arena_str(c->arena, str_skip(name, 1)),
				     .build_id = build_id,
				     .path = path};
		vec_push(&c->v, one);
	}
	free((void *)text.p);
}

static void read_cache(struct cache *c, const char *dir)
{
	const char *top = arena_printf(c->arena, "%s/.build-id", dir);
	DIR *d = opendir(top);
	for (struct dirent *x; d && (x = readdir(d));) {
		if (strlen(x->d_name) != 2 || x->d_name[0] == '.')
			continue;
		const char *sub = arena_printf(c->arena, "%s/%s", top, x->d_name);
		DIR *s = opendir(sub);
		for (struct dirent *y; s && (y = readdir(s));)
			if (y->d_name[0] != '.')
				read_probes(c, arena_printf(c->arena, "%s/%s", sub, y->d_name),
					    arena_printf(c->arena, "%s%s", x->d_name, y->d_name));
		if (s)
			closedir(s);
	}
	if (d)
		closedir(d);
}

/* Defined ones are few, and stand in front. */
static bool is_listed(const struct listing *l, size_t before, struct str name)
{
	for (size_t i = 0; i < before; i++)
		if (!strncmp(l->items.v[i].name, "sdt_", 4) && str_is(name, l->items.v[i].name))
			return true;
	return false;
}

void listing_add_cached(struct listing *l, const char *glob, const char *dir)
{
	struct cache c = {.arena = &l->arena};
	size_t before = l->items.n;
	read_cache(&c, dir);
	if (c.v.n)
		qsort(c.v.v, c.v.n, sizeof *c.v.v, by_name);
	for (size_t i = 0; i < c.v.n; i++) {
		const struct cached *e = &c.v.v[i];
		/* A probe may be at several places of one file. */
		if (i && by_name(e, &c.v.v[i - 1]) == 0)
			continue;
		size_t next = i + 1;
		while (next < c.v.n && by_name(e, &c.v.v[next]) == 0)
			next++;
		bool several = (i && str_eq(e->name, c.v.v[i - 1].name)) ||
			       (next < c.v.n && str_eq(e->name, c.v.v[next].name));
		struct listed item = {
			.class = EVENT_TRACEPOINT,
			.type = "SDT event",
			.name = several ? arena_printf(&l->arena, "%s@%s(%.*s)", e->name.p, e->path,
						       BUILD_ID_SHOWN, e->build_id)
					: e->name.p,
			.encoding = arena_printf(&l->arena, "%s in %s", e->name.p, e->path),
			.unusable = "no probe is defined for it",
			.scale = 1,
		};
		if (!is_listed(l, before, e->name) &&
		    (!glob || fnmatch(glob, item.name, FNM_CASEFOLD) == 0))
			vec_push(&l->items, item);
	}
	vec_free(&c.v);
}
