/* Unwinding code made at run time by what its runtime says, where it says anything (jitdump). */
#ifndef KILN_JIT_CFI_H
#define KILN_JIT_CFI_H

#include "object/cfi.h"
#include "resolve/jit.h"

struct jit_cfi;

/* machine: as unwinder_new(). NULL when no runtime told anything, or of a CPU we do not know. The
 * rest is borrowed; the session must be sealed. */
struct jit_cfi *jit_cfi_new(const struct session *s, const struct jits *j, const char *machine);
void jit_cfi_free(struct jit_cfi *c);

/* The table for the code at an address, compiled when first asked for; NULL: there is none. Has the
 * shape of a struct unwind_source's find. */
const struct cfi_table *jit_cfi_find(void *ctx, uint32_t process, uint64_t addr, uint64_t time);

#endif
