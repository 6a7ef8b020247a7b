/* Which symbols of an ELF file count, where they lie, and which of several wins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "object/object.h"
#include "object/test_elf.h"

#define GLOBAL_FUNC(name, value, size)                  \
	{                                               \
		name, value, size, STB_GLOBAL, STT_FUNC \
	}
#define LOCAL_FUNC(name, value, size)                  \
	{                                              \
		name, value, size, STB_LOCAL, STT_FUNC \
	}

static void load(const struct test_elf *e, struct symtab *t)
{
	struct out o;
	struct err err = {0};
	test_elf_write(e, &o);
	if (!symtab_load_image(t, o.buf, o.n, &err))
		fail_msg("%s", err.text);
	(void)out_finish(&o);
}

static void assert_found(const struct symtab *t, uint64_t addr, const char *name, uint64_t offset)
{
	const struct symbol *s = symtab_find(t, addr);
	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_string_equal(s->name, name);
	assert_int_equal(addr - s->start, offset);
}

/* Addresses become file offsets by the segment, in every class and byte order. */
static void classes_and_orders(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {
		GLOBAL_FUNC("first", 0x401000, 0x20),
		GLOBAL_FUNC("second", 0x401040, 0x10),
	};
	for (int i = 0; i < 4; i++) {
		struct test_elf e = {.is32 = i & 1, .big = i & 2, .syms = syms, .sym_count = 2};
		e.vaddr = 0x401000;
		e.offset = 0x1000;
		e.id = (struct build_id){4, {1, 2, 3, 4}};
		struct symtab t;
		load(&e, &t);
		assert_int_equal(t.syms.n, 2);
		assert_found(&t, 0xfff, NULL, 0);
		assert_found(&t, 0x1000, "first", 0);
		assert_found(&t, 0x101f, "first", 0x1f);
		assert_found(&t, 0x1020, NULL, 0);
		assert_found(&t, 0x1045, "second", 5);
		assert_true(build_id_eq(&t.build_id, &e.id));
		assert_true(t.mangled);
		symtab_free(&t);
	}
}

/* Outside of every segment the section says how far address and offset are apart. */
static void no_segment(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {GLOBAL_FUNC("jit", 0x99000000, 0x20)};
	struct test_elf e = {.syms = syms, .sym_count = 1, .vaddr = 0x5000, .offset = 0x40};
	struct symtab t;
	load(&e, &t);
	assert_found(&t, 0x99000000 - 0x5000 + 0x40, "jit", 0);
	symtab_free(&t);
}

static void which_count(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {
		{"file.c", 0, 0, STB_LOCAL, STT_FILE, 0, SHN_ABS},
		{"section", 0x110, 8, STB_LOCAL, STT_SECTION},
		{"tls", 0x120, 8, STB_GLOBAL, STT_TLS},
		{"absolute", 0x130, 8, STB_GLOBAL, STT_FUNC, 0, SHN_ABS},
		{"undefined", 0x140, 8, STB_GLOBAL, STT_FUNC, 0, 0xfff0},
		{"hidden_label", 0x150, 8, STB_LOCAL, STT_NOTYPE, STV_HIDDEN},
		{"label_elsewhere", 0x160, 8, STB_LOCAL, STT_NOTYPE, 0, TEST_OTHER},
		{"not_loaded", 0x170, 8, STB_GLOBAL, STT_FUNC, 0, TEST_STRTAB},
		{"label", 0x200, 8, STB_LOCAL, STT_NOTYPE},
		{"data_label", 0x210, 8, STB_LOCAL, STT_NOTYPE, 0, TEST_DATA},
		{"object", 0x220, 8, STB_GLOBAL, STT_OBJECT, 0, TEST_DATA},
		{"ifunc", 0x230, 8, STB_GLOBAL, STT_GNU_IFUNC},
		{"hidden_function", 0x240, 8, STB_LOCAL, STT_FUNC, STV_HIDDEN},
		{"in_init", 0x250, 8, STB_LOCAL, STT_FUNC, 0, TEST_OTHER},
	};
	struct test_elf e = {.syms = syms, .sym_count = ARRAY_LEN(syms)};
	struct symtab t;
	load(&e, &t);
	assert_int_equal(t.syms.n, 6);
	for (size_t i = ARRAY_LEN(syms) - 6; i < ARRAY_LEN(syms); i++)
		assert_found(&t, syms[i].value + 1, syms[i].name, 1);
	symtab_free(&t);
}

static void mapping_symbols(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {{"$x", 0x100, 0, STB_LOCAL, STT_NOTYPE},
						  {"$d.12", 0x110, 0, STB_LOCAL, STT_NOTYPE},
						  {"$foo", 0x120, 4, STB_LOCAL, STT_FUNC},
						  LOCAL_FUNC("plain", 0x100, 0x10)};
	struct test_elf e = {.syms = syms, .sym_count = ARRAY_LEN(syms), .machine = EM_AARCH64};
	struct symtab t;
	load(&e, &t);
	assert_int_equal(t.syms.n, 2);
	assert_found(&t, 0x100, "plain", 0);
	assert_found(&t, 0x110, NULL, 0);
	assert_found(&t, 0x120, "$foo", 0);
	symtab_free(&t);
	/* Elsewhere they are names like others. */
	e.machine = EM_X86_64;
	load(&e, &t);
	assert_found(&t, 0x110, "$d.12", 0);
	symtab_free(&t);
}

/* Without a size a symbol reaches to the next one; the last one to the page behind its own. */
static void sizes_filled_in(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {
		GLOBAL_FUNC("last", 0x900, 0), GLOBAL_FUNC("asm_a", 0x100, 0),
		GLOBAL_FUNC("sized", 0x200, 0x10), GLOBAL_FUNC("asm_b", 0x300, 0)};
	struct test_elf e = {.syms = syms, .sym_count = ARRAY_LEN(syms)};
	struct symtab t;
	load(&e, &t);
	assert_found(&t, 0x1ff, "asm_a", 0xff);
	assert_found(&t, 0x20f, "sized", 0xf);
	assert_found(&t, 0x210, NULL, 0);
	assert_found(&t, 0x8ff, "asm_b", 0x5ff);
	assert_found(&t, 0x1fff, "last", 0x16ff);
	assert_found(&t, 0x2000, NULL, 0);
	symtab_free(&t);
}

/* .dynsym only adds what .symtab lacks, or names better. */
static void dynamic_symbols(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {LOCAL_FUNC("__local_name", 0x100, 0x10),
						  GLOBAL_FUNC("same@@V1", 0x200, 0x10)};
	static const struct test_symbol dynsyms[] = {GLOBAL_FUNC("exported", 0x100, 0x10),
						     GLOBAL_FUNC("same", 0x200, 0x10),
						     GLOBAL_FUNC("only_dynamic", 0x300, 0x10)};
	struct test_elf e = {.syms = syms, .sym_count = 2, .dynsyms = dynsyms, .dynsym_count = 3};
	struct symtab t;
	load(&e, &t);
	assert_found(&t, 0x100, "exported", 0);
	assert_found(&t, 0x200, "same@@V1", 0);
	assert_found(&t, 0x300, "only_dynamic", 0);
	symtab_free(&t);
}

static void plt(void **state)
{
	(void)state;
	static const struct test_symbol dynsyms[] = {
		{"puts", 0, 0, STB_GLOBAL, STT_FUNC, 0, 0xfff0},
		{"_Z3foov", 0, 0, STB_GLOBAL, STT_FUNC, 0, 0xfff0},
		GLOBAL_FUNC("here", 0x100, 0x10),
	};
	struct test_elf e = {.dynsyms = dynsyms, .dynsym_count = 3, .plt_relocs = 2};
	struct symtab t;
	load(&e, &t);
	/* x86-64: a header as large as an entry. */
	assert_found(&t, 0x805, NULL, 0);
	assert_found(&t, 0x810, "puts@plt", 0);
	assert_found(&t, 0x82f, "_Z3foov@plt", 0xf);
	assert_found(&t, 0x830, NULL, 0);
	symtab_free(&t);
	/* arm64: 32 bytes, then 16 each. */
	e.machine = EM_AARCH64;
	load(&e, &t);
	assert_found(&t, 0x81f, NULL, 0);
	assert_found(&t, 0x820, "puts@plt", 0);
	symtab_free(&t);
}

static void not_elf(void **state)
{
	(void)state;
	struct symtab t;
	struct err err = {0};
	assert_false(symtab_load_image(&t, "#!/bin/sh\n", 10, &err));
	assert_true(strstr(err.text, "not an ELF") != NULL);
	symtab_free(&t);
	assert_false(symtab_load_image(&t, "", 0, &err));
	symtab_free(&t);
}

/* Cut anywhere, and with any single byte changed: an answer or an error, never more. */
static void damaged(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {GLOBAL_FUNC("a", 0x100, 0x10),
						  GLOBAL_FUNC("b", 0x108, 0x40),
						  GLOBAL_FUNC("c", 0x110, 0)};
	struct test_elf e = {.syms = syms, .sym_count = 3, .dynsyms = syms, .dynsym_count = 3};
	e.plt_relocs = 2;
	struct out o;
	test_elf_write(&e, &o);
	for (size_t cut = 0; cut < o.n; cut++) {
		struct symtab t;
		(void)!symtab_load_image(&t, o.buf, cut, NULL);
		symtab_free(&t);
	}
	for (size_t i = 0; i < o.n; i++) {
		char was = o.buf[i];
		for (int change = 0; change < 3; change++) {
			struct symtab t;
			o.buf[i] = (char)(change == 0 ? 0xff : change == 1 ? 0x80 : was + 1);
			if (symtab_load_image(&t, o.buf, o.n, NULL))
				(void)symtab_find(&t, 0x108);
			symtab_free(&t);
		}
		o.buf[i] = was;
	}
	(void)out_finish(&o);
}

static struct mapped map_of(const void *p, size_t n)
{
	void *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(copy, MAP_FAILED);
	memcpy(copy, p, n);
	return (struct mapped){.p = copy, .n = n};
}

/* What is kept of a file has the same symbols, and nothing of its code. */
static void detached(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {GLOBAL_FUNC("first", 0x401000, 0x20),
						  LOCAL_FUNC("second", 0x401040, 0x10)};
	static const struct test_symbol dynsyms[] = {GLOBAL_FUNC("imported", 0, 0)};
	for (int i = 0; i < 4; i++) {
		struct test_elf e = {.is32 = i & 1,
				     .big = i & 2,
				     .machine = EM_X86_64,
				     .syms = syms,
				     .sym_count = 2,
				     .dynsyms = dynsyms,
				     .dynsym_count = 1,
				     .plt_relocs = 1,
				     .vaddr = 0x401000,
				     .offset = 0x1000,
				     .id = {4, {1, 2, 3, 4}}};
		struct out o;
		struct symtab whole, kept;
		test_elf_write(&e, &o);
		struct mapped file = map_of(o.buf, o.n);
		assert_true(object_detach(&file));
		assert_int_equal(file.n, o.n);
		assert_true(symtab_load_image(&whole, o.buf, o.n, NULL));
		assert_true(symtab_load_image(&kept, file.p, file.n, NULL));
		assert_int_equal(kept.syms.n, whole.syms.n);
		for (size_t k = 0; k < whole.syms.n; k++) {
			assert_string_equal(kept.syms.v[k].name, whole.syms.v[k].name);
			assert_int_equal(kept.syms.v[k].start, whole.syms.v[k].start);
		}
		assert_true(build_id_eq(&kept.build_id, &whole.build_id));
		symtab_free(&whole);
		symtab_free(&kept);
		file_unmap(&file);
		(void)out_finish(&o);
	}
	struct mapped text = map_of("no ELF file", 11);
	assert_false(object_detach(&text));
	assert_non_null(text.p);
	file_unmap(&text);
}

/* Damaged files are copied in part or not at all. */
static void detached_damaged(void **state)
{
	(void)state;
	static const struct test_symbol syms[] = {GLOBAL_FUNC("first", 0x100, 0x20)};
	struct test_elf e = {.syms = syms, .sym_count = 1};
	struct out o;
	test_elf_write(&e, &o);
	/* The header, and the table of sections at the end. */
	for (size_t i = 0; i < o.n;
	     i = i == 63 ? o.n - MIN(o.n, (size_t)TEST_SECTIONS * 64) : i + 1) {
		char was = o.buf[i];
		o.buf[i] = (char)(was ^ 0xff);
		struct mapped file = map_of(o.buf, o.n);
		(void)object_detach(&file);
		file_unmap(&file);
		o.buf[i] = was;
	}
	(void)out_finish(&o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_and_orders),
		cmocka_unit_test(no_segment),
		cmocka_unit_test(which_count),
		cmocka_unit_test(mapping_symbols),
		cmocka_unit_test(sizes_filled_in),
		cmocka_unit_test(dynamic_symbols),
		cmocka_unit_test(plt),
		cmocka_unit_test(not_elf),
		cmocka_unit_test(damaged),
		cmocka_unit_test(detached),
		cmocka_unit_test(detached_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
