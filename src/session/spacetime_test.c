#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "session/spacetime.h"

/* The definition: the last mapping put in by `time` that covers ip. */
static const struct mapping *slow_at(const struct spacetime *st, uint64_t ip, uint64_t time)
{
	const struct mapping *best = NULL;
	for (size_t i = 0; i < st->maps.n; i++) {
		const struct mapping *m = &st->maps.v[i];
		if (m->time <= time && ip >= m->start && ip < m->end)
			best = m;
	}
	return best;
}

static void later_mappings_hide_earlier_ones(void **state)
{
	(void)state;
	struct spacetime st = {0};
	spacetime_add(&st, &(struct mapping){.start = 100, .end = 200, .time = 1, .object = {1}});
	spacetime_add(&st, &(struct mapping){.start = 150, .end = 160, .time = 5, .object = {2}});
	spacetime_seal(&st);
	uint64_t lo = 0, hi = UINT64_MAX;
	assert_int_equal(spacetime_at(&st, 155, 4, &lo, &hi)->object.v, 1);
	assert_int_equal(spacetime_at(&st, 155, 5, &lo, &hi)->object.v, 2);
	assert_int_equal(lo, 150);
	assert_int_equal(hi, 160);
	lo = 0, hi = UINT64_MAX;
	assert_int_equal(spacetime_at(&st, 160, 9, &lo, &hi)->object.v, 1);
	assert_null(spacetime_at(&st, 99, 9, &lo, &hi));
	assert_null(spacetime_at(&st, 200, 9, &lo, &hi));
	assert_null(spacetime_at(&st, 155, 0, &lo, &hi));
	assert_int_equal(spacetime_epoch(&st, 0), 0);
	assert_int_equal(spacetime_epoch(&st, 4), 1);
	assert_int_equal(spacetime_epoch(&st, 5), 2);
	spacetime_free(&st);
}

static void nothing_mapped_is_nothing_found(void **state)
{
	(void)state;
	struct spacetime st = {0};
	spacetime_add(&st, &(struct mapping){.start = 7, .end = 7, .object = {1}});
	spacetime_seal(&st);
	uint64_t lo = 0, hi = UINT64_MAX;
	assert_null(spacetime_at(&st, 7, 1, &lo, &hi));
	spacetime_free(&st);
}

/* Random worlds against the definition, and the range an answer claims to hold for. */
static void agrees_with_the_definition(void **state)
{
	(void)state;
	srand(42);
	for (int world = 0; world < 200; world++) {
		struct spacetime st = {0};
		size_t n = (size_t)(rand() % 60);
		for (size_t i = 0; i < n; i++) {
			uint64_t start = (uint64_t)(rand() % 300);
			spacetime_add(&st, &(struct mapping){.start = start,
							     .end = start + (uint64_t)(rand() % 50),
							     .time = i / 2,
							     .object = {(uint32_t)i + 1}});
		}
		spacetime_seal(&st);
		for (int q = 0; q < 300; q++) {
			uint64_t ip = (uint64_t)(rand() % 360), time = (uint64_t)(rand() % 32);
			uint64_t lo = 0, hi = UINT64_MAX;
			const struct mapping *got = spacetime_at(&st, ip, time, &lo, &hi);
			assert_ptr_equal(got, slow_at(&st, ip, time));
			assert_true(lo <= ip && ip < hi);
			for (uint64_t near = lo; near < MIN(hi, 400); near++)
				assert_ptr_equal(got, slow_at(&st, near, time));
		}
		spacetime_free(&st);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_mappings_hide_earlier_ones),
		cmocka_unit_test(nothing_mapped_is_nothing_found),
		cmocka_unit_test(agrees_with_the_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
