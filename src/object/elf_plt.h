#ifndef KILN_ELF_PLT_H
#define KILN_ELF_PLT_H

#include "object/elf_file.h"
#include "object/symtab_build.h"

/* Adds a symbol "NAME@plt" for each entry of the file's PLT; the names live in `arena`. */
void elf_plt_insert(const struct elf_file *f, struct symtab_build *b, struct arena *arena);

#endif
