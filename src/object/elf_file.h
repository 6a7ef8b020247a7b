/*
 * An ELF file as bytes that may lie: header, sections, program headers, symbols. Not libelf,
 * because that copies and converts whole tables and hands out pointers that the caller must check
 * again; here every access is checked against the file, and only the pages that are asked for are
 * read. Both byte orders, 32 and 64 bits.
 */
#ifndef KILN_ELF_FILE_H
#define KILN_ELF_FILE_H

#include <elf.h>

#include "base/build_id.h"
#include "base/cursor.h"
#include "base/file.h"

/* More loadable segments than this are not looked at: no linker makes them, and every symbol is
 * compared with each. */
#define ELF_LOADS_MAX 64

struct elf_load {
	uint64_t vaddr, size, offset;
	bool executable, writable;
};

struct elf_file {
	const uint8_t *p; /* borrowed: all of the file */
	size_t n;
	bool is64, swap;
	uint16_t type, machine;
	uint64_t shoff;
	uint32_t shnum, shentsize, shstrndx;
	uint64_t eh_frame_hdr; /* virtual address, of PT_GNU_EH_FRAME; 0: none */
	uint32_t load_count;
	struct elf_load loads[ELF_LOADS_MAX];
};

struct elf_section {
	struct str name; /* cut to 255 bytes */
	uint32_t type, link;
	uint64_t flags, addr, offset, size, entsize;
	struct str data; /* empty when it lies outside of the file, or holds no bytes (NOBITS) */
};

struct elf_symbol {
	uint32_t name;
	uint32_t shndx;
	uint8_t info, other;
	uint64_t value, size;
};

/* False when these bytes are not an ELF file. */
MUST_USE bool elf_open(struct elf_file *f, const void *p, size_t n);

/* False when there is no such section (index 0 is none). */
MUST_USE bool elf_section(const struct elf_file *f, uint32_t index, struct elf_section *out);
/* The first section of that name: its index, or 0. */
uint32_t elf_section_find(const struct elf_file *f, const char *name, struct elf_section *out);

/* The segment an address lies in, the first one when several do; NULL when none does. */
const struct elf_load *elf_load_of(const struct elf_file *f, uint64_t vaddr);

/* Whether a file offset lies in an executable segment. */
bool elf_offset_executable(const struct elf_file *f, uint64_t from, uint64_t to);

static inline size_t elf_symbol_size(const struct elf_file *f)
{
	return f->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}
/* The i-th symbol of a table; the caller has checked that it is inside. */
void elf_symbol_at(const struct elf_file *f, struct str table, size_t i, struct elf_symbol *out);

/* The GNU build id of .note.gnu.build-id, .notes or .note, whichever is there first. */
bool elf_build_id(const struct elf_file *f, struct build_id *out);

/* What a stripped file says about its debug file. False when it says nothing. */
struct elf_debuglink {
	struct str name; /* without directory */
	uint32_t crc;    /* of the whole debug file */
};
bool elf_debuglink(const struct elf_file *f, struct elf_debuglink *out);
uint32_t elf_file_crc(const void *p, size_t n);

/* What a debug file made by dwz says about the one it shares with others. */
struct elf_altlink {
	struct str name; /* absolute, or relative to this file */
	struct build_id id;
};
bool elf_altlink(const struct elf_file *f, struct elf_altlink *out);

/* The bytes of a section before they were compressed (SHF_COMPRESSED, or the ".zdebug" names of
 * old). `made` is what they live in, to be kept as long and given to file_unmap(); empty when the
 * section is as it is in the file. False: damaged, or of a size that no compiler makes. */
MUST_USE bool elf_section_unpack(const struct elf_file *f, const struct elf_section *s,
				 struct mapped *made, struct str *out);

/* The address of a byte of code that is at this offset in the file. */
bool elf_vaddr_of(const struct elf_file *f, uint64_t offset, uint64_t *vaddr);

#endif
