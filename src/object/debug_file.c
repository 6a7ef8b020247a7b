/*
 * Which files to read symbols from. One gives them (a debug file, often), one stands for what ran
 * (it has the PLT and the real segments); they may be the same. perf takes the first of each kind;
 * so do we.
 */
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>

#include "object/debug_search.h"
#include "object/elf_symbols.h"
#include "object/unpack.h"

/* What .gnu_debugdata may become. Those of the largest programs have some 10 MB. */
#define MINI_MAX ((size_t)256 << 20)

struct opened {
	struct mapped map;
	struct elf_file elf;
};

struct choice {
	struct opened syms, run;
	bool same; /* syms and run are one file; `run` is empty */
};

/* Keeps the file when it is the first with symbols, or the first that may have run. */
static bool choose(void *ctx, struct debug_candidate *c)
{
	struct choice *o = ctx;
	bool symtab = !o->syms.map.p && elf_has_symtab(&c->elf);
	bool run = !o->run.map.p && !o->same && elf_has_dynsym(&c->elf);
	if (symtab)
		o->same = run;
	if (symtab || run) {
		*(symtab ? &o->syms : &o->run) = (struct opened){c->map, c->elf};
		c->map = (struct mapped){0};
	}
	return o->syms.map.p && (o->same || o->run.map.p);
}

static bool tell_nothing_found(const struct debug_search *s, struct diags *d, struct err *err)
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
	snprintf(file, sizeof file, "%s%s", source_symfs(s->src), path);
	if (!file_map(file, &map, err))
		return false;
	bool is_elf = elf_open(&elf, map.p, map.n);
	file_unmap(&map);
	if (!is_elf)
		return err_set(err, ERR_INPUT, "%s is not an ELF file", file);
	err_set(err, ERR_INPUT, "%s has no symbols", file);
	return err_hint(err, "install its debug package, or build it without stripping");
}

/* Fedora's: a small ELF file with the .symtab of a stripped one, packed into one of its sections.
 */
static bool unpack_mini(const struct elf_file *f, struct mapped *map, struct elf_file *out)
{
	struct elf_section s;
	if (!elf_section_find(f, ".gnu_debugdata", &s) || !unpack(PACKED_XZ, s.data, MINI_MAX, map))
		return false;
	if (elf_open(out, map->p, map->n))
		return true;
	file_unmap(map);
	return false;
}

bool symtab_load_elf(struct symtab *t, const struct object_source *src, struct diags *d,
		     struct err *err)
{
	struct choice o = {0};
	struct debug_search s = {.src = src, .offer = choose, .ctx = &o};
	*t = (struct symtab){0};
	debug_search(&s);
	if (!o.syms.map.p) {
		o.syms = o.run;
		o.run = (struct opened){0};
	}
	if (!o.syms.map.p)
		return tell_nothing_found(&s, d, err);

	struct elf_file mini;
	const struct elf_file *run = o.run.map.p ? &o.run.elf : &o.syms.elf;
	bool has_mini = !elf_has_symtab(&o.syms.elf) && unpack_mini(&o.syms.elf, &t->mini, &mini);
	bool any = symtab_from_elf(t, &(struct elf_sources){.syms = &o.syms.elf,
							    .run = run,
							    .mini = has_mini ? &mini : NULL});
	file_unmap(&o.run.map);
	t->map = o.syms.map;
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
	if (!symtab_from_elf(t, &(struct elf_sources){.syms = &f, .run = &f}))
		return err_set(err, ERR_INPUT, "the ELF image in memory has no symbols");
	return true;
}
