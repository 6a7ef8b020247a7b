#include "object/debug_info.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "object/debug_search.h"
#include "object/elf_symbols.h"

/* An opened file and what was unpacked from it. */
struct debug_part {
	struct mapped map;
	VEC(struct mapped) unpacked;
	struct dwarf_sections sections;
};

struct debug_info {
	struct elf_file main, run; /* with the DWARF; with the segments, maybe the same */
	struct mapped run_map;
	struct debug_part part, alt;
	struct dwarf *dwarf;

	/* split units */
	char *symfs;
	char *run_path, *main_path; /* a package lies beside one of them */
	bool package_tried;
	struct debug_part *package;      /* NULL: none */
	VEC(struct debug_part *) pieces; /* .dwo files */
};

/* --- parts ----------------------------------------------------------------------------------- */

static bool has_dwarf(const struct elf_file *f)
{
	struct elf_section s;
	return (elf_section_find(f, ".debug_info", &s) && s.data.n) ||
	       (elf_section_find(f, ".zdebug_info", &s) && s.data.n) ||
	       (elf_section_find(f, ".debug_line", &s) && s.data.n);
}

static void part_free(struct debug_part *p)
{
	for (size_t i = 0; i < p->unpacked.n; i++)
		file_unmap(&p->unpacked.v[i]);
	vec_free(&p->unpacked);
	file_unmap(&p->map);
}

/* The sections of p->map; those that are damaged count as missing. */
static void part_read(struct debug_part *p, const struct elf_file *f)
{
	struct elf_section s;
	p->sections.swap = f->swap;
	p->sections.relocatable = f->type == ET_REL;
	for (uint32_t i = 1; i < f->shnum && elf_section(f, i, &s); i++) {
		struct str *slot = dwarf_section_slot(&p->sections, s.name);
		struct mapped made;
		if (!slot || slot->n || !elf_section_unpack(f, &s, &made, slot))
			continue;
		if (made.p)
			vec_push(&p->unpacked, made);
	}
}

static bool part_open(struct debug_part *p, const char *path, const struct build_id *id)
{
	struct elf_file elf;
	struct build_id its;
	if (!file_map(path, &p->map, NULL))
		return false;
	if (elf_open(&elf, p->map.p, p->map.n) &&
	    (!id || (elf_build_id(&elf, &its) && build_id_eq(id, &its)))) {
		part_read(p, &elf);
		return true;
	}
	file_unmap(&p->map);
	return false;
}

/* SYMFS DIR / NAME; DIR is not used for absolute names. */
static bool join(char *path, size_t size, const char *symfs, struct str dir, struct str name)
{
	if (name.n && name.p[0] == '/')
		dir.n = 0;
	return snprintf(path, size, "%s%.*s%s%.*s", symfs, (int)MIN(dir.n, PATH_MAX), dir.p,
			dir.n ? "/" : "", (int)MIN(name.n, PATH_MAX), name.p) < (int)size;
}

static struct str dir_of(const char *path)
{
	struct str s = str_of(path);
	size_t base = str_basename(s).n;
	return str_make(s.p, s.n > base ? s.n - base - 1 : 0);
}

/* The file dwz put common parts into. Names in links are relative to where the file really is, and
 * debug directories are full of symbolic links. */
static void open_alt(struct debug_info *d, const struct object_source *src)
{
	struct elf_altlink link;
	char path[PATH_MAX];
	if (!elf_altlink(&d->main, &link) || !link.id.size)
		return;
	CLEANUP(mem_free_ptr) char *real = realpath(d->main_path, NULL);
	bool absolute = link.name.p[0] == '/';
	bool found = (absolute || real) &&
		     join(path, sizeof path, absolute ? d->symfs : "",
			  absolute ? STR("") : dir_of(real), link.name) &&
		     part_open(&d->alt, path, &link.id);
	if (!found && debug_path_of_id(src, &link.id, path, sizeof path))
		found = part_open(&d->alt, path, &link.id);
	if (found)
		d->part.sections.alt = &d->alt.sections;
}

/* --- split units ----------------------------------------------------------------------------- */

static struct debug_part *open_piece(const char *path)
{
	struct debug_part *p = mem_zalloc(sizeof *p);
	if (part_open(p, path, NULL) && p->sections.info.n)
		return p;
	part_free(p);
	free(p);
	return NULL;
}

static struct debug_part *find_package(struct debug_info *d)
{
	const char *beside[] = {d->run_path, d->main_path};
	char path[PATH_MAX];
	for (size_t i = 0; i < ARRAY_LEN(beside) && !d->package_tried && !d->package; i++)
		if (beside[i] && snprintf(path, sizeof path, "%s.dwp", beside[i]) < PATH_MAX)
			d->package = open_piece(path);
	d->package_tried = true;
	return d->package;
}

/* Where the compiler wrote it, or else beside the program: it may have been moved. */
static struct debug_part *find_dwo(struct debug_info *d, const struct dwarf_split *want)
{
	char path[PATH_MAX];
	struct debug_part *p = NULL;
	if (join(path, sizeof path, d->symfs, want->comp_dir, want->name))
		p = open_piece(path);
	if (!p && d->run_path &&
	    join(path, sizeof path, "", dir_of(d->run_path), str_basename(want->name)))
		p = open_piece(path);
	return p;
}

static bool find_split(void *ctx, const struct dwarf_split *want, struct dwarf_sections *out)
{
	struct debug_info *d = ctx;
	struct debug_part *p = find_package(d);
	if (!p) {
		p = find_dwo(d, want);
		if (!p)
			return false;
		vec_push(&d->pieces, p);
	}
	*out = p->sections;
	return true;
}

/* --- the whole ------------------------------------------------------------------------------- */

static bool choose(void *ctx, struct debug_candidate *c)
{
	struct debug_info *d = ctx;
	bool dwarf = !d->part.map.p && has_dwarf(&c->elf);
	bool run = !d->run_path && elf_has_dynsym(&c->elf);
	if (run) {
		d->run = c->elf;
		d->run_path = mem_strdup(c->path);
	}
	if (dwarf) {
		d->main = c->elf;
		d->main_path = mem_strdup(c->path);
		d->part.map = c->map;
		c->map = (struct mapped){0};
	} else if (run) {
		d->run_map = c->map;
		c->map = (struct mapped){0};
	}
	return d->part.map.p && d->run_path;
}

void debug_info_close(struct debug_info *d)
{
	if (!d)
		return;
	dwarf_free(d->dwarf);
	for (size_t i = 0; i < d->pieces.n; i++) {
		part_free(d->pieces.v[i]);
		free(d->pieces.v[i]);
	}
	vec_free(&d->pieces);
	if (d->package) {
		part_free(d->package);
		free(d->package);
	}
	part_free(&d->part);
	part_free(&d->alt);
	file_unmap(&d->run_map);
	free(d->symfs);
	free(d->run_path);
	free(d->main_path);
	free(d);
}

struct debug_info *debug_info_open(const struct object_source *src)
{
	struct debug_info *d = mem_zalloc(sizeof *d);
	struct debug_search s = {.src = src, .offer = choose, .ctx = d};
	d->symfs = mem_strdup(source_symfs(src));
	debug_search(&s);
	if (!d->part.map.p) {
		debug_info_close(d);
		return NULL;
	}
	if (!d->run_path) /* a program without shared libraries */
		d->run = d->main;
	part_read(&d->part, &d->main);
	open_alt(d, src);
	d->dwarf = dwarf_new(&d->part.sections, find_split, d);
	return d;
}

struct debug_info *debug_info_open_file(const char *path)
{
	struct debug_info *d = mem_zalloc(sizeof *d);
	d->symfs = mem_strdup("");
	d->main_path = mem_strdup(path);
	if (!part_open(&d->part, path, NULL) || !elf_open(&d->main, d->part.map.p, d->part.map.n) ||
	    !has_dwarf(&d->main)) {
		debug_info_close(d);
		return NULL;
	}
	d->run = d->main;
	open_alt(d, &(struct object_source){0});
	d->dwarf = dwarf_new(&d->part.sections, find_split, d);
	return d;
}

struct dwarf *debug_info_dwarf(const struct debug_info *d)
{
	return d->dwarf;
}

bool debug_info_vaddr(const struct debug_info *d, uint64_t offset, uint64_t *vaddr)
{
	return elf_vaddr_of(&d->run, offset, vaddr);
}
