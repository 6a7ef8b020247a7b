#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/event_text.h"

static void a_list_of_fields_replaces_the_defaults(void **state)
{
	(void)state;
	struct text_fields f;
	text_fields_init(&f);
	assert_true(text_fields_parse(&f, "comm,ip", NULL));
	assert_int_equal(f.of[PERF_TYPE_SOFTWARE], TEXT_COMM | TEXT_IP);
	assert_int_equal(f.of[PERF_TYPE_TRACEPOINT], TEXT_COMM | TEXT_IP);
}

static void signs_change_the_defaults(void **state)
{
	(void)state;
	struct text_fields f, plain;
	text_fields_init(&plain);
	text_fields_init(&f);
	assert_true(text_fields_parse(&f, "+pid,-cpu", NULL));
	assert_int_equal(f.of[PERF_TYPE_HARDWARE],
			 (plain.of[PERF_TYPE_HARDWARE] | TEXT_PID) & ~(uint32_t)TEXT_CPU);
	assert_false(f.user_set[PERF_TYPE_TRACEPOINT]);
}

static void a_type_restricts_the_change(void **state)
{
	(void)state;
	struct text_fields f, plain;
	text_fields_init(&plain);
	text_fields_init(&f);
	assert_true(text_fields_parse(&f, "trace:comm,trace", NULL));
	assert_int_equal(f.of[PERF_TYPE_TRACEPOINT], TEXT_COMM | TEXT_TRACE);
	assert_int_equal(f.of[PERF_TYPE_SOFTWARE], plain.of[PERF_TYPE_SOFTWARE]);
}

static void an_unknown_field_is_an_error_that_lists_the_known(void **state)
{
	(void)state;
	struct text_fields f;
	struct err err = {0};
	text_fields_init(&f);
	assert_false(text_fields_parse(&f, "comm,bogus", &err));
	assert_non_null(strstr(err.text, "bogus"));
	assert_non_null(strstr(err.hint, "symoff"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_fields_replaces_the_defaults),
		cmocka_unit_test(signs_change_the_defaults),
		cmocka_unit_test(a_type_restricts_the_change),
		cmocka_unit_test(an_unknown_field_is_an_error_that_lists_the_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
