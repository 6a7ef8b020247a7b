/* Stacks made by hand, walked by tables made by hand: all code is anonymous memory, its CFI comes
 * from a source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "object/test_cfi.h"
#include "perfdata/test_maker.h"
#include "resolve/unwind.h"

#define CODE 0x10000 /* mapped up to 0x20000 */
#define SP 0x7ff000
#define WORDS 64

struct bench {
	struct session *session;
	struct unwinder *unwinder;
	struct test_cfi cfi;
	struct cfi_table table;
	uint64_t regs[33]; /* by perf's numbers */
	uint64_t stack[WORDS];
	uint64_t chain[16];
	struct unwind_input in;
};

static const struct cfi_table *find_table(void *ctx, object_id object, uint64_t addr)
{
	const struct bench *b = ctx;
	assert_true(object.v != 0);
	assert_in_range(addr, CODE, CODE + 0xffff);
	return &b->table;
}

static struct session *make_session(void)
{
	struct session *s = session_new();
	struct maker m;
	mk_init(&m, false);
	mk_u32(&m, 42);
	mk_u32(&m, 42);
	mk_u64(&m, CODE);
	mk_u64(&m, 0x10000);
	mk_u64(&m, 0);
	mk_u64(&m, 0);
	mk_u64(&m, 0);
	mk_u64(&m, 0);
	mk_u32(&m, PROT_READ | PROT_EXEC);
	mk_u32(&m, 0);
	mk_text(&m, "//anon", 8);
	struct record r = mk_view(&m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	struct diags d = {0};
	session_apply(s, &r, &(struct sample_id){.pid = 42, .tid = 42, .time = 1}, &d);
	(void)out_finish(&m.o);
	session_seal(s);
	return s;
}

static void begin(struct bench *b, const struct arch *arch)
{
	*b = (struct bench){0};
	b->session = make_session();
	struct resolve_options opt = {0};
	b->unwinder = unwinder_new(b->session, arch->name, &opt);
	out_memory(&b->cfi.o);
	b->in = (struct unwind_input){
		.process = session_who_at(b->session, 42, 42, 100).process,
		.time = 100,
		.space = 1,
		.mask = arch == &arch_arm64 ? 0x1ffffffff : 0xff0fff,
		.regs = (const uint8_t *)b->regs,
		.stack = (const uint8_t *)b->stack,
		.stack_size = sizeof b->stack,
		.chain = b->chain,
	};
	for (size_t i = 0; i < WORDS; i++)
		b->stack[i] = 0xdead0000 + i;
	b->regs[arch->reg_sp] = SP;
}

/* The functions are all written. */
static void ready(struct bench *b, const struct arch *arch)
{
	if (test_cfi_build(&b->cfi, arch, &b->table))
		unwinder_add_source(b->unwinder, &(struct unwind_source){find_table, b});
}

static void end(struct bench *b)
{
	unwinder_free(b->unwinder);
	session_free(b->session);
	cfi_free(&b->table);
	(void)out_finish(&b->cfi.o);
}

#define assert_stack(b, how, ...)                                                \
	do {                                                                     \
		const uint64_t want_[] = {__VA_ARGS__};                          \
		struct unwind_result r_ = unwinder_run((b)->unwinder, &(b)->in); \
		assert_int_equal(r_.count, ARRAY_LEN(want_));                    \
		for (size_t i_ = 0; i_ < r_.count; i_++)                         \
			assert_int_equal(r_.ips[i_], want_[i_]);                 \
		assert_int_equal(r_.end, how);                                   \
	} while (0)

/* Where perf keeps these. */
enum { BP = 6, IP = 8 };

/* A: CFA = sp + 24, bp at CFA - 16. B: CFA = bp + 16, bp at CFA - 16. C: outermost. */
static void three_functions(struct bench *b)
{
	cfi_cie(&b->cfi, &arch_x86_64, "", X86_START);
	cfi_fde(&b->cfi, false, 0x11000, 0x100, PROGRAM(0x0e, 24, 0x86, 2));
	cfi_fde(&b->cfi, false, 0x12000, 0x100, PROGRAM(0x0c, 6, 16, 0x86, 2));
	cfi_fde(&b->cfi, false, 0x13000, 0x100, PROGRAM(0x07, 16));
	ready(b, &arch_x86_64);
	b->regs[IP] = 0x11010;
	b->stack[1] = SP + 48; /* B's frame pointer */
	b->stack[2] = 0x12020; /* A returns to B */
	b->stack[6] = 0;
	b->stack[7] = 0x13100; /* B returns to C: behind its last instruction */
}

static void plain(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	three_functions(&b);
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f, 0x130ff);
	/* Again, from what was remembered. */
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f, 0x130ff);
	/* A return address of 0 is an end, too. */
	b.stack[7] = 0;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f);
	/* One that is in no mapping is no caller. */
	b.stack[7] = 0x999999;
	assert_stack(&b, UNWIND_LOST, 0x11010, 0x1201f);
	/* Callers cannot be below. */
	b.stack[7] = 0x13100;
	b.stack[1] = SP - 64;
	assert_stack(&b, UNWIND_LOST, 0x11010, 0x1201f);
	/* Registers were not recorded. */
	b.in.mask = 0;
	assert_int_equal(unwinder_run(b.unwinder, &b.in).count, 0);
	end(&b);
}

static void cut(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	three_functions(&b);
	for (size_t size = 0; size < 8 * sizeof *b.stack; size++) {
		b.in.stack_size = size;
		if (size < 24)
			assert_stack(&b, UNWIND_CUT, 0x11010);
		else
			assert_stack(&b, UNWIND_CUT, 0x11010, 0x1201f);
	}
	/* The kernel's chain continues it: behind the caller that both know … */
	b.chain[0] = 0x11010;
	b.chain[1] = 0x12020;
	b.chain[2] = 0x13050;
	b.chain[3] = 0x13060;
	b.in.chain_count = 4;
	assert_stack(&b, UNWIND_CUT, 0x11010, 0x1201f, 0x1304f, 0x1305f);
	/* … or from its start, when the copy ended before. */
	b.in.stack_size = 8;
	assert_stack(&b, UNWIND_CUT, 0x11010, 0x1201f, 0x1304f, 0x1305f);
	b.in.stack_size = sizeof b.stack;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f, 0x130ff);
	end(&b);
}

/* CFI, then two frames without, then CFI again. */
static void hybrid(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	three_functions(&b);
	b.stack[1] = SP + 48;
	b.stack[2] = 0x18010; /* no CFI there */
	b.stack[6] = SP + 80;
	b.stack[7] = 0x18020;
	b.stack[10] = SP + 128;
	b.stack[11] = 0x12030;
	b.stack[16] = 0;
	b.stack[17] = 0x13010;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1800f, 0x1801f, 0x1202f, 0x1300f);
	/* A frame pointer of 0 ends the stack. */
	b.stack[10] = 0;
	b.stack[11] = 0x18030;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1800f, 0x1801f, 0x1802f);
	/* What is no frame pointer is not followed. */
	b.stack[10] = SP + 3;
	assert_stack(&b, UNWIND_LOST, 0x11010, 0x1800f, 0x1801f, 0x1802f);
	b.stack[10] = 0x12345678;
	assert_stack(&b, UNWIND_LOST, 0x11010, 0x1800f, 0x1801f, 0x1802f);
	b.stack[10] = SP + 4096;
	assert_stack(&b, UNWIND_CUT, 0x11010, 0x1800f, 0x1801f, 0x1802f);
	end(&b);
}

/* The innermost function has no CFI, and no frame yet: its return address is on top. */
static void bare(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	three_functions(&b);
	b.regs[IP] = 0x18000;
	b.regs[BP] = SP + 48;
	b.stack[0] = 0x12010;
	assert_stack(&b, UNWIND_WHOLE, 0x18000, 0x1200f, 0x130ff);
	/* It has pushed the frame pointer. */
	b.stack[0] = SP + 48;
	b.stack[1] = 0x12010;
	assert_stack(&b, UNWIND_WHOLE, 0x18000, 0x1200f, 0x130ff);
	/* Its frame is there. */
	b.stack[0] = 1;
	assert_stack(&b, UNWIND_WHOLE, 0x18000, 0x130ff);
	end(&b);
}

/* About to return: what was saved below sp is in its register again. */
static void epilogue(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	cfi_cie(&b.cfi, &arch_x86_64, "", X86_START);
	cfi_fde(&b.cfi, false, 0x11000, 0x100, PROGRAM(0x0e, 8, 0x86, 2));
	cfi_fde(&b.cfi, false, 0x12000, 0x100, PROGRAM(0x0c, 6, 16, 0x86, 2));
	cfi_fde(&b.cfi, false, 0x13000, 0x100, PROGRAM(0x07, 16));
	ready(&b, &arch_x86_64);
	b.regs[IP] = 0x11010;
	b.regs[BP] = SP + 48;
	b.stack[0] = 0x12020;
	b.stack[7] = 0x13010;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f, 0x1300f);
	end(&b);
}

/* A handler returns to code that restores all registers from memory: exact, whatever they hold. */
static void signals(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	cfi_cie(&b.cfi, &arch_x86_64, "", X86_START);
	cfi_fde(&b.cfi, false, 0x11000, 0x100, PROGRAM(0x0e, 16));
	/* interrupted at its first instruction; CFA = r10, from a register calls do not keep */
	cfi_fde(&b.cfi, false, 0x12000, 0x100, PROGRAM(0x0c, 10, 8, 0x41, 0x0c, 7, 64));
	cfi_fde(&b.cfi, false, 0x13000, 0x100, PROGRAM(0x07, 16));
	cfi_cie(&b.cfi, &arch_x86_64, "zRS", X86_START);
	cfi_fde(&b.cfi, true, 0x14fff, 0x11,
		PROGRAM(0x0f, 3, 0x77, 16, 6,   /* CFA = *(sp + 16) */
			0x10, 16, 2, 0x77, 24,  /* pc at sp + 24 */
			0x10, 10, 2, 0x77, 32,  /* r10 at sp + 32 */
			0x10, 7, 2, 0x77, 16)); /* sp at sp + 16 */
	ready(&b, &arch_x86_64);
	b.regs[IP] = 0x11010;
	b.stack[1] = 0x15000;      /* the handler's return address */
	b.stack[2 + 2] = SP + 240; /* sp */
	b.stack[2 + 3] = 0x12000;  /* pc */
	b.stack[2 + 4] = SP + 80;  /* r10 */
	b.stack[10] = 0x13010;
	/* the interrupted function's frame is below its sp: no matter, r10 says */
	b.stack[2 + 2] = SP + 72;
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x15000, 0x12000, 0x1300f);
	end(&b);
}

/* Expressions, and constants of no known place. */
static void expressions(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	cfi_cie(&b.cfi, &arch_x86_64, "", X86_START);
	/* CFA = sp + 8 * 2 + 8; return address at CFA - 4 - 4; bx = 5 */
	cfi_fde(&b.cfi, false, 0x11000, 0x100,
		PROGRAM(0x0f, 7, 0x77, 0, 0x38, 0x32, 0x1e, 0x22, 0x96, 0x10, 16, 2, 0x38, 0x1c,
			0x16, 3, 1, 0x35));
	/* CFA = sp + bx + 3 */
	cfi_fde(&b.cfi, false, 0x12000, 0x100, PROGRAM(0x0f, 7, 0x77, 0, 0x73, 0, 0x22, 0x23, 3));
	/* CFA: reads memory that nobody has */
	cfi_fde(&b.cfi, false, 0x13000, 0x100, PROGRAM(0x0f, 3, 0x08, 1, 0x06));
	/* without end */
	cfi_fde(&b.cfi, false, 0x14000, 0x100, PROGRAM(0x0f, 3, 0x2f, 0xfd, 0xff));
	ready(&b, &arch_x86_64);
	b.regs[IP] = 0x11010;
	b.regs[BP] = 1; /* no frame pointer */
	b.stack[1] = 0x12010;
	b.stack[2] = 0x13010;
	assert_stack(&b, UNWIND_CUT, 0x11010, 0x1200f, 0x1300f);
	b.stack[2] = 0x14010;
	assert_stack(&b, UNWIND_LOST, 0x11010, 0x1200f, 0x1400f);
	end(&b);
}

/* arm64: x29 and x30 on the stack, the return address signed; leaves that store nothing. */
static void arm64(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_arm64);
	cfi_cie(&b.cfi, &arch_arm64, "", ARM_START);
	cfi_fde(&b.cfi, false, 0x11000, 0x100, PROGRAM(0)); /* a leaf */
	cfi_fde(&b.cfi, false, 0x12000, 0x100, PROGRAM(0x2d, 0x0e, 32, 0x9d, 4, 0x9e, 3));
	cfi_fde(&b.cfi, false, 0x13000, 0x100, PROGRAM(0x07, 30));
	ready(&b, &arch_arm64);
	b.regs[32] = 0x11010;
	b.regs[30] = 0x12020;
	b.stack[0] = SP + 64;
	b.stack[1] = 0x00bf000000013020; /* its signature on top */
	assert_stack(&b, UNWIND_WHOLE, 0x11010, 0x1201f, 0x1301f);
	/* A leaf that calls itself for ever. */
	b.regs[30] = 0x11010;
	assert_stack(&b, UNWIND_LOST, 0x11010);
	/* Frame pointers only, and registers: the leaf's caller is known. */
	b.regs[30] = 0x0012000000012020;
	b.in.stack = NULL;
	b.in.stack_size = 0;
	uint64_t caller = 0;
	assert_true(unwinder_leaf_caller(b.unwinder, &b.in, &caller));
	assert_int_equal(caller, 0x12020);
	b.regs[32] = 0x12010; /* has stored it */
	assert_false(unwinder_leaf_caller(b.unwinder, &b.in, &caller));
	b.regs[32] = 0x18010; /* nothing is known */
	assert_false(unwinder_leaf_caller(b.unwinder, &b.in, &caller));
	end(&b);
}

/* A stack that is a circle of frames ends all the same. */
static void endless(void **state)
{
	(void)state;
	struct bench b;
	begin(&b, &arch_x86_64);
	three_functions(&b);
	cfi_free(&b.table);
	cfi_cie(&b.cfi, &arch_x86_64, "zRS", X86_START);
	/* "signal frames" may go anywhere: back to the same sp, for ever */
	cfi_fde(&b.cfi, true, 0x16000, 0x100, PROGRAM(0x0c, 7, 0, 0x80 | 16, 0));
	assert_true(test_cfi_build(&b.cfi, &arch_x86_64, &b.table));
	b.regs[IP] = 0x16010;
	b.stack[0] = 0x16010;
	struct unwind_result r = unwinder_run(b.unwinder, &b.in);
	assert_int_equal(r.end, UNWIND_CUT);
	assert_in_range(r.count, 100, 10000);
	end(&b);
}

static void no_such_cpu(void **state)
{
	(void)state;
	struct session *s = make_session();
	struct resolve_options opt = {0};
	assert_null(unwinder_new(s, "vax", &opt));
	unwinder_free(NULL);
	session_free(s);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),       cmocka_unit_test(cut),
		cmocka_unit_test(hybrid),      cmocka_unit_test(bare),
		cmocka_unit_test(epilogue),    cmocka_unit_test(signals),
		cmocka_unit_test(expressions), cmocka_unit_test(arm64),
		cmocka_unit_test(endless),     cmocka_unit_test(no_such_cpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
