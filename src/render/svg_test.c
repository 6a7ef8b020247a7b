#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "render/render.h"
#include "render/test_tree.h"

struct picture {
	char *text;
	struct svg_result result;
};

static struct picture draw(const char *folded, const struct svg_options *opt)
{
	struct tree t;
	struct out o;
	grow(&t, folded);
	out_memory(&o);
	struct picture pic = {.result = render_svg(&o, &t, opt)};
	out_char(&o, '\0');
	pic.text = mem_strdup(o.buf);
	(void)out_finish(&o);
	tree_free(&t);
	return pic;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void boxes_lie_where_they_should(void **state)
{
	(void)state;
	struct picture p = draw("a;b 1\na;c 2\nd 1\n", &(struct svg_options){.width = 420});
	assert_int_equal(p.result.drawn, 5);
	assert_int_equal(p.result.left_out, 0);
	/* 400 pixels for 4 samples; three rows of 16 below 36 pixels. */
	assert_non_null(strstr(p.text, "<title>all (4 samples, 100.00%)</title>"
				       "<rect x=\"10\" y=\"68\" width=\"400\" height=\"15\""));
	assert_non_null(strstr(p.text, "<title>a (3 samples, 75.00%)</title>"
				       "<rect x=\"10\" y=\"52\" width=\"300\""));
	assert_non_null(strstr(p.text, "<title>c (2 samples, 50.00%)</title>"
				       "<rect x=\"110\" y=\"36\" width=\"200\""));
	assert_non_null(strstr(p.text, "<title>d (1 samples, 25.00%)</title>"
				       "<rect x=\"310\" y=\"52\" width=\"100\""));
	free(p.text);
}

static void an_icicle_has_its_root_on_top(void **state)
{
	(void)state;
	struct picture p = draw("a 1\n", &(struct svg_options){.icicle = true});
	assert_non_null(strstr(p.text, "<title>all (1 samples, 100.00%)</title>"
				       "<rect x=\"10\" y=\"36\""));
	assert_non_null(strstr(p.text, "data-icicle=\"1\""));
	free(p.text);
}

static void narrow_boxes_are_left_out_and_counted(void **state)
{
	(void)state;
	struct svg_options opt = {.min_width = 0.1, .width = 1020};
	struct picture p = draw("a;x;y 1\nb 99999\nc;z 1\n", &opt);
	assert_int_equal(p.result.drawn, 2);
	assert_int_equal(p.result.left_out, 5);
	assert_true(p.result.left_out_share > 1.9e-5 && p.result.left_out_share < 2.1e-5);
	assert_non_null(strstr(p.text, "5 of 7 frames, narrower than 0.1 px, are not drawn"));
	free(p.text);
	opt.min_width = 0;
	p = draw("a;x;y 1\nb 99999\nc;z 1\n", &opt);
	assert_int_equal(p.result.drawn, 7);
	assert_null(strstr(p.text, "are not drawn"));
	free(p.text);
}

static void labels_are_cut_to_their_boxes(void **state)
{
	(void)state;
	/* 80 pixels hold ten characters of 7.08 and a margin of 4. */
	struct picture p = draw("a_long_name_indeed 1\nz 4\n", &(struct svg_options){.width = 420});
	assert_non_null(strstr(p.text, ">a_long_n..</text>"));
	free(p.text);
}

static void hostile_names_are_text(void **state)
{
	(void)state;
	struct picture p = draw("<script>alert(1)</script>;\"onclick=\"x;]]>;&\x01\xff 5\n",
				&(struct svg_options){.title = "<b>",
						      .subtitle = "]]>",
						      .count_name = "\"&",
						      .name_type = "\"><g>",
						      .font = "x}</style><script>"});
	assert_int_equal(count(p.text, "<script"), 1);
	assert_int_equal(count(p.text, "]]>"), 1);
	assert_null(strstr(p.text, "<b>"));
	assert_null(strstr(p.text, "\"onclick"));
	assert_null(strchr(p.text, '\x01'));
	assert_null(strchr(p.text, '\xff'));
	assert_int_equal(count(p.text, "</style>"), 1);
	free(p.text);
}

static void colors_follow_names(void **state)
{
	(void)state;
	for (int i = 0; i < PALETTE_COUNT; i++) {
		uint32_t a = palette_color((enum palette)i, STR("read"), 0, 0, false);
		assert_int_equal(a, palette_color((enum palette)i, STR("read"), 0, 0, false));
		assert_true(a <= 0xffffff);
		assert_non_null(palette_names[i]);
	}
	/* warm: red over green over blue, mostly */
	uint32_t hot = palette_color(PALETTE_HOT, STR("main"), 0, 0, false);
	assert_true(hot >> 16 >= 205 && (hot & 0xff) <= 55);
	assert_int_not_equal(palette_color(PALETTE_JAVA, STR("f_[k]"), 0, 0, false) >> 16,
			     palette_color(PALETTE_JAVA, STR("f_[j]"), 0, 0, false) >> 16);
	assert_int_equal(palette_color(PALETTE_HOT, STR("--"), 0, 0, false), 0xa0a0a0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_lie_where_they_should),
		cmocka_unit_test(an_icicle_has_its_root_on_top),
		cmocka_unit_test(narrow_boxes_are_left_out_and_counted),
		cmocka_unit_test(labels_are_cut_to_their_boxes),
		cmocka_unit_test(hostile_names_are_text),
		cmocka_unit_test(colors_follow_names),
	};
	return cmocka_run_group_tests_name("svg", tests, NULL, NULL);
}
