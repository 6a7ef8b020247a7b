#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/time_filter.h"

#define S UINT64_C(1000000000)

static void parse(struct time_filter *f, const char *text, bool relative)
{
	struct err err = {0};
	if (!time_filter_parse(f, text, 10 * S, 20 * S, relative, &err))
		fail_msg("%s: %s", text, err.text);
}

static void expect(const char *text, uint64_t start, uint64_t end)
{
	struct time_filter f;
	parse(&f, text, false);
	assert_int_equal(f.ranges.n, 1);
	assert_int_equal(f.ranges.v[0].start, start);
	assert_int_equal(f.ranges.v[0].end, end);
	time_filter_free(&f);
}

static void times_are_seconds(void **state)
{
	(void)state;
	expect("1,2", S, 2 * S);
	expect("1.5,2.000000001", S + S / 2, 2 * S + 1);
	expect("1.,", S, 0);
	expect(",3.25", 0, 3 * S + S / 4);
	expect(",", 0, 0);
	assert_false(time_filter_wants_span("1,2"));
}

static void parts_are_of_the_recording(void **state)
{
	(void)state;
	assert_true(time_filter_wants_span("10%"));
	expect("10%", 10 * S, 11 * S - 1);
	expect("10%/1", 10 * S, 11 * S - 1);
	expect("10%/10", 19 * S, 20 * S);
	expect("0%-50%", 10 * S, 15 * S - 1);
	expect("50%-100%", 15 * S, 20 * S);
	expect("100%", 10 * S, 20 * S);
	expect("12.5%/2", 11 * S + S / 4, 12 * S + S / 2 - 1);
	expect(" 10% ", 10 * S, 11 * S - 1);
	expect("10%-10%", 11 * S, 11 * S);
}

static void lists_accept_what_any_of_them_does(void **state)
{
	(void)state;
	struct time_filter f;
	parse(&f, "1,2  4,5 7,", false);
	assert_int_equal(f.ranges.n, 3);
	assert_true(time_filter_accepts(&f, 0)); /* has no time */
	assert_false(time_filter_accepts(&f, S - 1));
	assert_true(time_filter_accepts(&f, S));
	assert_true(time_filter_accepts(&f, 2 * S));
	assert_false(time_filter_accepts(&f, 2 * S + 1));
	assert_true(time_filter_accepts(&f, 5 * S));
	assert_false(time_filter_accepts(&f, 6 * S));
	assert_true(time_filter_accepts(&f, 100 * S));
	time_filter_free(&f);
	parse(&f, "10%/1,10%/3", false);
	assert_true(time_filter_accepts(&f, 10 * S));
	assert_false(time_filter_accepts(&f, 11 * S));
	assert_true(time_filter_accepts(&f, 12 * S));
	assert_false(time_filter_accepts(&f, 20 * S));
	time_filter_free(&f);
	parse(&f, "0%-20%,10%-30%", false);
	assert_true(time_filter_accepts(&f, 13 * S - 1));
	assert_false(time_filter_accepts(&f, 13 * S));
	time_filter_free(&f);
	struct time_filter none = {0};
	assert_true(time_filter_accepts(&none, 5));
}

static void relative_times_count_from_the_first_sample(void **state)
{
	(void)state;
	struct time_filter f;
	parse(&f, "1,2", true);
	assert_int_equal(f.ranges.v[0].start, 11 * S);
	assert_int_equal(f.ranges.v[0].end, 12 * S);
	time_filter_free(&f);
	parse(&f, "1,", true);
	assert_int_equal(f.ranges.v[0].start, 11 * S);
	assert_int_equal(f.ranges.v[0].end, 0);
	time_filter_free(&f);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"",          "1",
					  "a,b",       "1,2,3",
					  "2,1",       "1.1234567890,2",
					  "1,2 ",      "1,2 2,3",
					  "3,4 1,2",   "1, 3,4",
					  "0x1,2",     "1,2 3",
					  "%",         "10",
					  "120%",      "10%/0",
					  "10%/11",    "0%/1",
					  "5%-3%",     "-5%-3%",
					  "10%/1,50%", "10%/1,5%-6%",
					  "10%-",      "10%/",
					  "nan%",      "10%x",
					  "10%/2x",    "inf%-10%",
					  "1e999%/1",  "99999999999999999999,1",
					  "10%-20%-"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct time_filter f;
		struct err err = {0};
		if (time_filter_parse(&f, bad[i], 10 * S, 20 * S, false, &err))
			fail_msg("\"%s\" is accepted", bad[i]);
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(err.hint[0]);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_seconds),
		cmocka_unit_test(parts_are_of_the_recording),
		cmocka_unit_test(lists_accept_what_any_of_them_does),
		cmocka_unit_test(relative_times_count_from_the_first_sample),
		cmocka_unit_test(nonsense_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
