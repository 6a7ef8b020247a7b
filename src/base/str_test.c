#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void comparing(void **state)
{
	(void)state;
	assert_true(str_eq(STR("abc"), str_of("abc")));
	assert_true(str_eq(str_make(NULL, 0), STR("")));
	assert_false(str_eq(STR("abc"), STR("abd")));
	assert_true(str_starts(STR("abc"), ""));
	assert_true(str_starts(STR("abc"), "ab"));
	assert_false(str_starts(STR("ab"), "abc"));
	assert_true(str_ends(STR("abc"), "bc"));
	assert_false(str_ends(STR("c"), "bc"));
	assert_true(str_cmp(STR("a"), STR("b")) < 0);
	assert_true(str_cmp(STR("ab"), STR("a")) > 0);
	assert_true(str_cmp(STR("\xff"), STR("a")) > 0);
	assert_int_equal(str_cmp(str_make(NULL, 0), STR("")), 0);
}

static void cutting(void **state)
{
	(void)state;
	struct str rest;
	assert_true(str_is(str_skip(STR("abc"), 2), "c"));
	assert_true(str_is(str_skip(STR("abc"), 9), ""));
	assert_true(str_is(str_trim(STR(" \t a b \r\n")), "a b"));
	assert_true(str_is(str_trim(STR("  ")), ""));
	assert_true(str_is(str_split(STR("a,b,c"), ',', &rest), "a"));
	assert_true(str_is(rest, "b,c"));
	assert_true(str_is(str_split(STR("a,"), ',', &rest), "a"));
	assert_non_null(rest.p);
	assert_int_equal(rest.n, 0);
	assert_true(str_is(str_split(STR("a"), ',', &rest), "a"));
	assert_null(rest.p);
}

static void lines(void **state)
{
	(void)state;
	struct str text = STR("one\n\nlast"), line;
	assert_true(str_line(&text, &line));
	assert_true(str_is(line, "one"));
	assert_true(str_line(&text, &line));
	assert_true(str_is(line, ""));
	assert_true(str_line(&text, &line));
	assert_true(str_is(line, "last"));
	assert_false(str_line(&text, &line));
	text = STR("end\n");
	assert_true(str_line(&text, &line));
	assert_false(str_line(&text, &line));
}

static void base_names(void **state)
{
	(void)state;
	assert_true(str_is(str_basename(STR("/usr/bin/perf")), "perf"));
	assert_true(str_is(str_basename(STR("perf")), "perf"));
	assert_true(str_is(str_basename(STR("dir/")), ""));
}

static void unsigned_numbers(void **state)
{
	(void)state;
	uint64_t v;
	assert_true(str_to_u64(STR("18446744073709551615"), 10, &v));
	assert_int_equal(v, UINT64_MAX);
	assert_false(str_to_u64(STR("18446744073709551616"), 10, &v));
	assert_true(str_to_u64(STR("ffffffffffffffff"), 16, &v));
	assert_int_equal(v, UINT64_MAX);
	assert_true(str_to_u64(STR("0x1F"), 0, &v));
	assert_int_equal(v, 31);
	assert_true(str_to_u64(STR("010"), 0, &v));
	assert_int_equal(v, 10);
	static const char *const wrong[] = {"", "0x", "-1", "+1", " 1", "1 ", "1x", "0x1g", "a"};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_false(str_to_u64(str_of(wrong[i]), 0, &v));
	assert_false(str_to_u64(STR("0x10"), 10, &v));
}

static void signed_numbers(void **state)
{
	(void)state;
	int64_t v;
	assert_true(str_to_i64(STR("-12"), &v));
	assert_int_equal(v, -12);
	assert_true(str_to_i64(STR("9223372036854775807"), &v));
	assert_true(v == INT64_MAX);
	assert_false(str_to_i64(STR("9223372036854775808"), &v));
	assert_false(str_to_i64(STR("-"), &v));
	assert_false(str_to_i64(STR("--1"), &v));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparing),
		cmocka_unit_test(cutting),
		cmocka_unit_test(lines),
		cmocka_unit_test(base_names),
		cmocka_unit_test(unsigned_numbers),
		cmocka_unit_test(signed_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
