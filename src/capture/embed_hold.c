/* The files behind mappings: finding the very file that was mapped, and its symbols. */
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "capture/embed.h"
#include "object/object.h"
#include "perfdata/record.h"

#define HELD_MAX 16384              /* files; a process may have 65530 maps */
#define IMAGE_MAX ((size_t)1 << 30) /* bytes; read into memory when the file is gone */
#define PATH_BYTES (PATH_MAX + 64)

static bool is_it(const char *path, const struct build_id *id, uint64_t inode)
{
	struct build_id found;
	struct stat st;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	if (id->size)
		return object_build_id(path, &found, NULL) && build_id_eq(&found, id);
	return inode && st.st_ino == inode;
}

/* On another file system than the root's: on one that can be unmounted, and that we should not
 * stand in the way of. */
static bool is_elsewhere(const char *path)
{
	struct stat root, st;
	return stat("/", &root) == 0 && stat(path, &st) == 0 && st.st_dev != root.st_dev;
}

void embed_hold(struct embed *e, struct embed_object *o, const struct rec_mmap *m)
{
	char path[PATH_BYTES];
	int path_len = (int)MIN(m->path.n, (size_t)PATH_MAX);
	if (e->held >= HELD_MAX) {
		e->full = true;
		return;
	}
	for (int place = 0; place < 4 && !o->held.p; place++) {
		switch (place) {
		case 0: /* leads to the file itself, whatever became of its path; needs a right */
			snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
				 m->pid, m->addr, m->addr + m->len);
			break;
		case 1:
			snprintf(path, sizeof path, "/proc/%d/root%.*s", m->pid, path_len,
				 m->path.p);
			break;
		case 2:
			snprintf(path, sizeof path, "/proc/%d/exe", m->pid);
			break;
		case 3:
			snprintf(path, sizeof path, "%.*s", path_len, m->path.p);
			break;
		}
		/* A process number may belong to another process by now. */
		if (is_it(path, &m->build_id, m->inode) && file_map(path, &o->held, NULL) &&
		    is_elsewhere(path))
			(void)object_detach(&o->held);
	}
	e->held += o->held.p != NULL;
}

bool embed_is_gone(const struct embed *e, const struct embed_object *o)
{
	return !is_it(strtab_get(&e->paths, o->path).p, &o->build_id, o->inode);
}

/* The kernel gives every process the same one. */
static void vdso_symbols(struct symtab *t)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr head;
	if (!image)
		return;
	memcpy(&head, image, sizeof head);
	size_t size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	(void)!symtab_load_image(t, image, size, NULL);
}

static void file_symbols(const struct embed *e, const struct embed_object *o, bool gone,
			 struct symtab *t)
{
	struct object_source src = {
		.path = strtab_get(&e->paths, o->path).p, .build_id = o->build_id, .pid = o->pid};
	struct diags unsaid = {0};
	/* With a build id, or the right file at its path, this finds nothing wrong; and where
	 * there is a separate debug file, more than the file itself has. */
	if ((o->build_id.size || !gone) && symtab_load_elf(t, &src, &unsaid, NULL) && t->syms.n)
		return;
	symtab_free(t);
	if (o->held.p && o->held.n <= IMAGE_MAX)
		(void)!symtab_load_image(t, o->held.p, o->held.n, NULL);
}

void embed_symbols(const struct embed *e, const struct embed_object *o, bool gone, struct symtab *t)
{
	*t = (struct symtab){0};
	switch (o->kind) {
	case EMBEDDED_FILE:
		file_symbols(e, o, gone, t);
		break;
	case EMBEDDED_VDSO:
		vdso_symbols(t);
		break;
	default:
		break;
	}
}
