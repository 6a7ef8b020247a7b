/* vmlinux and modules, made up and packed in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>
#if KILN_HAVE_LZMA
#include <lzma.h>
#endif

#include "object/object.h"
#include "object/test_elf.h"

#define KERNEL 0xffffffff81000000u

static const struct build_id id_one = {20, {0xab, 0xcd}};
static const struct build_id id_two = {20, {0x12, 0x34}};
static const struct build_id no_id = {0};

static void put_file(char *path, const void *p, size_t n)
{
	strcpy(path, "/tmp/kiln-kernel-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), (ssize_t)n);
	close(fd);
}

static void vmlinux(void **state)
{
	(void)state;
	struct test_symbol syms[] = {
		{"_stext", KERNEL + 0x100, 0, STB_GLOBAL, STT_NOTYPE},
		{"_text", KERNEL, 0, STB_GLOBAL, STT_NOTYPE},
		{"_RNvC6_123foo3bar", KERNEL + 0x200, 0x40, STB_GLOBAL, STT_FUNC},
	};
	struct test_elf e = {.type = ET_EXEC,
			     .vaddr = KERNEL,
			     .offset = 0x200000,
			     .syms = syms,
			     .sym_count = ARRAY_LEN(syms),
			     .id = id_one};
	struct out o;
	char path[64];
	struct symtab t;
	struct err err = {0};
	uint64_t text;
	test_elf_write(&e, &o);
	put_file(path, o.buf, o.n);
	(void)out_finish(&o);
	for (int known = 0; known < 2; known++) {
		assert_true(symtab_load_vmlinux(&t, path, known ? &id_one : &no_id, &text, &err));
		assert_int_equal(text, KERNEL);
		assert_string_equal(symtab_find(&t, KERNEL + 0x23f)->name, "_RNvC6_123foo3bar");
		assert_false(t.mangled);
		symtab_free(&t);
	}
	assert_false(symtab_load_vmlinux(&t, path, &id_two, &text, &err));
	assert_non_null(strstr(err.text, "another build"));
	symtab_free(&t);
	assert_false(symtab_load_vmlinux(&t, "/proc/self/maps", &no_id, &text, &err));
	symtab_free(&t);
	unlink(path);
}

static size_t pack(int how, const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
	if (how == 1)
		return ZSTD_compress(out, room, in, n, 3);
	if (how == 2) {
		z_stream z = {.next_in = (Bytef *)(uintptr_t)in,
			      .avail_in = (uInt)n,
			      .next_out = out,
			      .avail_out = (uInt)room};
		assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		deflateEnd(&z);
		return z.total_out;
	}
#if KILN_HAVE_LZMA
	size_t made = 0;
	if (how == 3) {
		assert_int_equal(
			lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, in, n, out, &made, room),
			LZMA_OK);
		return made;
	}
#endif
	memcpy(out, in, n);
	return n;
}

static void modules(void **state)
{
	(void)state;
	struct test_symbol syms[] = {
		{"work", 0x20, 0x10, STB_LOCAL, STT_FUNC},
		{"elsewhere", 0x20, 0x10, STB_LOCAL, STT_FUNC, .section = TEST_OTHER},
	};
	struct test_elf e = {
		.type = ET_REL, .syms = syms, .sym_count = ARRAY_LEN(syms), .id = id_one};
	struct out o;
	test_elf_write(&e, &o);
	for (int how = 0; how < 4; how++) {
		uint8_t packed[8192];
		char path[64];
		struct symtab t;
		struct err err = {0};
		put_file(path, packed, pack(how, (uint8_t *)o.buf, o.n, packed, sizeof packed));
		assert_true(symtab_load_module(&t, path, &id_one, 0xffffffffc0000000, &err));
		assert_int_equal(t.syms.n, 1);
		assert_string_equal(symtab_find(&t, 0xffffffffc0000025)->name, "work");
		symtab_free(&t);
		assert_false(symtab_load_module(&t, path, &id_two, 0, &err));
		assert_non_null(strstr(err.text, "another build"));
		symtab_free(&t);
		unlink(path);
	}
	(void)out_finish(&o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {cmocka_unit_test(vmlinux), cmocka_unit_test(modules)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
