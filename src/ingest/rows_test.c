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

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_runs_become_one_order_and_equal_times_keep_theirs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
