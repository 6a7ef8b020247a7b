/*
 * PLT entries. They have no symbols of their own: the i-th entry behind the header belongs to the
 * i-th relocation of .rela.plt, whose symbol gives the name (empty for an IFUNC's).
 */
#include "object/elf_plt.h"

#include "arch/arch.h"

/* As perf cuts them. */
#define PLT_NAME_MAX 1023

struct plt {
	struct str rels, syms, names;
	bool rela;
	size_t rel_size;
	uint64_t offset; /* of the first entry in the file */
	uint64_t entry;  /* bytes; 0 for linkers that do not say, which leaves no room for names */
};

static bool plt_open(const struct elf_file *f, struct plt *p)
{
	struct elf_section dynsym, names, rel, plt;
	uint32_t dynsym_index = elf_section_find(f, ".dynsym", &dynsym);
	if (!dynsym_index || dynsym.type != SHT_DYNSYM || !elf_section(f, dynsym.link, &names))
		return false;
	if (!elf_section_find(f, ".rela.plt", &rel) && !elf_section_find(f, ".rel.plt", &rel))
		return false;
	if (rel.link != dynsym_index || !elf_section_find(f, ".plt", &plt))
		return false;
	if (rel.type != SHT_RELA && rel.type != SHT_REL)
		return false;

	const struct arch *arch = arch_by_machine(f->machine);
	uint64_t header = arch && arch->plt.entry ? arch->plt.header : plt.entsize;
	*p = (struct plt){.rels = rel.data, .syms = dynsym.data, .names = names.data};
	p->entry = arch && arch->plt.entry ? arch->plt.entry : plt.entsize;
	p->offset = plt.offset + header;
	p->rela = rel.type == SHT_RELA;
	if (f->is64)
		p->rel_size = p->rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	else
		p->rel_size = p->rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
	return p->names.n > 0;
}

/* The name of the symbol that the i-th relocation refers to. */
static struct str plt_target(const struct elf_file *f, const struct plt *p, size_t i)
{
	struct cursor c = cursor_of(p->rels.p + i * p->rel_size, p->rel_size, f->swap);
	uint64_t symbol;
	if (f->is64) {
		(void)cursor_u64(&c);
		symbol = cursor_u64(&c) >> 32;
	} else {
		(void)cursor_u32(&c);
		symbol = cursor_u32(&c) >> 8;
	}
	if (symbol >= p->syms.n / elf_symbol_size(f))
		return STR("");
	struct elf_symbol sym;
	elf_symbol_at(f, p->syms, symbol, &sym);
	struct str name = str_skip(p->names, sym.name);
	return str_make(name.p, strnlen(name.p, MIN(name.n, PLT_NAME_MAX)));
}

void elf_plt_insert(const struct elf_file *f, struct symtab_build *b, struct arena *arena)
{
	struct plt p;
	if (!plt_open(f, &p))
		return;
	/* Many relocations may share one long name: no more text than the file has bytes. */
	size_t budget = f->n;
	uint64_t offset = p.offset;
	for (size_t i = 0; i < p.rels.n / p.rel_size; i++, offset += p.entry) {
		struct str target = plt_target(f, &p, i);
		size_t n = target.n + sizeof "@plt";
		if (n > budget)
			return;
		budget -= n;
		char *name = arena_alloc(arena, n);
		memcpy(name, target.p, target.n);
		memcpy(name + target.n, "@plt", sizeof "@plt");
		symtab_build_insert(b, offset, p.entry, name, STB_GLOBAL, STT_FUNC);
	}
}
