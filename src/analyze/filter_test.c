#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/filter.h"
#include "analyze/test_stacks.h"

/* A letter per row: shown '+', hidden '-'. */
static void expect(struct filter_options o, const char *want)
{
	struct profile *p = test_profile("x/1 main;a 1\n"
					 "y/2 main;b 1\n"
					 "x/3 main;k_a 1\n"
					 "x/1 main;?1 1\n");
	struct filter f;
	struct err err = {0};
	assert_true(filter_init(&f, p, &o, &err));
	char got[8] = "";
	for (size_t i = 0; i < p->rows.n; i++)
		got[i] = filter_hides(&f, p->rows.v[i].thread, p->rows.v[i].leaf) ? '-' : '+';
	assert_string_equal(got, want);
	filter_free(&f);
	profile_free(p);
}

static void test_lists(void **state)
{
	(void)state;
	expect((struct filter_options){0}, "++++");
	expect((struct filter_options){.comms = "x"}, "+-++");
	expect((struct filter_options){.comms = "q,y"}, "-+--");
	expect((struct filter_options){.pids = "2,3"}, "-++-");
	expect((struct filter_options){.tids = "1"}, "+--+");
	expect((struct filter_options){.dsos = "lib"}, "++-+");
	expect((struct filter_options){.dsos = "/usr/lib/lib,[kernel.kallsyms]"}, "++++");
	expect((struct filter_options){.symbols = "a,b"}, "++--");
	expect((struct filter_options){.symbols = "0x1610"}, "+-+-");
	expect((struct filter_options){.comms = "x", .symbols = "k_a"}, "--+-");
}

static void test_count(void **state)
{
	(void)state;
	assert_int_equal(filter_list_count("a"), 1);
	assert_int_equal(filter_list_count("a,b,,c,"), 3);
	assert_int_equal(filter_list_count(""), 0);
	assert_int_equal(filter_list_count(NULL), 0);
}

static void test_numbers(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	struct filter f;
	struct err err = {0};
	assert_false(filter_init(&f, p, &(struct filter_options){.pids = "1,two"}, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "two"));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_numbers),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
