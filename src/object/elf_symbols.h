/* The symbols of ELF files: which ones count, and where they are in the file. */
#ifndef KILN_ELF_SYMBOLS_H
#define KILN_ELF_SYMBOLS_H

#include "object/elf_file.h"
#include "object/object.h"

/* Whether perf would read symbols from it, and whether it can be what ran. */
bool elf_has_symtab(const struct elf_file *f);
bool elf_has_dynsym(const struct elf_file *f);

/* Reads the symbols of `syms` (the file itself or its debug file) into t, placed by the segments of
 * `run` (the file that ran), and the PLT of `run`. Names point into `syms`. False when there are
 * none. */
bool symtab_from_elf(struct symtab *t, const struct elf_file *syms, const struct elf_file *run);

#endif
