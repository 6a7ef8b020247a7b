/*
 * A piece of code made at run time as an ELF file of its own, for tools that know only those: its
 * code, its one symbol, a build id, and how to unwind it where that is known.
 */
#ifndef KILN_JIT_ELF_H
#define KILN_JIT_ELF_H

#include "base/out.h"
#include "object/jit_code.h"

/* Where the code begins, as an offset in the file and as an address. */
#define JIT_ELF_TEXT 0x80

/* Appends the whole file; native byte order. c must have a load. */
void jit_elf_write(struct out *o, const struct jit_table *t, const struct jit_code *c,
		   struct build_id *id);

#endif
