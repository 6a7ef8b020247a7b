#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/hist_field.h"

static void expect(const enum hist_field *list, size_t n, const enum hist_field *want, size_t m)
{
	assert_int_equal(n, m);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i], want[i]);
}

#define EXPECT(list, n, ...)                                    \
	expect(list, n, (const enum hist_field[]){__VA_ARGS__}, \
	       sizeof((enum hist_field[]){__VA_ARGS__}) / sizeof(enum hist_field))

static struct hist_fields set(struct hist_request r)
{
	struct hist_fields f;
	struct err err = {0};
	assert_true(hist_fields_set(&f, &r, &err));
	return f;
}

static void test_defaults(void **state)
{
	(void)state;
	struct hist_fields f = set((struct hist_request){0});
	EXPECT(f.sort, f.sort_count, FIELD_OVERHEAD, FIELD_COMM, FIELD_DSO, FIELD_SYMBOL);
	EXPECT(f.show, f.show_count, FIELD_OVERHEAD, FIELD_COMM, FIELD_DSO, FIELD_SYMBOL);
	assert_false(f.self);

	f = set((struct hist_request){.children = true, .samples = true, .tracepoints = true});
	EXPECT(f.sort, f.sort_count, FIELD_CHILDREN, FIELD_OVERHEAD, FIELD_TRACE, FIELD_SAMPLES);
	EXPECT(f.show, f.show_count, FIELD_CHILDREN, FIELD_OVERHEAD, FIELD_SAMPLES, FIELD_TRACE);
	assert_true(f.self);
}

static void test_sort_lists(void **state)
{
	(void)state;
	struct hist_fields f = set((struct hist_request){.sort = "sym,d cpu"});
	EXPECT(f.sort, f.sort_count, FIELD_OVERHEAD, FIELD_SYMBOL, FIELD_DSO, FIELD_CPU);
	f = set((struct hist_request){.sort = "+cpu"});
	EXPECT(f.sort, f.sort_count, FIELD_OVERHEAD, FIELD_COMM, FIELD_DSO, FIELD_SYMBOL,
	       FIELD_CPU);
	/* A list that places the numbers itself is taken as it is. */
	f = set((struct hist_request){.sort = "comm,overhead,comm"});
	EXPECT(f.sort, f.sort_count, FIELD_COMM, FIELD_OVERHEAD);
	EXPECT(f.show, f.show_count, FIELD_OVERHEAD, FIELD_COMM);
}

static void test_columns(void **state)
{
	(void)state;
	struct hist_fields f = set(
		(struct hist_request){.fields = "period,comm", .children = true});
	EXPECT(f.show, f.show_count, FIELD_PERIOD, FIELD_COMM);
	EXPECT(f.sort, f.sort_count, FIELD_PERIOD, FIELD_COMM);
	assert_false(f.self);
	f = set((struct hist_request){.fields = "+period", .sort = "comm"});
	EXPECT(f.show, f.show_count, FIELD_OVERHEAD, FIELD_PERIOD, FIELD_COMM);
	f = set((struct hist_request){.sort = "symbol", .ipc = true});
	EXPECT(f.show, f.show_count, FIELD_OVERHEAD, FIELD_SYMBOL, FIELD_IPC);
}

static void test_no_children(void **state)
{
	(void)state;
	struct hist_request r = {.children = true};
	struct hist_fields f = set(r);
	hist_fields_no_children(&f, &r);
	EXPECT(f.show, f.show_count, FIELD_OVERHEAD, FIELD_COMM, FIELD_DSO, FIELD_SYMBOL);
	r.fields = "overhead_children,comm";
	f = set(r);
	hist_fields_no_children(&f, &r);
	EXPECT(f.show, f.show_count, FIELD_CHILDREN, FIELD_COMM);
}

static void test_hide(void **state)
{
	(void)state;
	struct hist_fields f = set((struct hist_request){0});
	hist_fields_hide(&f, 1u << FIELD_COMM);
	assert_false(hist_field_shown(&f, FIELD_COMM));
	assert_true(hist_field_shown(&f, FIELD_DSO));
	/* Not if no key were left. */
	f = set((struct hist_request){.sort = "comm"});
	hist_fields_hide(&f, 1u << FIELD_COMM);
	assert_true(hist_field_shown(&f, FIELD_COMM));
}

static void test_errors(void **state)
{
	(void)state;
	struct hist_fields f;
	const struct hist_request bad[] = {
		{.sort = "comm,colour"}, {.sort = "+"}, {.fields = "weather"}, {.fields = "+"}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};
		assert_false(hist_fields_set(&f, &bad[i], &err));
		assert_int_equal(err.code, ERR_USAGE);
	}
	struct err err = {0};
	assert_false(hist_fields_set(&f, &bad[0], &err));
	assert_non_null(strstr(err.text, "colour"));
	assert_non_null(strstr(err.hint, "symbol"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_sort_lists),
		cmocka_unit_test(test_columns),  cmocka_unit_test(test_no_children),
		cmocka_unit_test(test_hide),     cmocka_unit_test(test_errors),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
