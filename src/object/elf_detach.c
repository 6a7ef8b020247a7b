/* Keeping what names code, without keeping the file. */
#include <sys/mman.h>

#include "object/elf_file.h"
#include "object/object.h"

#define HEAD_BYTES ((size_t)4096)      /* the header, and as a rule the program headers */
#define COPIED_MAX ((size_t)256 << 20) /* bytes of one file */

/* Symbols, their names, relocations and notes by their type; what unwinds, and what leads to more
 * symbols, by name. Not the code, not its data, not the debug information. */
static bool is_wanted(const struct elf_section *s)
{
	if (s->type != SHT_PROGBITS)
		return s->type != SHT_NOBITS;
	return str_starts(s->name, ".eh_frame") || str_starts(s->name, ".gnu_debug") ||
	       str_is(s->name, ".debug_frame");
}

static bool copy(uint8_t *to, const struct mapped *from, uint64_t offset, uint64_t size,
		 size_t *left)
{
	if (offset > from->n || size > from->n - offset || size > *left)
		return false;
	memcpy(to + offset, from->p + offset, size);
	*left -= size;
	return true;
}

static bool copy_wanted(uint8_t *to, const struct mapped *from, const struct elf_file *f)
{
	size_t left = COPIED_MAX;
	struct elf_file copied;
	if (!copy(to, from, 0, MIN(HEAD_BYTES, from->n), &left) ||
	    !copy(to, from, f->shoff, (uint64_t)f->shnum * f->shentsize, &left))
		return false;
	for (uint32_t i = 1; i < f->shnum; i++) {
		struct elf_section s;
		if (elf_section(f, i, &s) && is_wanted(&s) && s.data.n &&
		    !copy(to, from, s.offset, s.data.n, &left))
			return false;
	}
	return elf_open(&copied, to, from->n) && copied.load_count == f->load_count;
}

bool object_detach(struct mapped *file)
{
	struct elf_file f;
	if (!elf_open(&f, file->p, file->n))
		return false;
	/* As large as the file, so that offsets stay right; pages that nobody writes take no
	 * memory. */
	uint8_t *p = mmap(NULL, file->n, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	if (!copy_wanted(p, file, &f)) {
		munmap(p, file->n);
		return false;
	}
	size_t n = file->n;
	file_unmap(file);
	*file = (struct mapped){.p = p, .n = n};
	return true;
}
