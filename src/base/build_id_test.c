#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/build_id.h"

static void hex_goes_both_ways(void **state)
{
	(void)state;
	struct build_id id;
	char hex[2 * BUILD_ID_MAX + 1];
	assert_true(build_id_parse(STR("00aBff10"), &id));
	assert_int_equal(id.size, 4);
	build_id_hex(&id, hex);
	assert_string_equal(hex, "00abff10");
	assert_true(build_id_parse(STR("0123456789abcdef0123456789abcdef01234567"), &id));
	assert_int_equal(id.size, BUILD_ID_MAX);
	build_id_hex(&id, hex);
	assert_string_equal(hex, "0123456789abcdef0123456789abcdef01234567");
}

static void what_is_no_hex_is_refused(void **state)
{
	(void)state;
	struct build_id id;
	assert_false(build_id_parse(STR(""), &id));
	assert_false(build_id_parse(STR("abc"), &id));
	assert_false(build_id_parse(STR("zz"), &id));
	assert_false(build_id_parse(STR("0x"), &id));
	assert_false(build_id_parse(STR("-1"), &id));
	assert_false(build_id_parse(STR("0123456789abcdef0123456789abcdef0123456700"), &id));
}

static void trailing_zeros_do_not_count(void **state)
{
	(void)state;
	struct build_id a = {.size = 8, .bytes = {1, 2, 3, 4, 5, 6, 7, 8}};
	struct build_id padded = a;
	padded.size = 20;
	assert_true(build_id_eq(&a, &padded));
	padded.bytes[19] = 1;
	assert_false(build_id_eq(&a, &padded));
}

static void none_equals_nothing(void **state)
{
	(void)state;
	struct build_id none = {0};
	struct build_id zeros = {.size = 20};
	assert_false(build_id_eq(&none, &none));
	assert_false(build_id_eq(&none, &zeros));
	assert_true(build_id_eq(&zeros, &zeros));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hex_goes_both_ways),
		cmocka_unit_test(what_is_no_hex_is_refused),
		cmocka_unit_test(trailing_zeros_do_not_count),
		cmocka_unit_test(none_equals_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
