#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "base/diag.h"
#include "base/err.h"

static void set_returns_false_and_clears_the_old(void **state)
{
	(void)state;
	struct err e;
	assert_false(err_set(&e, ERR_INPUT, "byte %d is odd", 7));
	err_hint(&e, "try %s", "again");
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "byte 7 is odd");
	assert_string_equal(e.hint, "try again");
	err_set(&e, ERR_USAGE, "other");
	assert_string_equal(e.hint, "");
}

static void a_missing_err_is_allowed(void **state)
{
	(void)state;
	assert_false(err_set(NULL, ERR_INPUT, "x"));
	assert_false(err_sys(NULL, ENOENT, "x"));
	assert_false(err_hint(NULL, "x"));
	assert_false(err_wrap(NULL, "x"));
}

static void errno_chooses_the_code(void **state)
{
	(void)state;
	struct err e;
	err_sys(&e, ENOENT, "cannot open %s", "f");
	assert_int_equal(e.code, ERR_SYSTEM);
	assert_int_equal(e.sys, ENOENT);
	assert_string_equal(e.text, "cannot open f: No such file or directory");
	err_sys(&e, EACCES, "x");
	assert_int_equal(e.code, ERR_PERMISSION);
	err_sys(&e, ENOSPC, "x");
	assert_int_equal(e.code, ERR_NO_SPACE);
}

static void wrap_puts_context_in_front_and_never_overflows(void **state)
{
	(void)state;
	struct err e;
	err_set(&e, ERR_INPUT, "bad size");
	err_wrap(&e, "%s", "file.data");
	assert_string_equal(e.text, "file.data: bad size");
	for (int i = 0; i < 100; i++)
		err_wrap(&e, "level %d", i);
	assert_true(strlen(e.text) < sizeof e.text);
	assert_int_equal(strncmp(e.text, "level 99: level 98: ", 20), 0);
	char huge[2000];
	memset(huge, 'a', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	err_wrap(&e, "%s", huge);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
}

static void diagnostics_count_and_keep_the_first(void **state)
{
	(void)state;
	struct diags d = {0};
	diag_add(&d, DIAG_LOST_RECORDS, 0, "none");
	assert_int_equal(d.of[DIAG_LOST_RECORDS].count, 0);
	diag_add(&d, DIAG_LOST_RECORDS, 5, "lost on cpu %d", 1);
	diag_add(&d, DIAG_LOST_RECORDS, 2, "lost on cpu %d", 2);
	assert_int_equal(d.of[DIAG_LOST_RECORDS].count, 7);
	assert_string_equal(d.of[DIAG_LOST_RECORDS].first, "lost on cpu 1");
	diag_hint(&d, DIAG_LOST_RECORDS, "first");
	diag_hint(&d, DIAG_LOST_RECORDS, "second");
	assert_string_equal(d.of[DIAG_LOST_RECORDS].hint, "first");
	diag_add(NULL, DIAG_NOTE, 1, "nobody listens");
}

static void partial_marks_the_result(void **state)
{
	(void)state;
	struct diags d = {0};
	diag_add(&d, DIAG_TRUNCATED, 1, "x");
	assert_false(diags_partial(&d));
	diag_partial(&d, DIAG_TRUNCATED, "y");
	assert_true(diags_partial(&d));
	assert_int_equal(d.of[DIAG_TRUNCATED].count, 2);
	assert_string_equal(d.of[DIAG_TRUNCATED].first, "x");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_false_and_clears_the_old),
		cmocka_unit_test(a_missing_err_is_allowed),
		cmocka_unit_test(errno_chooses_the_code),
		cmocka_unit_test(wrap_puts_context_in_front_and_never_overflows),
		cmocka_unit_test(diagnostics_count_and_keep_the_first),
		cmocka_unit_test(partial_marks_the_result),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
