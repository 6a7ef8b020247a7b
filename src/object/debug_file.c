/*
 * Which files to read. One gives the symbols (a debug file, often), one stands for what ran (it has
 * the PLT and the real segments); they may be the same. perf tries a fixed list of places and takes
 * the first of each kind; so do we. Every file must have the build id that was recorded, if one
 * was: that makes the order safe.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "object/elf_symbols.h"
#include "object/object.h"

struct opened {
	struct mapped map;
	struct elf_file elf;
};

struct search {
	const struct object_source *src;
	struct build_id id; /* recorded, else that of the file itself; size 0: none */
	struct opened syms, run;
	bool same;             /* syms and run are one file; `run` is empty */
	bool changed;          /* the file at the recorded path is another one */
	struct build_id found; /* … with this build id, if any */
};

static const char *symfs(const struct search *s)
{
	return s->src->symfs ? s->src->symfs : "";
}

static bool is_regular(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Keeps the file when it is the first with symbols, or the first that may have run. */
static void search_offer(struct search *s, const char *path, bool itself)
{
	struct opened o = {0};
	struct build_id id;
	if (!file_map(path, &o.map, NULL))
		return;
	bool good = elf_open(&o.elf, o.map.p, o.map.n);
	if (good && s->id.size) {
		good = elf_build_id(&o.elf, &id) && build_id_eq(&id, &s->id);
		if (!good && itself) {
			s->changed = true;
			s->found = id;
		}
	}
	bool symtab = good && !s->syms.map.p && elf_has_symtab(&o.elf);
	bool run = good && !s->run.map.p && !s->same && elf_has_dynsym(&o.elf);
	if (symtab) {
		s->syms = o;
		s->same = run;
	} else if (run) {
		s->run = o;
	} else {
		file_unmap(&o.map);
	}
}

static bool search_done(const struct search *s)
{
	return s->syms.map.p && (s->same || s->run.map.p);
}

/* --- places ---------------------------------------------------------------------------------- */

static void try_debuglink(struct search *s)
{
	char path[PATH_MAX], link[NAME_MAX + 1];
	CLEANUP(file_unmap) struct mapped map = {0};
	struct elf_file elf;
	snprintf(path, sizeof path, "%s%s", symfs(s), s->src->path);
	if (!file_map(path, &map, NULL) || !elf_open(&elf, map.p, map.n))
		return;
	struct str name = elf_debuglink(&elf);
	if (!name.n || name.n >= sizeof link)
		return;
	memcpy(link, name.p, name.n);
	link[name.n] = '\0';

	struct str file = str_of(s->src->path);
	int dir = (int)(file.n - str_basename(file).n); /* with its slash */
	static const char *const around[][2] = {{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		int n = snprintf(path, sizeof path, "%s%s%.*s%s%s", symfs(s), around[i][0], dir,
				 file.p, around[i][1], link);
		if (n < (int)sizeof path && is_regular(path)) {
			search_offer(s, path, false);
			return;
		}
	}
}

/* DIR/.build-id/xx/yyyy holds "elf" and "debug"; long ago it was itself the file. */
static void try_build_id_cache(struct search *s, const char *name)
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
	search_offer(s, path, false);
}

static void try_build_id_debug(struct search *s)
{
	char path[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	if (!s->id.size)
		return;
	build_id_hex(&s->id, hex);
	if (snprintf(path, sizeof path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs(s), hex,
		     hex + 2) < (int)sizeof path)
		search_offer(s, path, false);
}

/* SYMFS BEFORE PATH AFTER, PATH without its first `skip` bytes. */
static void try_path(struct search *s, const char *before, size_t skip, const char *after)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s%s%s", symfs(s), before, s->src->path + skip, after) <
	    (int)sizeof path)
		search_offer(s, path, !*before && !*after);
}

static void try_beside(struct search *s)
{
	char path[PATH_MAX];
	struct str file = str_of(s->src->path);
	struct str base = str_basename(file);
	if (snprintf(path, sizeof path, "%s%.*s.debug/%s", symfs(s), (int)(file.n - base.n), file.p,
		     base.p) < (int)sizeof path)
		search_offer(s, path, false);
}

/* The file as the process sees it, which may be in a container of its own. A process number may
 * have been given to another process since, so only with a build id to tell. */
static void try_process_root(struct search *s)
{
	char path[PATH_MAX];
	if (s->src->pid > 0 && s->src->build_id.size && !*symfs(s) &&
	    snprintf(path, sizeof path, "/proc/%d/root%s", s->src->pid, s->src->path) <
		    (int)sizeof path)
		search_offer(s, path, false);
}

/* perf's list, in perf's order (but for the process's own root). Names that are not of files, like
 * "[vdso]", can only be in the cache. */
static void search_all(struct search *s)
{
	enum { PLACES = 10 };
	bool usr_lib = strncmp(s->src->path, "/usr/lib/", 9) == 0;
	if (s->src->path[0] != '/') {
		try_build_id_cache(s, strcmp(s->src->path, "[vdso]") ? "elf" : "vdso");
		return;
	}
	for (int place = 0; place < PLACES && !search_done(s); place++) {
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
			try_path(s, "", 0, "");
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

static bool tell_nothing_found(const struct search *s, struct diags *d, struct err *err)
{
	const char *path = s->src->path;
	if (s->changed) {
		char was[2 * BUILD_ID_MAX + 1], is[2 * BUILD_ID_MAX + 1];
		build_id_hex(&s->id, was);
		build_id_hex(&s->found, is);
		diag_add(d, DIAG_CHANGED_OBJECT, 1,
			 "%s is not the file that was recorded (build id %.12s…, now %.12s%s), so "
			 "its symbols are not used",
			 path, was, s->found.size ? is : "none", s->found.size ? "…" : "");
		diag_hint(d, DIAG_CHANGED_OBJECT,
			  "keep the old file's debug symbols in %s/.build-id, or name a tree that "
			  "has the old files with --symfs",
			  s->src->build_id_dir ? s->src->build_id_dir : "~/.debug");
		return true;
	}
	char file[PATH_MAX];
	struct mapped map;
	struct elf_file elf;
	snprintf(file, sizeof file, "%s%s", symfs(s), path);
	if (!file_map(file, &map, err))
		return false;
	bool is_elf = elf_open(&elf, map.p, map.n);
	file_unmap(&map);
	if (!is_elf)
		return err_set(err, ERR_INPUT, "%s is not an ELF file", file);
	err_set(err, ERR_INPUT, "%s has no symbols", file);
	return err_hint(err, "install its debug package, or build it without stripping");
}

bool symtab_load_elf(struct symtab *t, const struct object_source *src, struct diags *d,
		     struct err *err)
{
	struct search s = {.src = src, .id = src->build_id};
	*t = (struct symtab){0};
	if (!s.id.size) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s%s", symfs(&s), src->path);
		if (!object_build_id(path, &s.id, NULL))
			s.id.size = 0;
	}
	search_all(&s);
	if (!s.syms.map.p) {
		s.syms = s.run;
		s.run = (struct opened){0};
	}
	if (!s.syms.map.p)
		return tell_nothing_found(&s, d, err);

	bool any = symtab_from_elf(t, &s.syms.elf, s.run.map.p ? &s.run.elf : &s.syms.elf);
	file_unmap(&s.run.map);
	t->map = s.syms.map;
	t->build_id = s.id;
	/* Names are read again when they are shown, and few are: let go of the rest. */
	madvise((void *)t->map.p, t->map.n, MADV_DONTNEED);
	return any || err_set(err, ERR_INPUT, "%s has no symbols for code", src->path);
}

bool symtab_load_image(struct symtab *t, const void *image, size_t size, struct err *err)
{
	struct elf_file f;
	*t = (struct symtab){0};
	char *copy = arena_alloc(&t->arena, size);
	if (size)
		memcpy(copy, image, size);
	if (!elf_open(&f, copy, size))
		return err_set(err, ERR_INPUT, "the image in memory is not an ELF file");
	if (!elf_build_id(&f, &t->build_id))
		t->build_id.size = 0;
	if (!symtab_from_elf(t, &f, &f))
		return err_set(err, ERR_INPUT, "the ELF image in memory has no symbols");
	return true;
}
