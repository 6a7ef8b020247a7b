#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/hot.h"

static void few(void **state)
{
	(void)state;
	uint64_t weights[] = {0, 5, 0, 1000, 7};
	object_id *hot;
	assert_int_equal(hot_objects(weights, ARRAY_LEN(weights), &hot), 3);
	assert_int_equal(hot[0].v, 3);
	assert_int_equal(hot[1].v, 4);
	assert_int_equal(hot[2].v, 1);
	free(hot);
	assert_int_equal(hot_objects(weights, 1, &hot), 0);
	free(hot);
}

/* The first twenty, and all that have one per cent. */
static void many(void **state)
{
	(void)state;
	uint64_t weights[101] = {0};
	object_id *hot;
	for (size_t i = 1; i <= 30; i++)
		weights[i] = 1000 + i;
	for (size_t i = 31; i <= 100; i++)
		weights[i] = 1;
	assert_int_equal(hot_objects(weights, ARRAY_LEN(weights), &hot), 30);
	free(hot);
	weights[1] = 10000000;
	assert_int_equal(hot_objects(weights, ARRAY_LEN(weights), &hot), 20);
	assert_int_equal(hot[0].v, 1);
	free(hot);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {cmocka_unit_test(few), cmocka_unit_test(many)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
