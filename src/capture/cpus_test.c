#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/cpus.h"

static void check(const char *text, const uint32_t *want, size_t n)
{
	struct cpu_list list = {0};
	struct err err = {0};
	assert_true(cpus_parse(&list, str_of(text), &err));
	assert_int_equal(list.v.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(list.v.v[i], want[i]);
		assert_true(cpus_has(&list, want[i]));
	}
	assert_false(cpus_has(&list, 9999));
	vec_free(&list.v);
}

static void lists(void **state)
{
	(void)state;
	check("0", (uint32_t[]){0}, 1);
	check("0-3,8\n", (uint32_t[]){0, 1, 2, 3, 8}, 5);
	check("8,0-3,2", (uint32_t[]){0, 1, 2, 3, 8}, 5);
	check("65535", (uint32_t[]){65535}, 1);
}

static void nonsense(void **state)
{
	(void)state;
	static const char *const wrong[] = {"",   "a",     "1-",         "-1",   "3-1",
					    "1,", "65536", "0-99999999", "1--2", "1 2"};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct cpu_list list = {0};
		struct err err = {0};
		if (cpus_parse(&list, str_of(wrong[i]), &err))
			fail_msg("\"%s\" was taken", wrong[i]);
		assert_int_equal(err.code, ERR_USAGE);
		vec_free(&list.v);
	}
}

static void there_is_a_cpu_online(void **state)
{
	(void)state;
	struct cpu_list list = {0};
	struct err err = {0};
	if (!cpus_online(&list, &err))
		skip();
	assert_true(list.v.n > 0);
	vec_free(&list.v);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(there_is_a_cpu_online),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
