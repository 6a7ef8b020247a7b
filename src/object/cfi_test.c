#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/cfi_block.h"
#include "object/test_cfi.h"

enum { BX = 3, BP = 6, SP = 7, RA = 16 };

static const struct cfi_save *save_of(const struct cfi_table *t, const struct cfi_rule *r, int reg)
{
	for (unsigned i = 0; i < r->save_count; i++)
		if (cfi_saves(t, r)[i].reg == reg)
			return &cfi_saves(t, r)[i];
	return NULL;
}

static void assert_cfa(const struct cfi_table *t, uint64_t addr, int kind, int reg, int value)
{
	const struct cfi_rule *r = cfi_find(t, addr);
	assert_non_null(r);
	assert_int_equal(r->cfa, kind);
	assert_int_equal(r->reg, reg);
	assert_int_equal(r->value, value);
}

static void assert_save(const struct cfi_table *t, uint64_t addr, int reg, int how, int value)
{
	const struct cfi_rule *r = cfi_find(t, addr);
	assert_non_null(r);
	const struct cfi_save *s = save_of(t, r, reg);
	if (how == CFI_UNLISTED) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_int_equal(s->how, how);
	assert_int_equal(s->value, value);
}

/* push bp; mov bp, sp; …; pop bp; ret, with a second return path */
#define USUAL                                                                                   \
	PROGRAM(0x41, 0x0e, 16, 0x86, 2,                 /* 1: CFA = sp + 16, bp at CFA - 16 */ \
		0x43, 0x0d, 6,                           /* 4: CFA = bp + 16 */                 \
		0x02, 0x20, 0x0a,                        /* 0x24: remember */                   \
		0x0c, 7, 8, 0xc6,                        /* CFA = sp + 8, bp restored */        \
		0x41, 0x0b,                              /* 0x25: as remembered */              \
		0x03, 0x10, 0x00, 0x0e, 24,              /* 0x35: CFA = bp + 24 */              \
		0x04, 1, 0, 0, 0, 0x2e, 8, 0x0, 0x83, 3, /* 0x36: bx at CFA - 24 */             \
		0x41, 0x05, 12, 4, 0x08, 3)              /* 0x37: r12 at CFA - 32, bx same */

static void usual(struct test_cfi *t, struct cfi_table *out)
{
	cfi_cie(t, &arch_x86_64, "zR", X86_START);
	cfi_fde(t, true, 0x1000, 0x40, USUAL);
	cfi_fde(t, true, 0x1080, 0x10, PROGRAM(0));
	assert_true(test_cfi_build(t, &arch_x86_64, out));
}

static void check_usual(const struct cfi_table *t)
{
	assert_null(cfi_find(t, 0xfff));
	assert_cfa(t, 0x1000, CFI_REG, SP, 8);
	assert_save(t, 0x1000, BP, CFI_UNLISTED, 0);
	assert_save(t, 0x1000, RA, CFI_AT_CFA, -8);
	assert_cfa(t, 0x1001, CFI_REG, SP, 16);
	assert_save(t, 0x1003, BP, CFI_AT_CFA, -16);
	assert_cfa(t, 0x1004, CFI_REG, BP, 16);
	assert_cfa(t, 0x1023, CFI_REG, BP, 16);
	assert_cfa(t, 0x1024, CFI_REG, SP, 8);
	assert_save(t, 0x1024, BP, CFI_UNLISTED, 0);
	assert_cfa(t, 0x1025, CFI_REG, BP, 16);
	assert_save(t, 0x1025, BP, CFI_AT_CFA, -16);
	assert_cfa(t, 0x1035, CFI_REG, BP, 24);
	assert_save(t, 0x1036, BX, CFI_AT_CFA, -24);
	assert_save(t, 0x1037, 12, CFI_AT_CFA, -32);
	assert_save(t, 0x1037, BX, CFI_UNLISTED, 0);
	assert_non_null(cfi_find(t, 0x103f));
	/* the gap */
	assert_null(cfi_find(t, 0x1040));
	assert_null(cfi_find(t, 0x107f));
	assert_cfa(t, 0x1080, CFI_REG, SP, 8);
	assert_cfa(t, 0x108f, CFI_REG, SP, 8);
	assert_null(cfi_find(t, 0x1090));
	assert_null(cfi_find(t, UINT64_MAX));
	/* The order of saves is part of the format. */
	const struct cfi_rule *r = cfi_find(t, 0x1037);
	assert_int_equal(r->save_count, 3);
	assert_int_equal(cfi_saves(t, r)[0].reg, RA);
	assert_int_equal(cfi_saves(t, r)[1].reg, BP);
	assert_int_equal(cfi_saves(t, r)[2].reg, 12);
}

static void functions(void **state)
{
	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct test_cfi t = {.debug = kind & 1, .wide = kind & 2};
		struct cfi_table table;
		out_memory(&t.o);
		usual(&t, &table);
		check_usual(&table);
		cfi_free(&table);
		(void)out_finish(&t.o);
	}
}

/* Cut anywhere, the whole entries before the cut still count, and nothing is read behind it. */
static void cut(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	out_memory(&t.o);
	usual(&t, &table);
	cfi_free(&table);
	size_t whole = t.o.n, first_end = whole - (4 + 4 + 16 + 1 + 1);
	for (size_t n = 0; n < whole; n++) {
		uint8_t *copy = mem_dup(t.o.buf, n ? n : 1);
		struct cfi_input in = {.arch = &arch_x86_64};
		in.sections[0] = (struct cfi_section){.data = {(char *)copy, n}, .eh = true};
		in.sections[1].data = STR("");
		assert_int_equal(cfi_build(&table, &in), n >= first_end);
		if (n >= first_end)
			assert_cfa(&table, 0x1004, CFI_REG, BP, 16);
		cfi_free(&table);
		free(copy);
	}
	(void)out_finish(&t.o);
}

static void overlaps(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	out_memory(&t.o);
	cfi_cie(&t, &arch_x86_64, "", X86_START);
	cfi_fde(&t, false, 0x2000, 0x100, PROGRAM(0x0e, 32));
	cfi_fde(&t, false, 0x1000, 0x8000, PROGRAM(0x0e, 16));
	cfi_fde(&t, false, 0x1000, 0x10, PROGRAM(0x0e, 48));            /* later: does not count */
	cfi_fde(&t, false, 0x3000, UINT64_MAX, PROGRAM(0x0e, 24));      /* up to the end of all */
	cfi_fde(&t, false, 0x5000, 0, PROGRAM(0x0e, 40));               /* empty */
	cfi_fde(&t, false, (uint64_t)1 << 40, 0x100, PROGRAM(0x0e, 8)); /* too far away */
	assert_true(test_cfi_build(&t, &arch_x86_64, &table));
	assert_cfa(&table, 0x1000, CFI_REG, SP, 16);
	assert_cfa(&table, 0x1fff, CFI_REG, SP, 16);
	assert_cfa(&table, 0x2000, CFI_REG, SP, 32);
	assert_null(cfi_find(&table, 0x2100));
	assert_cfa(&table, 0x3000, CFI_REG, SP, 24);
	assert_cfa(&table, 0x5000, CFI_REG, SP, 24);
	assert_cfa(&table, 0xffff0000, CFI_REG, SP, 24);
	assert_null(cfi_find(&table, (uint64_t)1 << 40));
	/* A wide gap does not make a wide index. */
	assert_true(table.page_count < 4096);
	cfi_free(&table);
	(void)out_finish(&t.o);
}

/* What cannot be understood ends its own function only. */
static void nonsense(void **state)
{
	(void)state;
	static const struct {
		struct str program;
		const char *what;
	} cases[] = {
		{{"\x41\x3f", 2}, "unknown opcode"},
		{{"\x41\x0b", 2}, "restore without remember"},
		{{"\x41\x0c\x7\xff", 4}, "number without end"},
		{{"\x41\x0c\x30\x08", 4}, "CFA in a register nobody follows"},
		{{"\x41\x0f\x80\x80\x80\x80\x80\x80\x80\x80\x40", 11}, "expression of 2^62 bytes"},
		{{"\x41\x0f\x00", 3}, "empty expression"},
		{{"\x41\x01\x00\x00\x00\x00\x00\x00\x00\x00", 10}, "set_loc backward"},
		{{"\x41\x12\x07\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 13}, "offset overflows"},
		{{"\x41\x2d", 2}, "arm64's opcode"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct test_cfi t = {0};
		struct cfi_table table;
		out_memory(&t.o);
		cfi_cie(&t, &arch_x86_64, "", X86_START);
		cfi_fde(&t, false, 0x1000, 0x10, cases[i].program);
		cfi_fde(&t, false, 0x1010, 0x10, PROGRAM(0x0e, 16));
		assert_true(test_cfi_build(&t, &arch_x86_64, &table));
		assert_cfa(&table, 0x1000, CFI_REG, SP, 8);
		if (cfi_find(&table, 0x1001))
			fail_msg("%s: not noticed", cases[i].what);
		assert_cfa(&table, 0x1010, CFI_REG, SP, 16);
		cfi_free(&table);
		(void)out_finish(&t.o);
	}
}

/* Nesting and tables have limits; a function beyond them is unknown, the next one is not. */
static void limits(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	struct out program;
	out_memory(&t.o);
	out_memory(&program);
	for (int i = 0; i < 100000; i++)
		out_char(&program, 0x0a);
	cfi_cie(&t, &arch_x86_64, "", X86_START);
	cfi_fde(&t, false, 0x1000, 0x10, out_text(&program));
	/* Each step another rule. */
	program.n = 0;
	for (unsigned i = 0; i < 100000; i++) {
		out_bytes(&program, "\x41\x0e", 2);
		for (unsigned v = i;; v >>= 7) {
			out_char(&program, (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
			if (v <= 0x7f)
				break;
		}
	}
	cfi_fde(&t, false, 0x2000, 0x40000, out_text(&program));
	assert_true(test_cfi_build(&t, &arch_x86_64, &table));
	assert_null(cfi_find(&table, 0x1008));
	assert_cfa(&table, 0x2000 + 5001, CFI_REG, SP, 5000);
	assert_true(table.block_size < 4 << 20);
	cfi_free(&table);
	(void)out_finish(&program);
	(void)out_finish(&t.o);
}

static void special(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	out_memory(&t.o);
	cfi_cie(&t, &arch_x86_64, "zR", X86_START);
	/* as ld writes it */
	cfi_fde(&t, true, 0x1000, 0x100,
		PROGRAM(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	/* a realigned stack: CFA = *(bp - 8), bx at bp - 16 */
	cfi_fde(&t, true, 0x1100, 0x100,
		PROGRAM(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 3, 2, 0x76, 0x70));
	/* others stay expressions */
	cfi_fde(&t, true, 0x1200, 0x100,
		PROGRAM(0x0f, 4, 0x76, 0, 0x23, 8, 0x10, 3, 3, 0x76, 0, 0x06, 0x16, 12, 1, 0x12));
	/* val_offset, register, undefined return address */
	cfi_fde(&t, true, 0x1300, 0x100,
		PROGRAM(0x14, 7, 2, 0x09, 3, 10, 0x07, 16, 0x11, 13, 2, 0x2f, 14, 3));
	cfi_cie(&t, &arch_x86_64, "zRS", X86_START);
	cfi_fde(&t, true, 0x2000, 0x10,
		PROGRAM(0x0f, 4, 0x77, 0xa0, 1, 6, 0x10, 16, 3, 0x77, 0xa8, 1));
	assert_true(test_cfi_build(&t, &arch_x86_64, &table));
	assert_cfa(&table, 0x1000, CFI_PLT, SP, 11);
	assert_cfa(&table, 0x1100, CFI_DEREF, BP, -8);
	assert_save(&table, 0x1100, BX, CFI_AT_REG, -16);
	assert_int_equal(save_of(&table, cfi_find(&table, 0x1100), BX)->base, BP);
	const struct cfi_rule *r = cfi_find(&table, 0x1200);
	assert_int_equal(r->cfa, CFI_EXPRESSION);
	assert_true(str_eq(cfi_expression(&table, r->value), STR("\x76\0\x23\x08")));
	assert_true(
		str_eq(cfi_expression(&table, save_of(&table, r, BX)->value), STR("\x76\0\x06")));
	assert_int_equal(save_of(&table, r, BX)->how, CFI_AT_EXPR);
	assert_int_equal(save_of(&table, r, 12)->how, CFI_IS_EXPR);
	assert_int_equal(cfi_expression(&table, -1).n, 0);
	assert_int_equal(cfi_expression(&table, (int32_t)table.expr_size - 1).n, 0);
	assert_save(&table, 0x1300, SP, CFI_CFA_PLUS, -16);
	assert_save(&table, 0x1300, BX, CFI_IN_REG, 0);
	assert_save(&table, 0x1300, RA, CFI_UNDEFINED, 0);
	assert_save(&table, 0x1300, 13, CFI_AT_CFA, -16);
	assert_save(&table, 0x1300, 14, CFI_AT_CFA, 24);
	r = cfi_find(&table, 0x2000);
	assert_int_equal(r->flags, CFI_SIGNAL);
	assert_int_equal(r->cfa, CFI_DEREF);
	assert_int_equal(r->value, 160);
	assert_save(&table, 0x2000, RA, CFI_AT_REG, 168);
	assert_int_equal(cfi_find(&table, 0x1000)->flags, 0);
	cfi_free(&table);
	(void)out_finish(&t.o);
}

static void arm64(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	out_memory(&t.o);
	cfi_cie(&t, &arch_arm64, "zRB", ARM_START);
	/* paciasp; stp x29, x30, [sp, -32]!; …; ldp; autiasp; ret. v8 is not followed. */
	cfi_fde(&t, true, 0x1000, 0x40,
		PROGRAM(0x44, 0x2d, 0x44, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x05, 72, 1, 0x5c, 0xde, 0xdd,
			0x0e, 0, 0x44, 0x2d));
	assert_true(test_cfi_build(&t, &arch_arm64, &table));
	assert_cfa(&table, 0x1000, CFI_REG, 31, 0);
	assert_int_equal(cfi_find(&table, 0x1000)->flags, 0);
	assert_int_equal(cfi_find(&table, 0x1000)->save_count, 0);
	assert_int_equal(cfi_find(&table, 0x1004)->flags, CFI_SIGNED);
	assert_cfa(&table, 0x1008, CFI_REG, 31, 32);
	assert_save(&table, 0x1008, 30, CFI_AT_CFA, -24);
	assert_save(&table, 0x1008, 29, CFI_AT_CFA, -32);
	assert_int_equal(cfi_find(&table, 0x1008)->save_count, 2);
	assert_int_equal(cfi_find(&table, 0x1024)->flags, CFI_SIGNED);
	assert_save(&table, 0x1024, 30, CFI_UNLISTED, 0);
	assert_int_equal(cfi_find(&table, 0x1028)->flags, 0);
	cfi_free(&table);
	(void)out_finish(&t.o);
}

/* Both sections: .eh_frame first, .debug_frame where it is silent; addresses through segments. */
static void two_sections(void **state)
{
	(void)state;
	struct test_cfi eh = {0}, debug = {.debug = true};
	struct cfi_table table;
	out_memory(&eh.o);
	out_memory(&debug.o);
	cfi_cie(&eh, &arch_x86_64, "", X86_START);
	cfi_fde(&eh, false, 0x401100, 0x100, PROGRAM(0x0e, 16));
	cfi_cie(&debug, &arch_x86_64, "", X86_START);
	cfi_fde(&debug, false, 0, 0x100, PROGRAM(0x0e, 80)); /* thrown away by the linker */
	cfi_fde(&debug, false, 0x401000, 0x180, PROGRAM(0x0e, 24));
	cfi_fde(&debug, false, 0x401280, 0x80, PROGRAM(0x0e, 32));
	cfi_fde(&debug, false, 0x402000, 0x80, PROGRAM(0x0e, 40)); /* no code there */
	const struct elf_load loads[] = {
		{.vaddr = 0x401000, .size = 0x300, .offset = 0x1000, .executable = true},
		{.vaddr = 0, .size = 0x10, .offset = 0x1300, .executable = true},
		{.vaddr = 0x402000, .size = 0x300, .offset = 0x2000},
	};
	struct cfi_input in = {.arch = &arch_x86_64, .loads = loads, .load_count = 3};
	in.sections[0] = (struct cfi_section){.data = out_text(&eh.o), .eh = true};
	in.sections[1] = (struct cfi_section){.data = out_text(&debug.o)};
	assert_true(cfi_build(&table, &in));
	assert_cfa(&table, 0x1000, CFI_REG, SP, 24);
	assert_cfa(&table, 0x10ff, CFI_REG, SP, 24);
	assert_cfa(&table, 0x1100, CFI_REG, SP, 16);
	assert_cfa(&table, 0x11ff, CFI_REG, SP, 16);
	assert_null(cfi_find(&table, 0x1200));
	assert_cfa(&table, 0x1280, CFI_REG, SP, 32);
	assert_null(cfi_find(&table, 0x1300));
	assert_null(cfi_find(&table, 0x2000));
	cfi_free(&table);
	(void)out_finish(&eh.o);
	(void)out_finish(&debug.o);
}

/* Relative pointers: sdata4 from their own place. */
static void pointers(void **state)
{
	(void)state;
	struct test_cfi t = {0};
	struct cfi_table table;
	out_memory(&t.o);
	size_t start = cfi_begin(&t);
	cfi_put(&t, 0, 4);
	cfi_put(&t, 1, 1);
	out_bytes(&t.o, "zPLR", 5);
	cfi_put(&t, 0x107801, 3);
	cfi_put(&t, 7, 1);
	cfi_put(&t, 0x9b, 1); /* personality: indirect, relative, 4 bytes */
	cfi_put(&t, 0x1234, 4);
	cfi_put(&t, 0x1b1b, 2);
	out_str(&t.o, X86_START);
	cfi_end(&t, start);
	start = cfi_begin(&t);
	cfi_put(&t, t.o.n, 4);
	cfi_put(&t, 0x1000 - (0x8000 + t.o.n), 4);
	cfi_put(&t, 0x20, 4);
	cfi_put(&t, 4, 1);
	cfi_put(&t, 0x55, 4); /* its table of exceptions */
	out_str(&t.o, PROGRAM(0x0e, 16));
	cfi_end(&t, start);
	struct cfi_input in = {.arch = &arch_x86_64};
	in.sections[0] = (struct cfi_section){.data = out_text(&t.o), .addr = 0x8000, .eh = true};
	in.sections[1].data = STR("");
	assert_true(cfi_build(&table, &in));
	assert_cfa(&table, 0x101f, CFI_REG, SP, 16);
	assert_null(cfi_find(&table, 0x1020));
	cfi_free(&table);
	(void)out_finish(&t.o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions), cmocka_unit_test(cut),
		cmocka_unit_test(overlaps),  cmocka_unit_test(nonsense),
		cmocka_unit_test(limits),    cmocka_unit_test(special),
		cmocka_unit_test(arm64),     cmocka_unit_test(two_sections),
		cmocka_unit_test(pointers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
