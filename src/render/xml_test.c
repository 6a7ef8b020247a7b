#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/xml.h"

static void expect(struct str in, size_t max, const char *expected)
{
	struct out o;
	out_memory(&o);
	out_xml(&o, in, max);
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
}

static void markup_is_escaped(void **state)
{
	(void)state;
	expect(STR("<script>alert(1)</script>"), SIZE_MAX, "&lt;script&gt;alert(1)&lt;/script&gt;");
	expect(STR("]]>\"'&amp;"), SIZE_MAX, "]]&gt;&quot;&#39;&amp;amp;");
}

static void characters_are_counted_not_bytes(void **state)
{
	(void)state;
	expect(STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5z"), 3,
	       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5");
	expect(STR("<<<"), 2, "&lt;&lt;");
	assert_int_equal(utf8_length(STR("\xc3\xa4\xff<")), 3);
}

#define BAD "\xef\xbf\xbd"

static void what_xml_forbids_is_replaced(void **state)
{
	(void)state;
	expect(STR("a\0b\x01\x1b\x7f"), SIZE_MAX, "a" BAD "b" BAD BAD BAD);
	expect(STR("\t\n\r"), SIZE_MAX, "   ");
	expect(STR("\xff\x80"), SIZE_MAX, BAD BAD);
	expect(STR("\xc3"), SIZE_MAX, BAD);             /* cut */
	expect(STR("\xc3z"), SIZE_MAX, BAD "z");        /* broken off */
	expect(STR("\xc0\x80"), SIZE_MAX, BAD);         /* NUL, too long */
	expect(STR("\xed\xa0\x80"), SIZE_MAX, BAD);     /* surrogate */
	expect(STR("\xef\xbf\xbe"), SIZE_MAX, BAD);     /* U+FFFE */
	expect(STR("\xf4\x90\x80\x80"), SIZE_MAX, BAD); /* beyond U+10FFFF */
	expect(STR("a\xe2\x80\xae"
		   "b"),
	       SIZE_MAX, "a" BAD "b"); /* right to left */
}

/* Any two bytes in a row: what comes out is UTF-8 without control characters or markup. */
static void any_bytes_become_text(void **state)
{
	(void)state;
	struct out o;
	out_memory(&o);
	for (unsigned i = 0; i < 65536; i++) {
		char in[3] = {(char)(i >> 8), (char)i, 'x'};
		o.n = 0;
		out_xml(&o, str_make(in, 3), SIZE_MAX);
		for (struct str s = out_text(&o); s.n;) {
			struct str before = s;
			uint32_t c = utf8_next(&s);
			assert_true(c >= 0x20 && c != '<' && c != '>' && c != '"' && c != '\'');
			/* U+FFFD is three bytes when it was written, one when it is found. */
			assert_true(c != 0xfffd || before.n - s.n == 3);
		}
	}
	(void)out_finish(&o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_escaped),
		cmocka_unit_test(characters_are_counted_not_bytes),
		cmocka_unit_test(what_xml_forbids_is_replaced),
		cmocka_unit_test(any_bytes_become_text),
	};
	return cmocka_run_group_tests_name("xml", tests, NULL, NULL);
}
