/* One stack on its way from frame to frame. */
#ifndef KILN_UNWIND_WALK_H
#define KILN_UNWIND_WALK_H

#include "object/cfi.h"
#include "resolve/unwind.h"
#include "resolve/unwind_objects.h"

/* What is known about an address of one address space. */
struct unwind_place {
	uint64_t space, addr;
	const struct cfi_table *table;
	const struct cfi_rule *rule;  /* NULL: no CFI */
	struct unwind_object *object; /* NULL: no code is mapped there */
	object_id id;
	uint64_t bias; /* address + bias is the one in the object */
};

struct unwind_walk {
	const struct arch *arch;
	uint64_t regs[32]; /* by DWARF's numbers */
	uint32_t valid;    /* bits: known */
	uint64_t pc;
	bool exact;         /* pc is where the thread was, not where a call returns to */
	bool missing;       /* memory outside of the copy was asked for */
	unsigned evaluated; /* expressions so far */
	uint64_t stack_start;
	const uint8_t *stack;
	size_t stack_size;
	const struct unwind_place *place; /* of pc */
};

enum unwind_step {
	STEP_CALLER, /* the walk is in the caller now */
	STEP_OUTERMOST,
	STEP_CUT,     /* what is needed lies behind the copy of the stack */
	STEP_NONE,    /* what is known leads nowhere */
	STEP_UNKNOWN, /* CFI needs what is not known here: the walk is where it was */
};

/* By the rule of walk->place. */
enum unwind_step unwind_step_cfi(struct unwind_walk *w);
/* By the frame pointer. */
enum unwind_step unwind_step_frame(struct unwind_walk *w);

/* Whether the instruction before a return address is a call, as far as its bytes are known: what
 * does not follow a call is no return address. `place`: of the byte before it. */
bool unwind_follows_call(const struct arch *a, const struct unwind_place *place);
/* Whether the instruction before this very place is known to be a system call. */
bool unwind_follows_syscall(const struct arch *a, const struct unwind_place *place);

#endif
