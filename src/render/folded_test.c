#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "ingest/import.h"
#include "render/render.h"

static void fold(struct str text, struct out *o)
{
	struct profile *p = profile_new();
	struct lines in;
	struct diags d = {0};
	struct err err;
	struct tree t;
	lines_open_memory(&in, text, "test");
	assert_true(import_folded(p, &in, &d, &err));
	assert_int_equal(d.of[DIAG_BAD_LINE].count, 0);
	tree_build(&t, p, &(struct tree_options){.weights = true, .verbatim = true});
	profile_free(p);
	render_folded(o, &t);
	tree_free(&t);
	lines_close(&in);
}

static void expect(const char *in, const char *expected)
{
	struct out o;
	out_memory(&o);
	fold(str_of(in), &o);
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
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

struct line {
	char text[48];
	size_t n;
};

static int line_cmp(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return str_cmp(str_make(x->text, x->n), str_make(y->text, y->n));
}

/* Stacks over an alphabet that sorts around ';', sorted and unique: what goes in comes out. */
static void folding_folded_text_changes_nothing(void **state)
{
	(void)state;
	uint64_t r = 42;
	for (size_t round = 0; round < 300; round++) {
		struct line lines[64];
		struct out in, o;
		out_memory(&in);
		out_memory(&o);
		for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
			lines[i].n = 1 + (r = hash_mix(r, i)) % 12;
			for (size_t k = 0; k < lines[i].n; k++)
				lines[i].text[k] = " !ab;<;z\xff"[(r = hash_mix(r, k)) % 9];
		}
		qsort(lines, ARRAY_LEN(lines), sizeof lines[0], line_cmp);
		for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
			if (i && line_cmp(&lines[i - 1], &lines[i]) == 0)
				continue;
			out_bytes(&in, lines[i].text, lines[i].n);
			out_char(&in, ' ');
			out_u64(&in, 1 + (r = hash_mix(r, i)) % 100000);
			out_char(&in, '\n');
		}
		fold(out_text(&in), &o);
		assert_int_equal(in.n, o.n);
		assert_memory_equal(in.buf, o.buf, in.n);
		(void)out_finish(&in);
		(void)out_finish(&o);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_stacks_are_ordered),
		cmocka_unit_test(equal_stacks_are_added),
		cmocka_unit_test(empty_names_and_blanks_stay),
		cmocka_unit_test(folding_folded_text_changes_nothing),
	};
	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
