#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/render.h"

/* A profile of lines "a;b;c 12". */
static void add_stack(struct profile *p, struct str line)
{
	size_t blank = line.n;
	while (line.p[blank - 1] != ' ')
		blank--;
	uint64_t weight;
	assert_true(str_to_u64(str_skip(line, blank), 10, &weight));
	stack_id stack = {0};
	for (struct str rest = str_make(line.p, blank - 1); rest.p;) {
		func_id func = profile_func(p, str_split(rest, ';', &rest), (object_id){0}, 0, 0);
		stack = profile_stack(p, stack,
				      profile_frame(p, func, (object_id){0}, 0, CODE_USER, 0));
	}
	profile_add(p, &(struct profile_row){.event = profile_event(p, STR("samples")),
					     .stack = stack,
					     .count = weight,
					     .weight = weight});
}

static void grow(struct tree *t, const char *folded)
{
	struct profile *p = profile_new();
	struct str text = str_of(folded), line;
	while (str_line(&text, &line))
		add_stack(p, line);
	tree_build(t, p, &(struct tree_options){.weights = true, .verbatim = true});
	profile_free(p);
}

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
