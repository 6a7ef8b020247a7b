#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/diff.h"
#include "analyze/stack_texts.h"
#include "analyze/test_stacks.h"
#include "profile/merge.h"

#define FILES 3

/* A comparison and all it hangs on. */
struct made {
	struct profile *p;
	struct hist_options hist;
	struct hist_keys keys;
	struct diff_options opt;
	struct diff d;
};

static void make(struct made *m, const char *const *texts, size_t count, struct diff_options opt)
{
	*m = (struct made){.p = profile_new(), .opt = opt};
	struct diff_file files[FILES] = {0};
	for (size_t i = 0; i < count; i++) {
		struct profile *one = test_profile(texts[i]);
		files[i].event.v = profile_merge(m->p, one, NULL) + 1;
		profile_free(one);
	}
	struct err err = {0};
	struct hist_request r = {.fields = "dso,symbol"};
	assert_true(hist_fields_set(&m->hist.fields, &r, &err));
	m->hist.fields.by_name = true;
	hist_keys_init(&m->keys, m->p, &m->hist.fields, SYM_FUNCTION, NULL);
	diff_build(&m->d, &m->keys, &m->hist, files, count, &m->opt);
}

static void drop(struct made *m)
{
	diff_free(&m->d);
	hist_keys_free(&m->keys);
	profile_free(m->p);
}

static void expect(const struct made *m, size_t row, const char *name, size_t file, double value)
{
	assert_true(row < m->d.base.order_count);
	uint32_t entry = m->d.base.order[row];
	const struct hist_entry *e = &m->d.base.entries.v[entry];
	struct str got = profile_frame_name(m->p, hist_keys_frame(&m->keys, e->sym));
	assert_string_equal(got.p, name);
	const struct diff_cell *c = diff_cell(&m->d, entry, file);
	if (isnan(value))
		assert_int_equal(c->entry, 0);
	else
		assert_true(c->entry && fabs(c->value - value) < 1e-9);
}

static const char *const two[] = {"x main;a 60\nx main;b 30\nx main;c 10\n",
				  "x main;a 50\nx main;b 40\nx main;d 10\n"};

static void rows_are_joined_by_name(void **state)
{
	(void)state;
	struct made m;
	make(&m, two, 2, (struct diff_options){.compute = DIFF_DELTA_ABS, .order = 1});
	assert_int_equal(m.d.base.order_count, 4);
	/* Equal differences: the larger share of the baseline first; what has no pair last. */
	expect(&m, 0, "a", 1, -10);
	expect(&m, 1, "b", 1, 10);
	expect(&m, 2, "d", 1, 10);
	expect(&m, 3, "c", 1, NAN);
	assert_true(m.d.base.order[2] >= m.d.own);
	drop(&m);
}

static void signed_differences_and_ratios_order_otherwise(void **state)
{
	(void)state;
	struct made m;
	make(&m, two, 2, (struct diff_options){.compute = DIFF_DELTA, .order = 1});
	expect(&m, 0, "b", 1, 10);
	expect(&m, 2, "a", 1, -10);
	drop(&m);
	make(&m, two, 2, (struct diff_options){.compute = DIFF_RATIO, .order = 1});
	expect(&m, 0, "b", 1, 40.0 / 30);
	expect(&m, 1, "a", 1, 50.0 / 60);
	expect(&m, 2, "d", 1, 10); /* nothing there before: behind what can be divided */
	drop(&m);
	make(&m, two, 2,
	     (struct diff_options){.compute = DIFF_WDIFF, .w1 = 1, .w2 = 2, .order = 1});
	uint32_t first = m.d.base.order[0], second = m.d.base.order[1];
	assert_int_equal(diff_cell(&m.d, first, 1)->wdiff, 2 * 40 - 30);
	assert_int_equal(diff_cell(&m.d, second, 1)->wdiff, 2 * 50 - 60);
	drop(&m);
}

static void only_what_the_baseline_has(void **state)
{
	(void)state;
	struct made m;
	make(&m, two, 2,
	     (struct diff_options){.compute = DIFF_DELTA_ABS, .order = 1, .baseline_only = true});
	assert_int_equal(m.d.base.order_count, 2);
	assert_int_equal(diff_total(&m.d, 0, &m.opt), 90);
	drop(&m);
}

static void a_third_file_is_compared_with_the_first(void **state)
{
	(void)state;
	static const char *const three[] = {"x a 50\nx b 50\n", "x a 50\nx b 50\n",
					    "x b 75\nx c 25\n"};
	struct made m;
	make(&m, three, 3, (struct diff_options){.compute = DIFF_DELTA_ABS, .order = 2});
	expect(&m, 0, "b", 2, 25);
	expect(&m, 0, "b", 1, 0);
	expect(&m, 1, "c", 2, 25);
	expect(&m, 2, "a", 2, NAN);
	drop(&m);
}

/* A function moves when it is compiled again. Of several of one name, the first one stands for all.
 */
static void functions_of_one_name_are_one(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	event_id e = profile_event(p, STR("clock"));
	object_id o = profile_object(p, STR("lib"), STR("lib"), CODE_USER);
	uint64_t starts[] = {0x200, 0x100, 0x300};
	for (size_t i = 0; i < 3; i++) {
		func_id f = profile_func(p, STR("init"), o, starts[i], 16);
		struct profile_row row = {.event = e,
					  .leaf = profile_frame(p, f, o, starts[i], CODE_USER, 0),
					  .time = i,
					  .count = 1,
					  .weight = 1};
		profile_add(p, &row);
	}
	struct hist_options hist = {0};
	struct err err = {0};
	struct hist_request r = {.fields = "dso,symbol"};
	assert_true(hist_fields_set(&hist.fields, &r, &err));
	hist.fields.by_name = true;
	struct hist_keys keys;
	hist_keys_init(&keys, p, &hist.fields, SYM_FUNCTION, NULL);
	struct hist h;
	hist_build(&h, &keys, &hist, e);
	assert_int_equal(h.order_count, 1);
	const struct hist_entry *entry = &h.entries.v[h.order[0]];
	assert_int_equal(entry->count, 3);
	assert_int_equal(profile_frame_at(p, hist_keys_frame(&keys, entry->sym))->addr, 0x100);
	hist_free(&h);
	hist_keys_free(&keys);
	profile_free(p);
}

static void few_samples_are_not_significant(void **state)
{
	(void)state;
	struct made m;
	make(&m, two, 2,
	     (struct diff_options){
		     .compute = DIFF_DELTA_ABS, .order = 1, .test = true, .significant = true});
	assert_int_equal(m.d.base.order_count, 0);
	drop(&m);
}

static void stacks_become_texts(void **state)
{
	(void)state;
	struct profile *from = test_profile(
		"x main;a;b 5\nx main;a 3\ny main;a;b 2\nx main;a;b 5\n");
	struct profile *into = profile_new();
	struct stack_texts t = stack_texts_begin(into);
	bool hidden[8] = {0};
	struct filter filter = {.thread_hidden = hidden};
	hidden[2] = true; /* y */
	assert_int_equal(stack_texts_add(&t, into, from, &filter, false), 0);
	assert_int_equal(into->rows.n, 3);
	const struct profile_row *r = into->rows.v;
	assert_string_equal(profile_str(into, r[0].trace).p, "x;main;a");
	assert_string_equal(profile_str(into, r[1].trace).p, "x;main;a;b");
	assert_int_equal(r[1].count, 2);
	assert_int_equal(r[1].weight, 10);
	assert_int_equal(r[1].leaf.v, t.shown.v);
	assert_string_equal(profile_str(into, r[2].trace).p, "y;main;a;b");
	assert_int_equal(r[2].leaf.v, t.hidden.v);
	profile_free(from);
	profile_free(into);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_joined_by_name),
		cmocka_unit_test(signed_differences_and_ratios_order_otherwise),
		cmocka_unit_test(only_what_the_baseline_has),
		cmocka_unit_test(a_third_file_is_compared_with_the_first),
		cmocka_unit_test(functions_of_one_name_are_one),
		cmocka_unit_test(few_samples_are_not_significant),
		cmocka_unit_test(stacks_become_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
