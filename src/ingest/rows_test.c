#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/rows.h"

static void check(const struct ingest_rows *rows, size_t n)
{
	assert_int_equal(rows->n, n);
	for (size_t i = 1; i < n; i++) {
		assert_true(rows->v[i - 1].time <= rows->v[i].time);
		if (rows->v[i - 1].time == rows->v[i].time)
			assert_true(rows->v[i - 1].offset < rows->v[i].offset);
	}
}

static void any_runs_become_one_order_and_equal_times_keep_theirs(void **state)
{
	(void)state;
	srand(7);
	for (size_t n = 0; n < 400; n++) {
		struct ingest_rows rows = {0};
		uint64_t time = 0;
		for (size_t i = 0; i < n; i++) {
			/* mostly forward, now and then back: as rings are read in turn */
			time = rand() % 10 ? time + (uint64_t)(rand() % 3)
					   : (uint64_t)(rand() % 50);
			rows_push(&rows, &(struct ingest_row){.time = time, .offset = i & 0xffff});
		}
		rows_sort(&rows);
		check(&rows, n);
		free(rows.v);
	}
}

/* Three rounds; the record of time 5 comes after times up to 20 were printed. */
static void a_late_row_stands_where_it_was_seen(void **state)
{
	(void)state;
	static const uint64_t times[] = {10, 20, 0, 30, 40, 0, 5, 35, 0, 50};
	struct rounds rounds = {0};
	struct ingest_rows rows = {0};
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		if (!times[i]) {
			rounds_end(&rounds);
			continue;
		}
		struct ingest_row row = {.time = times[i], .offset = i & 0xff};
		rounds_see(&rounds, times[i]);
		if (rounds_late(&rounds, times[i]))
			vec_push(&rounds.late, (struct late_row){rounds.limit, row});
		else
			rows_push(&rows, &row);
	}
	rows_sort(&rows);
	rounds_merge(&rounds, &rows);
	static const uint64_t wanted[] = {10, 20, 5, 30, 35, 40, 50};
	assert_int_equal(rows.n, ARRAY_LEN(wanted));
	for (size_t i = 0; i < rows.n; i++)
		assert_int_equal(rows.v[i].time, wanted[i]);
	free(rows.v);
	rounds_free(&rounds);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_runs_become_one_order_and_equal_times_keep_theirs),
		cmocka_unit_test(a_late_row_stands_where_it_was_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
