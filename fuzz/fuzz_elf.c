/* ELF files: symbols, PLT, build id, links to debug files and compressed sections of an image;
 * every name is read. */
#include <stdlib.h>

#include "object/elf_file.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct symtab *t)
{
	for (size_t i = 0; i < t->syms.n; i++) {
		const struct symbol *s = &t->syms.v[i];
		if (i && s->start < t->syms.v[i - 1].start)
			abort();
		if (symbol_name(s).n > SYMBOL_NAME_MAX)
			abort();
		const struct symbol *found = symtab_find(t, s->start);
		if (found && (s->start < found->start ||
			      (s->start >= found->end && s->start != found->start)))
			abort();
	}
	for (size_t i = 0; i < t->patches.n; i++) {
		const struct symtab_patch *p = &t->patches.v[i];
		if (p->from >= p->to || (i && p->from < p[-1].to))
			abort();
		if (p->symbol != UINT32_MAX && p->symbol >= t->syms.n)
			abort();
	}
}

static void read_debug_sections(const struct elf_file *f)
{
	struct elf_debuglink link;
	struct elf_altlink alt;
	struct elf_section s;
	uint64_t vaddr;
	if (elf_debuglink(f, &link) && !link.name.n)
		abort();
	if (elf_altlink(f, &alt) && !alt.name.n)
		abort();
	for (uint32_t i = 1; i < f->shnum && i < 64 && elf_section(f, i, &s); i++) {
		struct mapped made;
		struct str bytes;
		if (elf_section_unpack(f, &s, &made, &bytes) && made.p && made.n != bytes.n)
			abort();
		file_unmap(&made);
		(void)elf_vaddr_of(f, s.offset, &vaddr);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab t;
	struct err err = {0};
	if (symtab_load_image(&t, data, size, &err))
		check(&t);
	else if (!err.text[0])
		abort();
	symtab_free(&t);

	struct elf_file f;
	struct build_id id;
	if (elf_open(&f, data, size)) {
		(void)elf_build_id(&f, &id);
		read_debug_sections(&f);
	}
	(void)!build_id_from_notes(data, size, &id);
	return 0;
}
