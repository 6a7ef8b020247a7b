/* The symbols of ELF files: which ones count, and where they are in the file. */
#ifndef KILN_ELF_SYMBOLS_H
#define KILN_ELF_SYMBOLS_H

#include "object/elf_file.h"
#include "object/object.h"

/* Whether perf would read symbols from it, and whether it can be what ran. */
bool elf_has_symtab(const struct elf_file *f);
bool elf_has_dynsym(const struct elf_file *f);

struct elf_sources {
	const struct elf_file *syms; /* the file itself or its debug file */
	const struct elf_file *run;  /* the file that ran: its segments and its PLT count */
	const struct elf_file *mini; /* what .gnu_debugdata holds: .symtab is there; NULL: none */
};

/* Reads symbols into t. Names point into `syms` and `mini`. False when there are none. */
bool symtab_from_elf(struct symtab *t, const struct elf_sources *from);

#endif
