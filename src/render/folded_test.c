#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/render.h"
#include "render/test_tree.h"

static void expect(const char *in, const char *expected)
{
	struct tree t;
	struct out o;
	grow(&t, in);
	out_memory(&o);
	render_folded(&o, &t);
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
	tree_free(&t);
}

static void whole_stacks_are_ordered(void **state)
{
	(void)state;
	expect("a;c 3\na 1\na b 2\n", "a 1\na b 2\na;c 3\n");
	/* '!' and '/' sort before ';', '<' behind it. */
	expect("a<;x 1\na/;x 2\na!;b!;c 3\na!;b;c 4\na;x 5\n",
	       "a!;b!;c 3\na!;b;c 4\na/;x 2\na;x 5\na<;x 1\n");
	expect("a b c;z 1\na b;z 2\na;z 3\na b c 4\n", "a b c 4\na b c;z 1\na b;z 2\na;z 3\n");
}

static void equal_stacks_are_added(void **state)
{
	(void)state;
	expect("a;b 1\nc 4\na;b 2", "a;b 3\nc 4\n");
}

static void empty_names_and_blanks_stay(void **state)
{
	(void)state;
	expect(" 1\n;a 2\na; 3\na;;b 4\na  5\n", " 1\n;a 2\na  5\na; 3\na;;b 4\n");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_stacks_are_ordered),
		cmocka_unit_test(equal_stacks_are_added),
		cmocka_unit_test(empty_names_and_blanks_stay),
	};
	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
