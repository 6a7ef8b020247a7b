#include "object/debug_search.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static bool is_regular(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Whether this is the file that was recorded, or its debug file. link: what the file itself says
 * about a debug file; without build ids its checksum decides. */
static bool is_right(struct debug_search *s, struct debug_candidate *c,
		     const struct elf_debuglink *link, struct build_id *id)
{
	if (s->id.size)
		return elf_build_id(&c->elf, id) && build_id_eq(id, &s->id);
	return !link || elf_file_crc(c->map.p, c->map.n) == link->crc;
}

static bool offer(struct debug_search *s, const char *path, const struct elf_debuglink *link)
{
	struct debug_candidate c = {.path = path};
	struct build_id id = {0};
	if (!file_map(path, &c.map, NULL))
		return false;
	bool good = elf_open(&c.elf, c.map.p, c.map.n) && is_right(s, &c, link, &id);
	if (good)
		s->done = s->offer(s->ctx, &c);
	file_unmap(&c.map);
	return good;
}

/* The file at the recorded path. */
static void offer_itself(struct debug_search *s, const char *path)
{
	struct mapped map;
	struct elf_file elf;
	if (offer(s, path, NULL) || !s->id.size || !file_map(path, &map, NULL))
		return;
	if (elf_open(&elf, map.p, map.n)) {
		s->changed = true;
		if (!elf_build_id(&elf, &s->found))
			s->found.size = 0;
	}
	file_unmap(&map);
}

/* --- places ---------------------------------------------------------------------------------- */

static void try_debuglink(struct debug_search *s)
{
	char path[PATH_MAX];
	CLEANUP(file_unmap) struct mapped map = {0};
	struct elf_file elf;
	snprintf(path, sizeof path, "%s%s", source_symfs(s->src), s->src->path);
	if (!file_map(path, &map, NULL) || !elf_open(&elf, map.p, map.n))
		return;
	struct elf_debuglink link;
	if (!elf_debuglink(&elf, &link) || link.name.n > NAME_MAX)
		return;
	struct str file = str_of(s->src->path);
	int dir = (int)(file.n - str_basename(file).n); /* with its slash */
	static const char *const around[][2] = {{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		int n = snprintf(path, sizeof path, "%s%s%.*s%s%.*s", source_symfs(s->src),
				 around[i][0], dir, file.p, around[i][1], (int)link.name.n,
				 link.name.p);
		if (n < (int)sizeof path && is_regular(path) && offer(s, path, &link))
			return;
	}
}

/* DIR/.build-id/xx/yyyy holds "elf" and "debug"; long ago it was itself the file. */
static void try_build_id_cache(struct debug_search *s, const char *name)
{
	char path[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	if (!s->id.size || !s->src->build_id_dir)
		return;
	build_id_hex(&s->id, hex);
	int n = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s", s->src->build_id_dir, hex,
			 hex + 2);
	if (n + 8 > (int)sizeof path)
		return;
	if (!is_regular(path))
		snprintf(path + n, sizeof path - (size_t)n, "/%s", name);
	(void)offer(s, path, NULL);
}

bool debug_path_of_id(const struct object_source *src, const struct build_id *id, char *path,
		      size_t size)
{
	char hex[2 * BUILD_ID_MAX + 1];
	build_id_hex(id, hex);
	return snprintf(path, size, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", source_symfs(src),
			hex, hex + 2) < (int)size;
}

static void try_build_id_debug(struct debug_search *s)
{
	char path[PATH_MAX];
	if (s->id.size && debug_path_of_id(s->src, &s->id, path, sizeof path))
		(void)offer(s, path, NULL);
}

/* SYMFS BEFORE PATH AFTER, PATH without its first `skip` bytes. */
static void try_path(struct debug_search *s, const char *before, size_t skip, const char *after)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s%s%s", source_symfs(s->src), before,
		     s->src->path + skip, after) < (int)sizeof path)
		(void)offer(s, path, NULL);
}

static void try_itself(struct debug_search *s)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s", source_symfs(s->src), s->src->path) <
	    (int)sizeof path)
		offer_itself(s, path);
}

static void try_beside(struct debug_search *s)
{
	char path[PATH_MAX];
	struct str file = str_of(s->src->path);
	struct str base = str_basename(file);
	if (snprintf(path, sizeof path, "%s%.*s.debug/%s", source_symfs(s->src),
		     (int)(file.n - base.n), file.p, base.p) < (int)sizeof path)
		(void)offer(s, path, NULL);
}

/* The file as the process sees it, which may be in a container of its own. A process number may
 * have been given to another process since, so only with a build id to tell. */
static void try_process_root(struct debug_search *s)
{
	char path[PATH_MAX];
	if (s->src->pid > 0 && s->src->build_id.size && !*source_symfs(s->src) &&
	    snprintf(path, sizeof path, "/proc/%d/root%s", s->src->pid, s->src->path) <
		    (int)sizeof path)
		(void)offer(s, path, NULL);
}

/* perf's list, in perf's order (but for the process's own root). Names that are not of files, like
 * "[vdso]", can only be in the cache. */
static void search_places(struct debug_search *s)
{
	enum { PLACES = 10 };
	bool usr_lib = strncmp(s->src->path, "/usr/lib/", 9) == 0;
	if (s->src->path[0] != '/') {
		try_build_id_cache(s, strcmp(s->src->path, "[vdso]") ? "elf" : "vdso");
		return;
	}
	for (int place = 0; place < PLACES && !s->done; place++) {
		switch (place) {
		case 0:
			try_debuglink(s);
			break;
		case 1:
			try_build_id_cache(s, "elf");
			break;
		case 2:
			try_build_id_cache(s, "debug");
			break;
		case 3: /* Fedora */
			try_path(s, "/usr/lib/debug", 0, ".debug");
			break;
		case 4: /* Ubuntu */
			try_path(s, "/usr/lib/debug", 0, "");
			break;
		case 5:
			try_build_id_debug(s);
			break;
		case 6:
			try_itself(s);
			break;
		case 7:
			try_process_root(s);
			break;
		case 8: /* OpenEmbedded */
			try_beside(s);
			break;
		case 9: /* Debian and Ubuntu, where /lib became /usr/lib */
			if (usr_lib)
				try_path(s, "/usr/lib/debug", strlen("/usr"), "");
			break;
		}
	}
}

void debug_search(struct debug_search *s)
{
	s->id = s->src->build_id;
	if (!s->id.size) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s%s", source_symfs(s->src), s->src->path);
		if (!object_build_id(path, &s->id, NULL))
			s->id.size = 0;
	}
	if (s->src->fetched)
		(void)offer(s, s->src->fetched, NULL);
	if (!s->done)
		search_places(s);
}
