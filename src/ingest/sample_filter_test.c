#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/sample_filter.h"

static void no_lists_accept_everybody(void **state)
{
	(void)state;
	struct sample_filter f;
	assert_true(sample_filter_parse(&f, NULL, NULL, NULL, NULL, NULL));
	assert_true(sample_filter_accepts(&f, STR("x"), -1, -1, UINT32_MAX, 0));
	sample_filter_free(&f);
}

static void all_lists_must_agree(void **state)
{
	(void)state;
	struct sample_filter f;
	assert_true(sample_filter_parse(&f, "sh,a b", "1,2", "3", "0,4-6", NULL));
	assert_true(sample_filter_accepts(&f, STR("a b"), 2, 3, 5, 0));
	assert_false(sample_filter_accepts(&f, STR("a"), 2, 3, 5, 0));
	assert_false(sample_filter_accepts(&f, STR("sh"), 3, 3, 5, 0));
	assert_false(sample_filter_accepts(&f, STR("sh"), 2, 4, 5, 0));
	assert_false(sample_filter_accepts(&f, STR("sh"), 2, 3, 7, 0));
	sample_filter_free(&f);
}

static void nonsense_is_refused_by_name(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "x", "1,", "4-2", "-1", "1-2-3", "0-99999999999"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct sample_filter f;
		struct err err = {0};
		assert_false(sample_filter_parse(&f, NULL, NULL, NULL, bad[i], &err));
		assert_int_equal(err.code, ERR_USAGE);
		sample_filter_free(&f);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_lists_accept_everybody),
		cmocka_unit_test(all_lists_must_agree),
		cmocka_unit_test(nonsense_is_refused_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
