/*
 * ELF files for tests, written field by field, in any class and byte order: a text section, symbols
 * and dynamic symbols, a PLT, a build id, a debuglink, one more section of any kind.
 */
#ifndef KILN_TEST_ELF_H
#define KILN_TEST_ELF_H

#include <elf.h>

#include "base/base.h"
#include "base/build_id.h"
#include "base/out.h"

struct test_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t binding, type, visibility;
	uint16_t section; /* 0: .text, else as given */
};

struct test_elf {
	bool is32, big;
	uint16_t machine, type;
	uint64_t vaddr, offset; /* of the one loaded segment, and of .text in it */
	const struct test_symbol *syms, *dynsyms;
	size_t sym_count, dynsym_count;
	struct build_id id;
	const char *debuglink;
	uint32_t debuglink_crc;
	/* One more section with bytes of the test's choice; none when its name is NULL. */
	const char *extra_name;
	struct str extra;
	uint64_t extra_flags;
	uint16_t plt_relocs; /* the i-th names dynsyms[i] */
};

enum {
	TEST_TEXT = 1,
	TEST_DATA,
	TEST_OTHER,
	TEST_NOTE,
	TEST_LINK,
	TEST_SYMTAB,
	TEST_STRTAB,
	TEST_DYNSYM,
	TEST_DYNSTR,
	TEST_RELA,
	TEST_PLT,
	TEST_EXTRA,
	TEST_SHSTRTAB,
	TEST_SECTIONS
};

#define TEST_TEXT_SIZE 0x1000

struct test_section {
	const char *name;
	uint32_t type;
	uint64_t flags, addr, offset, size, entsize;
	uint32_t link;
};

static void put(const struct test_elf *e, struct out *o, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out_char(o, (char)(v >> 8 * (e->big ? bytes - 1 - i : i)));
}

static void put_word(const struct test_elf *e, struct out *o, uint64_t v)
{
	put(e, o, v, e->is32 ? 4 : 8);
}

static void put_symbol(const struct test_elf *e, struct out *o, const struct test_symbol *s,
		       uint32_t name)
{
	uint8_t info = (uint8_t)(s->binding << 4 | s->type);
	uint16_t section = s->section ? s->section : TEST_TEXT;
	put(e, o, name, 4);
	if (e->is32) {
		put(e, o, s->value, 4);
		put(e, o, s->size, 4);
	}
	put(e, o, info, 1);
	put(e, o, s->visibility, 1);
	put(e, o, section, 2);
	if (!e->is32) {
		put(e, o, s->value, 8);
		put(e, o, s->size, 8);
	}
}

/* A table with its null entry, and then its names. */
static void put_symbols(const struct test_elf *e, struct out *o, const struct test_symbol *syms,
			size_t n, struct test_section *table, struct test_section *names)
{
	static const struct test_symbol null = {.section = SHN_UNDEF};
	struct out text;
	out_memory(&text);
	out_char(&text, '\0');
	table->offset = o->n;
	put_symbol(e, o, &null, 0);
	for (size_t i = 0; i < n; i++) {
		put_symbol(e, o, &syms[i], (uint32_t)text.n);
		out_bytes(&text, syms[i].name, strlen(syms[i].name) + 1);
	}
	table->size = o->n - table->offset;
	table->entsize = e->is32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	names->offset = o->n;
	out_str(o, out_text(&text));
	names->size = o->n - names->offset;
	(void)out_finish(&text);
}

static void put_header(const struct test_elf *e, struct out *o, uint64_t shoff)
{
	uint64_t header = e->is32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
	out_bytes(o, ELFMAG, SELFMAG);
	out_char(o, e->is32 ? ELFCLASS32 : ELFCLASS64);
	out_char(o, e->big ? ELFDATA2MSB : ELFDATA2LSB);
	out_char(o, EV_CURRENT);
	while (o->n < EI_NIDENT)
		out_char(o, '\0');
	put(e, o, e->type ? e->type : ET_DYN, 2);
	put(e, o, e->machine ? e->machine : EM_X86_64, 2);
	put(e, o, EV_CURRENT, 4);
	put_word(e, o, 0);
	put_word(e, o, header);
	put_word(e, o, shoff);
	put(e, o, 0, 4);
	put(e, o, header, 2);
	put(e, o, e->is32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr), 2);
	put(e, o, 1, 2);
	put(e, o, e->is32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr), 2);
	put(e, o, TEST_SECTIONS, 2);
	put(e, o, TEST_SHSTRTAB, 2);
	/* One segment. */
	put(e, o, PT_LOAD, 4);
	if (!e->is32)
		put(e, o, PF_R | PF_X, 4);
	put_word(e, o, e->offset);
	put_word(e, o, e->vaddr);
	put_word(e, o, e->vaddr);
	put_word(e, o, TEST_TEXT_SIZE);
	put_word(e, o, TEST_TEXT_SIZE);
	if (e->is32)
		put(e, o, PF_R | PF_X, 4);
	put_word(e, o, 0x1000);
}

static void put_sections(const struct test_elf *e, struct out *o, const struct test_section *s)
{
	uint32_t name = 0;
	for (int i = 0; i < TEST_SECTIONS; i++) {
		put(e, o, name, 4);
		put(e, o, s[i].type, 4);
		put_word(e, o, s[i].flags);
		put_word(e, o, s[i].addr);
		put_word(e, o, s[i].offset);
		put_word(e, o, s[i].size);
		put(e, o, s[i].link, 4);
		put(e, o, 0, 4);
		put_word(e, o, 0);
		put_word(e, o, s[i].entsize);
		name += (uint32_t)strlen(s[i].name) + 1;
	}
}

static void put_note(const struct test_elf *e, struct out *o, struct test_section *s)
{
	s->offset = o->n;
	put(e, o, 4, 4);
	put(e, o, e->id.size, 4);
	put(e, o, NT_GNU_BUILD_ID, 4);
	out_bytes(o, "GNU", 4);
	out_bytes(o, e->id.bytes, e->id.size);
	s->size = o->n - s->offset;
}

static void put_relocations(const struct test_elf *e, struct out *o, struct test_section *s)
{
	s->offset = o->n;
	for (uint64_t i = 0; i < e->plt_relocs; i++) {
		put_word(e, o, 0);
		put_word(e, o,
			 e->is32 ? (i + 1) << 8 | R_386_JMP_SLOT
				 : (i + 1) << 32 | R_X86_64_JUMP_SLOT);
		put_word(e, o, 0);
	}
	s->size = o->n - s->offset;
	s->entsize = e->is32 ? sizeof(Elf32_Rela) : sizeof(Elf64_Rela);
}

/* The bytes of the file, in o (in memory). */
static void test_elf_write(const struct test_elf *e, struct out *o)
{
	struct test_section s[TEST_SECTIONS] = {
		[0] = {.name = ""},
		[TEST_TEXT] = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, e->vaddr,
			       e->offset, TEST_TEXT_SIZE},
		[TEST_DATA] = {".rodata", SHT_PROGBITS, SHF_ALLOC, e->vaddr, e->offset,
			       TEST_TEXT_SIZE},
		[TEST_OTHER] = {".init", SHT_PROGBITS, SHF_ALLOC, e->vaddr, e->offset,
				TEST_TEXT_SIZE},
		[TEST_NOTE] = {e->id.size ? ".note.gnu.build-id" : ".nonote", SHT_NOTE, 0},
		[TEST_LINK] = {e->debuglink ? ".gnu_debuglink" : ".nolink", SHT_PROGBITS, 0},
		[TEST_SYMTAB] = {e->syms ? ".symtab" : ".nosymtab", SHT_SYMTAB,
				 .link = TEST_STRTAB},
		[TEST_STRTAB] = {".strtab", SHT_STRTAB, 0},
		[TEST_DYNSYM] = {e->dynsyms ? ".dynsym" : ".nodynsym", SHT_DYNSYM,
				 .link = TEST_DYNSTR},
		[TEST_DYNSTR] = {".dynstr", SHT_STRTAB, 0},
		[TEST_RELA] = {".rela.plt", SHT_RELA, .link = TEST_DYNSYM},
		[TEST_PLT] = {".plt", SHT_PROGBITS, SHF_ALLOC, e->vaddr + 0x800, e->offset + 0x800,
			      0x100, 16},
		[TEST_EXTRA] = {e->extra_name ? e->extra_name : ".noextra", SHT_PROGBITS,
				e->extra_flags},
		[TEST_SHSTRTAB] = {".shstrtab", SHT_STRTAB, 0},
	};
	struct out names;
	out_memory(&names);
	for (int i = 0; i < TEST_SECTIONS; i++)
		out_bytes(&names, s[i].name, strlen(s[i].name) + 1);

	out_memory(o);
	put_header(e, o, 0);
	put_note(e, o, &s[TEST_NOTE]);
	s[TEST_LINK].offset = o->n;
	if (e->debuglink) {
		out_bytes(o, e->debuglink, strlen(e->debuglink) + 1);
		while ((o->n - s[TEST_LINK].offset) % 4)
			out_char(o, '\0');
		put(e, o, e->debuglink_crc, 4);
	}
	s[TEST_LINK].size = o->n - s[TEST_LINK].offset;
	s[TEST_EXTRA].offset = o->n;
	out_str(o, e->extra);
	s[TEST_EXTRA].size = o->n - s[TEST_EXTRA].offset;
	put_symbols(e, o, e->syms, e->sym_count, &s[TEST_SYMTAB], &s[TEST_STRTAB]);
	put_symbols(e, o, e->dynsyms, e->dynsym_count, &s[TEST_DYNSYM], &s[TEST_DYNSTR]);
	put_relocations(e, o, &s[TEST_RELA]);
	s[TEST_SHSTRTAB].offset = o->n;
	out_str(o, out_text(&names));
	s[TEST_SHSTRTAB].size = o->n - s[TEST_SHSTRTAB].offset;
	(void)out_finish(&names);

	/* The header again, now that the place of the sections is known. */
	struct out header;
	out_memory(&header);
	put_header(e, &header, o->n);
	memcpy(o->buf, header.buf, header.n);
	(void)out_finish(&header);
	put_sections(e, o, s);
}

#endif
