/*
 * The unwinder: from a sample's registers and its copy of the stack to the addresses of all
 * callers.
 *
 * Unwinding is hybrid. Where the object has CFI (see object/cfi.h) it says exactly where the caller
 * is. Where there is none, which is code that was made at run time and some assembly, the frame
 * pointer is followed, if what it leads to looks like a frame; and then CFI is used again. Tools
 * that know only CFI end at the first frame of a JIT compiler.
 *
 * Not shared between threads.
 */
#ifndef KILN_UNWIND_H
#define KILN_UNWIND_H

#include "base/diag.h"
#include "object/cfi.h"
#include "resolve/resolve.h"
#include "session/session.h"

struct unwinder;

/* machine: the recording's CPU as uname calls it; NULL: the one we run on. NULL when nothing is
 * known about that CPU. The session is borrowed. */
struct unwinder *unwinder_new(const struct session *s, const char *machine,
			      const struct resolve_options *opt);
void unwinder_free(struct unwinder *u);

struct unwind_input {
	uint32_t process;
	uint64_t time;
	uint64_t space;       /* equal numbers: equal address spaces; never 0 */
	uint64_t mask;        /* perf's, of the registers */
	const uint8_t *regs;  /* one u64 per bit of the mask */
	const uint8_t *stack; /* from the stack pointer on; NULL when there is none */
	size_t stack_size;
	/* Behind the first address, what the kernel found by frame pointers; it continues a stack
	 * whose copy ends too early. Count 0: nothing. */
	const uint64_t *chain;
	size_t chain_count;
};

enum unwind_end {
	UNWIND_WHOLE, /* the thread's first function was reached */
	UNWIND_CUT,   /* the copy of the stack ended before */
	UNWIND_LOST,  /* nothing is known about this code, or what is known leads nowhere */
};

struct unwind_result {
	const uint64_t *ips; /* innermost first; valid until the next call */
	size_t count;
	enum unwind_end end;
	object_id lost_in; /* UNWIND_LOST: where; 0: nowhere that has a name */
	bool spliced;      /* the kernel's chain was needed */
};

/* The innermost address is exact; the others lie within the call instruction, as perf has them. */
struct unwind_result unwinder_run(struct unwinder *u, const struct unwind_input *in);

/* For chains found by frame pointers, on CPUs whose calls leave the return address in a register:
 * a leaf function that has not stored it is followed by its caller's caller. True, and the address
 * of the missing caller, when that is so here. */
bool unwinder_leaf_caller(struct unwinder *u, const struct unwind_input *in, uint64_t *caller);

/* Another place to ask for CFI, where neither the object's file nor the runtime that made the code
 * has any. Addresses are those of the object. NULL: there is none. The table is borrowed. */
struct unwind_source {
	const struct cfi_table *(*find)(void *ctx, object_id object, uint64_t addr);
	void *ctx;
};
void unwinder_add_source(struct unwinder *u, const struct unwind_source *source);

/* A table that came with the recording, for the file with its build id: used when that file is not
 * to be found. Takes the bytes (heap memory, as cfi_block() gave them); before the first stack. */
void unwinder_keep(struct unwinder *u, const struct build_id *id, struct str block);

/* Says which objects had no CFI though stacks went through them. */
void unwinder_tell(const struct unwinder *u, struct diags *d);

#endif
