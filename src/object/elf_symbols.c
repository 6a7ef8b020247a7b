#include "object/elf_symbols.h"

#include "arch/arch.h"
#include "object/elf_plt.h"
#include "object/symtab_build.h"

bool elf_has_symtab(const struct elf_file *f)
{
	struct elf_section s;
	return elf_section_find(f, ".symtab", &s) && s.type == SHT_SYMTAB;
}

bool elf_has_dynsym(const struct elf_file *f)
{
	struct elf_section s;
	return elf_section_find(f, ".dynsym", &s) && s.type == SHT_DYNSYM;
}

/* What a symbol needs to know of its section, looked up once per section. */
struct section_place {
	enum { SECTION_UNSEEN, SECTION_NONE, SECTION_CODE_OR_DATA, SECTION_OTHER } kind;
	uint64_t shift; /* address - file offset, for symbols outside of all segments */
};

struct loader {
	const struct elf_file *syms, *run;
	enum symbol_place place;
	uint64_t text_base;
	uint32_t text; /* index of .text, with PLACE_TEXT */
	struct symtab_build build;
	struct section_place *sections; /* by index, syms->shnum of them */
	size_t section_count;
	bool mapping_symbols;
};

static bool text_contains(struct str s, const char *word)
{
	return memmem(s.p, s.n, word, strlen(word)) != NULL;
}

static void section_place_fill(const struct loader *l, uint32_t index, struct section_place *out)
{
	struct elf_section s;
	out->kind = SECTION_NONE;
	if (!elf_section(l->syms, index, &s) || !(s.flags & SHF_ALLOC))
		return;
	/* Debug files keep their sections' headers without the bytes, and so without a meaningful
	 * offset: that is in the file that ran. */
	if (s.type == SHT_NOBITS && !elf_section(l->run, index, &s))
		return;
	out->shift = s.addr - s.offset;
	out->kind = text_contains(s.name, "text") || text_contains(s.name, "data")
			    ? SECTION_CODE_OR_DATA
			    : SECTION_OTHER;
}

static const struct section_place *section_place(const struct loader *l, uint32_t index)
{
	static const struct section_place none = {.kind = SECTION_NONE};
	if (index >= l->section_count)
		return &none;
	struct section_place *p = &l->sections[index];
	if (p->kind == SECTION_UNSEEN)
		section_place_fill(l, index, p);
	return p;
}

/* Functions and objects always; labels only in sections called something with text or data. */
static bool symbol_counts(const struct elf_symbol *s, bool *label)
{
	uint8_t type = ELF64_ST_TYPE(s->info), seen = ELF64_ST_VISIBILITY(s->other);
	*label = type == STT_NOTYPE;
	if (s->name == 0 || s->shndx == SHN_UNDEF || s->shndx >= SHN_LORESERVE)
		return false;
	if (*label)
		return seen != STV_HIDDEN && seen != STV_INTERNAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

/* "$x", "$d.3" and the like of ARM's assemblers. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (name[2] == '\0' || name[2] == '.');
}

static void insert_symbol(struct loader *l, const struct elf_symbol *s, struct str names)
{
	bool label;
	if (!symbol_counts(s, &label) || s->name >= names.n)
		return;
	const char *name = names.p + s->name;
	if (l->mapping_symbols && is_mapping_symbol(name))
		return;
	const struct section_place *place = section_place(l, s->shndx);
	if (place->kind == SECTION_NONE || (label && place->kind != SECTION_CODE_OR_DATA))
		return;

	uint64_t value = s->value;
	/* The lowest bit of an ARM function says that it is Thumb code. */
	if (l->syms->machine == EM_ARM && ELF64_ST_TYPE(s->info) == STT_FUNC)
		value &= ~(uint64_t)1;
	if (l->place == PLACE_OFFSET) {
		const struct elf_load *load = elf_load_of(l->run, value);
		value -= load ? load->vaddr - load->offset : place->shift;
	} else if (l->place == PLACE_TEXT) {
		if (s->shndx != l->text)
			return;
		value += l->text_base;
	}
	symtab_build_insert(&l->build, value, s->size, name, ELF64_ST_BIND(s->info),
			    ELF64_ST_TYPE(s->info));
}

/* One table; every name offset below names.n has a NUL behind it. */
static void insert_table(struct loader *l, const char *section, uint32_t type)
{
	struct elf_section table, strings;
	if (!elf_section_find(l->syms, section, &table) || table.type != type ||
	    !elf_section(l->syms, table.link, &strings))
		return;
	struct str names = strings.data;
	const char *last = names.n ? memrchr(names.p, '\0', names.n) : NULL;
	names.n = last ? (size_t)(last - names.p) + 1 : 0;

	size_t count = table.data.n / elf_symbol_size(l->syms);
	vec_reserve(&l->build.all, count);
	for (size_t i = 1; i < count; i++) {
		struct elf_symbol s;
		elf_symbol_at(l->syms, table.data, i, &s);
		insert_symbol(l, &s, names);
	}
}

static bool wanted(const void *run, uint64_t from, uint64_t to)
{
	return elf_offset_executable(run, from, to);
}

static void read_table(struct loader *l, const struct elf_file *syms, const char *section,
		       uint32_t type)
{
	l->syms = syms;
	/* Indices of symbols have 16 bits. */
	l->section_count = MIN(syms->shnum, SHN_LORESERVE);
	l->sections = mem_calloc(l->section_count, sizeof *l->sections);
	insert_table(l, section, type);
	symtab_build_pass(&l->build, true);
	free(l->sections);
}

bool symtab_from_elf(struct symtab *t, const struct elf_sources *from)
{
	const struct elf_file *run = from->run;
	struct loader l = {.run = run,
			   .place = from->place,
			   .text_base = from->text_base,
			   .build.mangled = from->place == PLACE_OFFSET};
	struct elf_section text;
	l.text = elf_section_find(from->syms, ".text", &text);
	const struct arch *arch = arch_by_machine(from->syms->machine);
	l.mapping_symbols = from->syms->machine == EM_ARM || (arch && arch->mapping_symbols);

	read_table(&l, from->mini ? from->mini : from->syms, ".symtab", SHT_SYMTAB);
	read_table(&l, from->syms, ".dynsym", SHT_DYNSYM);
	bool any = l.build.all.n > 0;
	if (any) {
		bool user = from->place == PLACE_OFFSET;
		if (user)
			elf_plt_insert(run, &l.build, &t->arena);
		symtab_build_pass(&l.build, false);
		symtab_build_finish(&l.build, t, (struct symtab_wanted){user ? wanted : NULL, run});
	}
	t->mangled = true;
	symtab_build_free(&l.build);
	return any;
}
