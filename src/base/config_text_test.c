#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config_text.h"

static void expect(const struct config_set *s, const char *name, const char *value)
{
	const struct config_item *item = config_find(s, str_of(name));
	if (!item)
		fail_msg("%s is not set", name);
	assert_string_equal(item->value.p, value);
}

static void text_is_read_as_perf_reads_it(void **state)
{
	(void)state;
	static const char text[] = "\xef\xbb\xbf# c\n"
				   "[report]\n"
				   "\tchildren = false\n"
				   "\tsort_order = dso,symbol   ; tail\n"
				   "\ta = \" quoted  # x \" tail   two\n"
				   "\tb = x\\ty\\\\z\\\"q\n"
				   "\tc = one \\\n   two\r\n"
				   "[Sec.Two \"Sub\"]\n"
				   "K-ey_1=v\n"
				   "[report]\n"
				   "\tchildren = true\n"
				   "[empty]\n"
				   "[x]\ty=1\n"
				   "\tz =";
	struct config_set s = {0};
	unsigned bad;
	assert_true(config_parse(&s, str_make(text, sizeof text - 1), false, &bad));
	expect(&s, "report.children", "true");
	expect(&s, "report.sort_order", "dso,symbol");
	expect(&s, "report.a", " quoted  # x  tail two");
	expect(&s, "report.b", "x\ty\\z\"q");
	expect(&s, "report.c", "one  two");
	expect(&s, "sec.two.Sub.k-ey_1", "v");
	expect(&s, "x.y", "1");
	expect(&s, "x.z", "");
	assert_int_equal(s.items.n, 8);
	assert_string_equal(s.items.v[0].key.p, "children"); /* replaced in its place */
	assert_null(config_find(&s, STR("report.none")));
	assert_null(config_find(&s, STR("report")));
	config_free(&s);
}

static void the_bad_line_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned line;
	} bad[] = {
		{"garbage", 1},        {"[a]\nb\n", 2},       {"[a]\n\n9x = 1\n", 3},
		{"[a b]\n", 1},        {"k = 1\n", 1},        {"[a]\nb = \"x\n", 2},
		{"[a]\nb = \\q\n", 2}, {"[a\n", 1},           {"[]\n", 1},
		{"[a \"b]\n", 1},      {"[a]\nb c = 1\n", 2}, {"[a]\nx = 1\n=\n", 3},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct config_set s = {0};
		unsigned line = 0;
		if (config_parse(&s, str_of(bad[i].text), false, &line))
			fail_msg("\"%s\" is accepted", bad[i].text);
		assert_int_equal(line, bad[i].line);
		config_free(&s);
	}
	struct config_set s = {0};
	unsigned line;
	assert_false(config_parse(&s, STR("[a]\nb = 1\nc\n"), false, &line));
	expect(&s, "a.b", "1"); /* what came before is kept */
	config_free(&s);
}

static void what_is_printed_is_read_again(void **state)
{
	(void)state;
	static const char *const values[] = {"plain", "two words", " edges ", "a # b", "q\"q",
					     "\\",    "a\tb\nc",   "",        "x  y",  ";"};
	struct config_set s = {0}, again = {0};
	char key[] = "a";
	for (size_t i = 0; i < ARRAY_LEN(values); i++, key[0]++)
		config_put(&s, (struct config_item){STR("sec"), arena_str(&s.arena, str_of(key)),
						    str_of(values[i]), false});
	config_put(&s, (struct config_item){STR("sys"), STR("k"), STR("v"), true});
	struct out o;
	out_memory(&o);
	config_print(&o, &s, false);
	unsigned bad;
	assert_true(config_parse(&again, out_text(&o), false, &bad));
	assert_int_equal(again.items.n, ARRAY_LEN(values));
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		assert_string_equal(again.items.v[i].value.p, values[i]);
	(void)out_finish(&o);
	config_free(&s);
	config_free(&again);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_read_as_perf_reads_it),
		cmocka_unit_test(the_bad_line_is_named),
		cmocka_unit_test(what_is_printed_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
