#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/rings.h"

#define MB ((uint64_t)1 << 20)
#define GB ((uint64_t)1 << 30)
#define FIXED (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

static uint64_t wanted(struct attr attr, bool dummy_too, size_t rings, uint64_t memory)
{
	struct counters cs = {0};
	vec_push(&cs.v, (struct counter){.attr = attr});
	if (dummy_too)
		vec_push(&cs.v, (struct counter){.dummy = true});
	uint64_t size = rings_wanted(&cs, rings, memory);
	vec_free(&cs.v);
	return size;
}

static void size_follows_the_rate(void **state)
{
	(void)state;
	struct attr a = {.sample_type = FIXED, .sample_period = 99, .flags = ATTR_FREQ};
	assert_int_equal(wanted(a, false, 2, 8 * GB), MB / 2);
	assert_int_equal(wanted(a, true, 2, 8 * GB), 2 * MB); /* and the side-band of all */
	a.sample_type |= PERF_SAMPLE_CALLCHAIN;
	a.sample_period = 4999;
	uint64_t chains = wanted(a, false, 2, 8 * GB);
	assert_in_range(chains, MB, 4 * MB);
	a.sample_type |= PERF_SAMPLE_STACK_USER;
	a.sample_stack_user = 8192;
	assert_int_equal(wanted(a, true, 2, 8 * GB), 16 * MB);
}

static void an_unknown_rate_gets_the_usual_size(void **state)
{
	(void)state;
	const struct attr every = {.sample_type = FIXED | PERF_SAMPLE_RAW, .sample_period = 1};
	assert_int_equal(wanted(every, false, 2, 8 * GB), 16 * MB);
}

static void many_rings_are_small(void **state)
{
	(void)state;
	const struct attr every = {.sample_type = FIXED, .sample_period = 1};
	assert_int_equal(wanted(every, false, 64, 8 * GB), 2 * MB);
	assert_int_equal(wanted(every, false, 64, GB), MB);
	assert_int_equal(wanted(every, false, 4096, GB), MB / 2); /* the least */
	assert_int_equal(wanted(every, false, 64, 512 * GB), 16 * MB);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_follows_the_rate),
		cmocka_unit_test(an_unknown_rate_gets_the_usual_size),
		cmocka_unit_test(many_rings_are_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
