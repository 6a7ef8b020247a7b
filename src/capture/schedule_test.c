#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/schedule.h"

static void ranges_go_on_and_off(void **state)
{
	(void)state;
	const struct capture_range ranges[] = {{10, 20}, {30, 40}};
	struct schedule s = {.ranges = ranges, .count = 2};
	assert_int_equal(schedule_wait(&s, 0), 10);
	assert_int_equal(schedule_due(&s, 9), 0);
	assert_int_equal(schedule_due(&s, 10), 1);
	assert_int_equal(schedule_wait(&s, 15), 5);
	assert_int_equal(schedule_due(&s, 15), 0);
	assert_int_equal(schedule_due(&s, 20), -1);
	assert_int_equal(schedule_wait(&s, 20), 10);
	assert_int_equal(schedule_due(&s, 39), 1);
	assert_int_equal(schedule_due(&s, 100), -1);
	assert_int_equal(schedule_wait(&s, 100), UINT64_MAX);
}

static void a_delay_never_ends(void **state)
{
	(void)state;
	const struct capture_range ranges[] = {{500, UINT64_MAX}};
	struct schedule s = {.ranges = ranges, .count = 1};
	assert_int_equal(schedule_due(&s, 499), 0);
	assert_int_equal(schedule_due(&s, 500), 1);
	assert_int_equal(schedule_due(&s, 1000000), 0);
	assert_int_equal(schedule_wait(&s, 1000000), UINT64_MAX);
}

static void late_looks_skip_ranges(void **state)
{
	(void)state;
	const struct capture_range ranges[] = {{1, 2}, {3, 4}, {5, 60}};
	struct schedule s = {.ranges = ranges, .count = 3};
	assert_int_equal(schedule_due(&s, 50), 1);
	assert_int_equal(schedule_due(&s, 60), -1);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_go_on_and_off),
		cmocka_unit_test(a_delay_never_ends),
		cmocka_unit_test(late_looks_skip_ranges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
