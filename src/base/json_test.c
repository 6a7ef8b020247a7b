#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"

static void check(struct str in, const char *want)
{
	struct out o;
	out_memory(&o);
	json_string(&o, in);
	out_char(&o, '\0');
	assert_string_equal(out_text(&o).p, want);
	(void)out_finish(&o);
}

static void quotes_and_controls(void **state)
{
	(void)state;
	check(STR(""), "\"\"");
	check(STR("a\"b\\c"), "\"a\\\"b\\\\c\"");
	check(STR("a\n\x01\x7f"), "\"a\\u000a\\u0001\x7f\"");
	check(STR("a\0b"), "\"a\\u0000b\"");
}

static void bytes_that_are_no_utf8(void **state)
{
	(void)state;
	check(STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"),
	      "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\"");
	check(STR("\xc3"), "\"\\ufffd\"");
	check(STR("\xc0\xaf"), "\"\\ufffd\\ufffd\"");
	check(STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
	check(STR("\xff"
		  "a"),
	      "\"\\ufffda\"");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_and_controls),
		cmocka_unit_test(bytes_that_are_no_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
