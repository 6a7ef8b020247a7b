/* The symbols of ELF files: which ones count, and where they are in the file. */
#ifndef KILN_ELF_SYMBOLS_H
#define KILN_ELF_SYMBOLS_H

#include "object/elf_file.h"
#include "object/object.h"

/* Whether perf would read symbols from it, and whether it can be what ran. */
bool elf_has_symtab(const struct elf_file *f);
bool elf_has_dynsym(const struct elf_file *f);

/* What the addresses of symbols become. */
enum symbol_place {
	PLACE_OFFSET, /* offsets in the file: user code */
	PLACE_VADDR,  /* as they are: vmlinux */
	PLACE_TEXT,   /* behind text_base; only those of .text: a kernel module, of which no more is
			 known than where that was loaded */
};

struct elf_sources {
	const struct elf_file *syms; /* the file itself or its debug file */
	const struct elf_file *run;  /* the file that ran: its segments and its PLT count */
	enum symbol_place place;
	uint64_t text_base;
	const struct elf_file *mini; /* what .gnu_debugdata holds: .symtab is there; NULL: none */
};

/* Reads symbols into t. Names point into `syms` and `mini`. False when there are none. */
bool symtab_from_elf(struct symtab *t, const struct elf_sources *from);

#endif
