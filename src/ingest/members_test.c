#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ingest/members.h"

#define GROUP (PERF_FORMAT_GROUP | PERF_FORMAT_ID)

static void split(struct members *m, uint64_t format, const uint64_t *words, size_t n)
{
	struct attr a = {.read_format = format};
	struct sample s = {.read = (const uint8_t *)words, .read_size = n * 8};
	members_split(m, &a, &s, false);
}

/* Two events, the first counted under two ids. */
static void know_three(struct members *m)
{
	members_know(m, 100, 0);
	members_know(m, 101, 0);
	members_know(m, 200, 1);
}

static void each_member_gets_what_it_counted_since(void **state)
{
	(void)state;
	struct members m = {0};
	know_three(&m);
	split(&m, GROUP, (const uint64_t[]){2, 1000, 100, 7, 200}, 5);
	assert_int_equal(m.samples.n, 2);
	assert_int_equal(m.samples.v[0].event, 0);
	assert_int_equal(m.samples.v[0].period, 1000);
	assert_int_equal(m.samples.v[1].event, 1);
	assert_int_equal(m.samples.v[1].period, 7);
	/* the second did not move */
	split(&m, GROUP, (const uint64_t[]){2, 1500, 100, 7, 200}, 5);
	assert_int_equal(m.samples.n, 1);
	assert_int_equal(m.samples.v[0].period, 500);
	/* another counter of the first event */
	split(&m, GROUP, (const uint64_t[]){2, 30, 101, 9, 200}, 5);
	assert_int_equal(m.samples.n, 2);
	assert_int_equal(m.samples.v[0].period, 30);
	assert_int_equal(m.samples.v[1].period, 2);
	members_free(&m);
}

static void times_and_losses_are_skipped(void **state)
{
	(void)state;
	struct members m = {0};
	know_three(&m);
	uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	split(&m, GROUP | times | FORMAT_LOST, (const uint64_t[]){1, 5, 6, 40, 200, 3}, 6);
	assert_int_equal(m.samples.n, 1);
	assert_int_equal(m.samples.v[0].period, 40);
	split(&m, PERF_FORMAT_ID | times, (const uint64_t[]){60, 5, 6, 200}, 4);
	assert_int_equal(m.samples.n, 1);
	assert_int_equal(m.samples.v[0].period, 20);
	members_free(&m);
}

static void ids_of_nobody_and_counts_that_lie_give_nothing(void **state)
{
	(void)state;
	struct members m = {0};
	know_three(&m);
	split(&m, GROUP, (const uint64_t[]){1, 5, 999}, 3);
	assert_int_equal(m.samples.n, 0);
	split(&m, GROUP, (const uint64_t[]){(uint64_t)1 << 60, 5, 100}, 3);
	assert_int_equal(m.samples.n, 1);
	split(&m, 0, (const uint64_t[]){5}, 1); /* which event, is not said */
	assert_int_equal(m.samples.n, 0);
	members_free(&m);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_member_gets_what_it_counted_since),
		cmocka_unit_test(times_and_losses_are_skipped),
		cmocka_unit_test(ids_of_nobody_and_counts_that_lie_give_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
