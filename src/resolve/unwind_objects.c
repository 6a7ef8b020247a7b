#include "resolve/unwind_objects.h"

#include <stdlib.h>

#include "object/debug_search.h"
#include "resolve/vdso.h"

/* All tables together; that of a browser has 30 MB. */
#define CACHE_LIMIT ((uint64_t)512 << 20)

void unwind_objects_init(struct unwind_objects *o, const struct session *s, const struct arch *arch,
			 const struct resolve_options *opt)
{
	*o = (struct unwind_objects){.session = s, .opt = *opt, .arch = arch};
	o->v = mem_calloc(session_object_count(s), sizeof *o->v);
}

void unwind_objects_free(struct unwind_objects *o)
{
	for (size_t i = 0; o->v && i < session_object_count(o->session); i++) {
		if (!o->v[i])
			continue;
		cfi_free(&o->v[i]->table);
		file_unmap(&o->v[i]->map);
		free(o->v[i]);
	}
	free(o->v);
	o->v = NULL;
	for (size_t i = 0; i < o->kept.n; i++)
		free((char *)o->kept.v[i].block.p);
	vec_free(&o->kept);
}

/* --- files ------------------------------------------------------------------------------------ */

struct choice {
	struct debug_candidate run, debug;
};

static bool has_bytes(const struct elf_file *f, const char *section)
{
	struct elf_section s;
	return elf_section_find(f, section, &s) && s.data.n;
}

/* The file that ran has its code; a debug file has only the sections' names, and .debug_frame. */
static bool choose(void *ctx, struct debug_candidate *c)
{
	struct choice *o = ctx;
	if (!o->run.map.p && (has_bytes(&c->elf, ".text") || has_bytes(&c->elf, ".eh_frame") ||
			      (!c->elf.shnum && c->elf.eh_frame_hdr))) {
		o->run = *c;
		c->map = (struct mapped){0};
	} else if (!o->debug.map.p &&
		   (has_bytes(&c->elf, ".debug_frame") || has_bytes(&c->elf, ".zdebug_frame"))) {
		o->debug = *c;
		c->map = (struct mapped){0};
	}
	/* .eh_frame is all there is, nearly always: no further search for what is nowhere. */
	return o->run.map.p && (o->debug.map.p || has_bytes(&o->run.elf, ".eh_frame"));
}

static void keep_image(struct unwind_object *u, struct debug_candidate *run)
{
	u->map = run->map;
	u->elf = run->elf;
	u->image = str_make((const char *)run->map.p, run->map.n);
	run->map = (struct mapped){0};
}

static void use_kept(const struct unwind_objects *o, struct unwind_object *u,
		     const struct build_id *id)
{
	for (size_t i = 0; i < o->kept.n && !u->table.row_count; i++) {
		const struct unwind_kept *k = &o->kept.v[i];
		if (build_id_eq(&k->id, id) &&
		    !cfi_open_block(&u->table, (const uint8_t *)k->block.p, k->block.n, id))
			u->table = (struct cfi_table){0};
	}
}

static void load_file(struct unwind_objects *o, struct unwind_object *u,
		      const struct session_object *so)
{
	struct object_source src = {.path = session_str(o->session, so->path).p,
				    .build_id = so->build_id,
				    .pid = so->pid,
				    .symfs = o->opt.symfs,
				    .build_id_dir = o->opt.build_id_dir};
	struct choice found = {0};
	struct debug_search search = {.src = &src, .offer = choose, .ctx = &found};
	debug_search(&search);
	u->changed = search.changed;
	if (found.run.map.p) {
		/* An id that was recorded is the table's name, for good; one that only the file
		 * has says as much: the file was just read. */
		bool cached = cfi_cache_load(&u->table, o->opt.cfi_cache, &search.id);
		if (cached && u->table.arch != o->arch)
			cfi_free(&u->table);
		if (!u->table.row_count &&
		    cfi_build_elf(&u->table, &found.run.elf,
				  found.debug.map.p ? &found.debug.elf : NULL))
			cfi_cache_store(&u->table, o->opt.cfi_cache, &search.id, CACHE_LIMIT);
		keep_image(u, &found.run);
	}
	file_unmap(&found.run.map);
	file_unmap(&found.debug.map);
	if (!u->table.row_count)
		use_kept(o, u, &so->build_id);
}

static void load_vdso(struct unwind_object *u, const struct session_object *so)
{
	struct build_id id;
	if (!vdso_image(&u->image) || !elf_open(&u->elf, u->image.p, u->image.n))
		return;
	if (so->build_id.size && (!elf_build_id(&u->elf, &id) || !build_id_eq(&id, &so->build_id)))
		return;
	if (!cfi_build_elf(&u->table, &u->elf, NULL))
		u->table = (struct cfi_table){0};
}

struct unwind_object *unwind_object(struct unwind_objects *o, object_id id)
{
	struct unwind_object *u = o->v[id.v];
	if (u)
		return u;
	u = o->v[id.v] = mem_zalloc(sizeof *u);
	const struct session_object *so = session_object(o->session, id);
	if (so->kind == OBJECT_FILE)
		load_file(o, u, so);
	else if (so->kind == OBJECT_VDSO)
		load_vdso(u, so);
	/* A file of another CPU than the recording's: the recording lies, or the path is another
	 * machine's. */
	if (u->table.row_count && u->table.arch != o->arch)
		cfi_free(&u->table);
	return u;
}

bool unwind_object_read(const struct unwind_object *o, uint64_t vaddr, unsigned size, uint64_t *out)
{
	if (!o->image.n)
		return false;
	const struct elf_load *l = elf_load_of(&o->elf, vaddr);
	if (!l || l->writable || l->size - (vaddr - l->vaddr) < size)
		return false;
	uint64_t at = l->offset + (vaddr - l->vaddr);
	if (at > o->image.n || o->image.n - at < size)
		return false;
	*out = 0;
	memcpy(out, o->image.p + at, size);
	return true;
}
