/* The CFI that a runtime gave with the code it made: one small table per piece of code, built when
 * a stack first goes through it. */
#ifndef KILN_UNWIND_JIT_H
#define KILN_UNWIND_JIT_H

#include "base/hash.h"
#include "object/cfi.h"
#include "resolve/jit.h"

struct unwind_jit {
	const struct jits *jits; /* NULL: there is no such code */
	const struct arch *arch;
	struct u64map known; /* object and start of a piece -> index in tables */
	VEC(struct cfi_table *) tables;
};

void unwind_jit_free(struct unwind_jit *j);

/* The rule for an address of an object, and the table it is in; NULL: its
 * runtime says nothing. */
const struct cfi_rule *unwind_jit_rule(struct unwind_jit *j, object_id object, uint64_t addr,
				       const struct cfi_table **table);

#endif
