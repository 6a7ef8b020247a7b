/* Compressed bytes come out as they went in; damage and too much of it do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>
#if KILN_HAVE_LZMA
#include <lzma.h>
#endif

#include "object/elf_file.h"
#include "object/test_elf.h"
#include "object/unpack.h"

#define TEXT_SIZE 300000

static char *make_text(void)
{
	char *text = malloc(TEXT_SIZE);
	uint32_t x = 1;
	for (size_t i = 0; i < TEXT_SIZE; i++) {
		x = x * 1664525 + 1013904223;
		text[i] = (char)('a' + (x >> 28));
	}
	return text;
}

static struct str pack(enum packing how, struct str in)
{
	size_t room = in.n + 1000;
	char *out = malloc(room);
	size_t n = 0;
	if (how == PACKED_ZLIB || how == PACKED_GZIP) {
		z_stream z = {0};
		assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, how == PACKED_GZIP ? 31 : 15, 8,
					      Z_DEFAULT_STRATEGY),
				 Z_OK);
		z.next_in = (Bytef *)(uintptr_t)in.p;
		z.avail_in = (uInt)in.n;
		z.next_out = (Bytef *)out;
		z.avail_out = (uInt)room;
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		n = z.total_out;
		deflateEnd(&z);
	} else if (how == PACKED_ZSTD) {
		n = ZSTD_compress(out, room, in.p, in.n, 3);
	} else {
#if KILN_HAVE_LZMA
		assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL,
							 (const uint8_t *)in.p, in.n,
							 (uint8_t *)out, &n, room),
				 LZMA_OK);
#endif
	}
	return str_make(out, n);
}

static void every_packing(void **state)
{
	(void)state;
	char *text = make_text();
	enum packing last = KILN_HAVE_LZMA ? PACKED_XZ : PACKED_ZSTD;
	for (enum packing how = PACKED_ZLIB; how <= last; how++) {
		struct str packed = pack(how, str_make(text, TEXT_SIZE));
		struct mapped out;
		assert_true(unpack(how, packed, TEXT_SIZE, &out));
		assert_int_equal(out.n, TEXT_SIZE);
		assert_memory_equal(out.p, text, TEXT_SIZE);
		file_unmap(&out);
		assert_true(unpack(how, packed, TEXT_SIZE * 20, &out));
		assert_int_equal(out.n, TEXT_SIZE);
		file_unmap(&out);

		assert_false(unpack(how, packed, TEXT_SIZE - 1, &out));
		assert_false(unpack(how, str_make(packed.p, packed.n / 2), TEXT_SIZE, &out));
		assert_false(unpack(how, str_make(packed.p, 0), TEXT_SIZE, &out));
		assert_null(out.p);
		enum packing found = PACKED_ZLIB;
		assert_int_equal(packing_of(packed, &found), how != PACKED_ZLIB);
		assert_int_equal(found, how);
		free((void *)packed.p);
	}
	free(text);
}

/* A header of the size's own byte order in front of packed bytes. */
static struct str with_header(const struct test_elf *e, const char *magic, uint32_t type,
			      uint64_t size, struct str packed, struct out *o)
{
	out_memory(o);
	if (magic) {
		out_cstr(o, magic);
		put(&(struct test_elf){.big = true}, o, size, 8);
	} else {
		put(e, o, type, 4);
		if (!e->is32)
			put(e, o, 0, 4);
		put_word(e, o, size);
		put_word(e, o, 1);
	}
	out_str(o, packed);
	return out_text(o);
}

static bool section_gives(struct test_elf *e, struct str bytes, struct str expected)
{
	struct out file;
	struct elf_file f;
	struct elf_section s;
	struct mapped made;
	struct str found;
	e->extra = bytes;
	test_elf_write(e, &file);
	assert_true(elf_open(&f, file.buf, file.n));
	assert_true(elf_section_find(&f, e->extra_name, &s) != 0);
	bool ok = elf_section_unpack(&f, &s, &made, &found);
	if (ok)
		assert_true(str_eq(found, expected));
	file_unmap(&made);
	(void)out_finish(&file);
	return ok;
}

static void sections(void **state)
{
	(void)state;
	char *text = make_text();
	struct str whole = str_make(text, TEXT_SIZE);
	struct str zlib = pack(PACKED_ZLIB, whole), zstd = pack(PACKED_ZSTD, whole);
	struct out o;
	for (int kind = 0; kind < 4; kind++) {
		struct test_elf e = {.is32 = kind & 1,
				     .big = kind & 2,
				     .extra_name = ".debug_info",
				     .extra_flags = SHF_COMPRESSED};
		assert_true(
			section_gives(&e, with_header(&e, NULL, 1, TEXT_SIZE, zlib, &o), whole));
		(void)out_finish(&o);
		assert_true(
			section_gives(&e, with_header(&e, NULL, 2, TEXT_SIZE, zstd, &o), whole));
		(void)out_finish(&o);
		/* another kind of compression; a size that is not true; one that cannot be */
		assert_false(
			section_gives(&e, with_header(&e, NULL, 3, TEXT_SIZE, zlib, &o), whole));
		(void)out_finish(&o);
		assert_false(section_gives(&e, with_header(&e, NULL, 1, TEXT_SIZE + 1, zlib, &o),
					   whole));
		(void)out_finish(&o);
		assert_false(
			section_gives(&e, with_header(&e, NULL, 1, UINT32_MAX, zlib, &o), whole));
		(void)out_finish(&o);
		assert_false(section_gives(&e, str_make("\1\0\0", 3), whole));

		e.extra_name = ".zdebug_info";
		e.extra_flags = 0;
		assert_true(
			section_gives(&e, with_header(&e, "ZLIB", 0, TEXT_SIZE, zlib, &o), whole));
		(void)out_finish(&o);
		assert_false(
			section_gives(&e, with_header(&e, "ZLIP", 0, TEXT_SIZE, zlib, &o), whole));
		(void)out_finish(&o);
		e.extra_name = ".debug_info";
		assert_true(section_gives(&e, whole, whole));
	}
	free((void *)zlib.p);
	free((void *)zstd.p);
	free(text);
}

/* A megabyte of zeros in a few dozen bytes: what no compiler makes is refused by its header. */
static void bombs(void **state)
{
	(void)state;
	size_t n = (size_t)64 << 20;
	char *zeros = calloc(1, n);
	struct str packed = pack(PACKED_ZSTD, str_make(zeros, n));
	struct test_elf e = {.extra_name = ".debug_info", .extra_flags = SHF_COMPRESSED};
	struct out o;
	assert_false(section_gives(&e, with_header(&e, NULL, 2, n, packed, &o), STR("")));
	(void)out_finish(&o);
	free((void *)packed.p);
	free(zeros);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_packing),
					   cmocka_unit_test(sections), cmocka_unit_test(bombs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
