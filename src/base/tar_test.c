#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/tar.h"

static void headers_are_read_again(void **state)
{
	(void)state;
	static const struct tar_entry entries[] = {
		{TAR_FILE, 12345, 0644, 1700000000, {"usr/bin/ls", 10}, {0}},
		{TAR_SYMLINK, 0, 0777, 1, {".build-id/ab/cd", 15}, {"../../usr/bin/ls/abcd", 21}},
		{TAR_DIRECTORY, 0, 0755, 0, {"usr/", 4}, {0}},
		{TAR_FILE, UINT64_C(1) << 40, 0600, 5, {"large", 5}, {0}},
	};
	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		struct out o;
		char scratch[257];
		struct tar_entry got;
		out_memory(&o);
		tar_header(&o, &entries[i]);
		assert_int_equal(o.n, TAR_BLOCK);
		assert_true(tar_parse(o.buf, &got, scratch));
		assert_int_equal(got.type, entries[i].type);
		assert_int_equal(got.size, entries[i].size);
		assert_int_equal(got.mode, entries[i].mode);
		assert_int_equal(got.time, entries[i].time);
		assert_true(str_eq(got.name, entries[i].name));
		assert_true(str_eq(got.link, entries[i].link));
		o.buf[10] ^= 1; /* the sum tells */
		assert_false(tar_parse(o.buf, &got, scratch));
		(void)out_finish(&o);
	}
}

static void long_names_have_entries_of_their_own(void **state)
{
	(void)state;
	char name[1000];
	memset(name, 'n', sizeof name);
	struct tar_entry e = {.type = TAR_FILE, .size = 1, .name = {name, 600}}, got;
	struct out o;
	char scratch[257];
	out_memory(&o);
	tar_header(&o, &e);
	assert_int_equal(o.n, TAR_BLOCK + 2 * TAR_BLOCK + TAR_BLOCK);
	assert_true(tar_parse(o.buf, &got, scratch));
	assert_int_equal(got.type, TAR_LONG_NAME);
	assert_int_equal(got.size, 601);
	assert_memory_equal(o.buf + TAR_BLOCK, name, 600);
	assert_true(tar_parse(o.buf + 3 * TAR_BLOCK, &got, scratch));
	assert_int_equal(got.type, TAR_FILE);
	(void)out_finish(&o);
}

static void the_end_is_a_block_of_zeros(void **state)
{
	(void)state;
	char block[TAR_BLOCK] = {0}, scratch[257];
	struct tar_entry got;
	assert_true(tar_parse(block, &got, scratch));
	assert_int_equal(got.type, 0);
	block[5] = 1;
	assert_false(tar_parse(block, &got, scratch));
	assert_int_equal(tar_padding(0), 0);
	assert_int_equal(tar_padding(1), 511);
	assert_int_equal(tar_padding(512), 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_read_again),
		cmocka_unit_test(long_names_have_entries_of_their_own),
		cmocka_unit_test(the_end_is_a_block_of_zeros),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
