#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "analyze/hist.h"
#include "analyze/test_stacks.h"

/* A histogram and all it hangs on. */
struct made {
	struct profile *p;
	struct hist_options opt;
	struct hist_keys keys;
	struct hist h;
};

static void make(struct made *m, const char *text, const char *sort, bool children, bool graphs,
		 bool caller_first)
{
	*m = (struct made){
		.p = test_profile(text),
		.opt = {.children = children, .graphs = graphs, .caller_first = caller_first}};
	struct err err = {0};
	struct hist_request r = {.sort = sort, .children = children, .utilization = true};
	assert_true(hist_fields_set(&m->opt.fields, &r, &err));
	hist_keys_init(&m->keys, m->p, &m->opt.fields, SYM_FUNCTION, NULL);
	hist_build(&m->h, &m->keys, &m->opt, (event_id){1});
}

static void drop(struct made *m)
{
	hist_free(&m->h);
	hist_keys_free(&m->keys);
	profile_free(m->p);
}

static struct str name_of(const struct made *m, size_t place)
{
	const struct hist_entry *e = &m->h.entries.v[m->h.order[place]];
	return profile_frame_name(m->p, hist_keys_frame(&m->keys, e->sym));
}

static void expect(const struct made *m, size_t place, const char *name, uint64_t weight,
		   uint64_t children)
{
	assert_true(place < m->h.order_count);
	const struct hist_entry *e = &m->h.entries.v[m->h.order[place]];
	struct str got = name_of(m, place);
	assert_string_equal(got.p, name);
	assert_int_equal(e->weight, weight);
	assert_int_equal(e->children, children);
}

static void test_self(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x main;a;b 5\nx main;b 2\ny main;b 4\nx main 1\nx main;a;b 3\n", "sym", false,
	     false, false);
	assert_int_equal(m.h.order_count, 2);
	expect(&m, 0, "b", 14, 0);
	expect(&m, 1, "main", 1, 0);
	assert_int_equal(m.h.total_weight, 15);
	assert_int_equal(m.h.total_count, 5);
	drop(&m);
}

static void test_children_count_once(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x main;r;r;r;leaf 5\nx main;r;a;r 3\nx main;a 2\n", "sym", true, false, false);
	expect(&m, 0, "main", 0, 10);
	expect(&m, 1, "r", 3, 8);
	expect(&m, 2, "leaf", 5, 5);
	expect(&m, 3, "a", 2, 5);
	drop(&m);
}

/* The sampled address is not on the recorded stack: it counts, too, but once. */
static void test_leaf_beside_stack(void **state)
{
	(void)state;
	struct profile *p = test_profile("x main;a 4\nx main;b;a 2\n");
	p->rows.v[0].leaf = test_frame(p, STR("k_irq"), 0);
	p->rows.v[1].leaf = test_frame(p, STR("b"), 3);
	struct made m = {.p = p, .opt = {.children = true}};
	struct err err = {0};
	assert_true(hist_fields_set(&m.opt.fields,
				    &(struct hist_request){.sort = "sym", .children = true}, &err));
	hist_keys_init(&m.keys, p, &m.opt.fields, SYM_FUNCTION, NULL);
	hist_build(&m.h, &m.keys, &m.opt, (event_id){1});
	expect(&m, 0, "a", 0, 6);
	expect(&m, 1, "main", 0, 6);
	expect(&m, 2, "k_irq", 4, 4);
	expect(&m, 3, "b", 2, 2);
	drop(&m);
}

static void test_keys(void **state)
{
	(void)state;
	static const char text[] = "x/2 a 1\nx/3 a 1\ny/2 k_a 1\nx/2 ?1 1\nx/2 ?2 1\n";
	static const struct {
		const char *sort;
		size_t entries;
	} cases[] = {{"comm", 2}, {"dso", 2}, {"sym", 4},      {"pid", 2},
		     {"tid", 2},  {"cpu", 2}, {"comm,dso", 2}, {"cpu,sym", 5}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct made m;
		make(&m, text, cases[i].sort, false, false, false);
		assert_int_equal(m.h.order_count, cases[i].entries);
		drop(&m);
	}
}

static void test_modes(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x a 3\nx k_a 4\nx a;k_a 1\n", "comm", false, false, false);
	assert_int_equal(hist_number(&m.h, FIELD_OVERHEAD_US, m.h.order[0]), 3);
	assert_int_equal(hist_number(&m.h, FIELD_OVERHEAD_SYS, m.h.order[0]), 5);
	assert_int_equal(hist_number(&m.h, FIELD_SAMPLES, m.h.order[0]), 3);
	assert_int_equal(hist_number(&m.h, FIELD_PERIOD, m.h.order[0]), 8);
	drop(&m);
}

/* Equal weights: names decide, unknown functions are last, by address. */
static void test_ties(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x c 1\nx a 1\nx ?9 1\nx ?1 1\nx b 1\n", "sym", false, false, false);
	static const char *const want[] = {"a", "b", "c", "[unknown]", "[unknown]"};
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		expect(&m, i, want[i], 1, 0);
	const struct hist_entry *e = &m.h.entries.v[m.h.order[3]];
	const struct hist_entry *f = &m.h.entries.v[m.h.order[4]];
	assert_true(profile_frame_at(m.p, hist_keys_frame(&m.keys, e->sym))->addr <
		    profile_frame_at(m.p, hist_keys_frame(&m.keys, f->sym))->addr);
	drop(&m);
}

/* With children and graphs callers are above callees of the same weight, whatever their names. The
 * chains of the leaf itself are as long as those of the root when both begin at the root. */
static void test_callers_first(void **state)
{
	(void)state;
	static const char text[] = "x z;y;x;w 7\nx z;y;x;w 1\n";
	struct made m;
	make(&m, text, NULL, true, true, false);
	expect(&m, 0, "z", 0, 8);
	expect(&m, 1, "y", 0, 8);
	expect(&m, 2, "x", 0, 8);
	expect(&m, 3, "w", 8, 8);
	drop(&m);
	make(&m, text, NULL, true, true, true);
	expect(&m, 0, "w", 8, 8);
	expect(&m, 1, "z", 0, 8);
	expect(&m, 2, "y", 0, 8);
	expect(&m, 3, "x", 0, 8);
	drop(&m);
}

static void test_filter(void **state)
{
	(void)state;
	struct made m = {.p = test_profile("x main;a 5\ny main;a 2\nx main;b 1\n")};
	struct err err = {0};
	struct filter_options f = {.comms = "z,x", .symbols = "a"};
	assert_true(hist_fields_set(&m.opt.fields, &(struct hist_request){0}, &err));
	assert_true(filter_init(&m.opt.filter, m.p, &f, &err));
	hist_keys_init(&m.keys, m.p, &m.opt.fields, SYM_FUNCTION, NULL);
	hist_build(&m.h, &m.keys, &m.opt, (event_id){1});
	assert_int_equal(m.h.order_count, 1);
	expect(&m, 0, "a", 5, 0);
	assert_int_equal(m.h.total_weight, 8);
	assert_int_equal(m.h.shown_weight, 5);
	assert_int_equal(m.h.shown_count, 1);
	filter_free(&m.opt.filter);
	drop(&m);
}

static void test_symbol_part(void **state)
{
	(void)state;
	struct made m = {.p = test_profile("x main;alpha 5\nx main;beta 2\nx main;?1 1\n"),
			 .opt = {.children = true, .symbol_part = "a"}};
	struct err err = {0};
	assert_true(hist_fields_set(&m.opt.fields,
				    &(struct hist_request){.sort = "sym", .children = true}, &err));
	hist_keys_init(&m.keys, m.p, &m.opt.fields, SYM_FUNCTION, NULL);
	m.opt.symbol_part = "ai";
	hist_build(&m.h, &m.keys, &m.opt, (event_id){1});
	assert_int_equal(m.h.order_count, 1);
	expect(&m, 0, "main", 0, 8);
	drop(&m);
}

static void test_group(void **state)
{
	(void)state;
	struct made m = {.p = test_profile("x a 5\nx b 2\n")};
	event_id other = profile_event(m.p, STR("faults"));
	struct profile_row row = m.p->rows.v[0];
	row.event = other;
	row.weight = 7;
	profile_add(m.p, &row);
	row.leaf = test_frame(m.p, STR("c"), 0);
	profile_add(m.p, &row);

	struct err err = {0};
	assert_true(hist_fields_set(&m.opt.fields, &(struct hist_request){0}, &err));
	hist_keys_init(&m.keys, m.p, &m.opt.fields, SYM_FUNCTION, NULL);
	hist_build(&m.h, &m.keys, &m.opt, (event_id){1});
	struct hist *members = mem_calloc(1, sizeof *members);
	hist_build(members, &m.keys, &m.opt, other);
	hist_join(&m.h, &m.keys, &m.opt, members, 1);
	assert_int_equal(m.h.order_count, 3);
	static const uint64_t want[] = {7, 0, 7};
	expect(&m, 0, "a", 5, 0);
	expect(&m, 1, "b", 2, 0);
	expect(&m, 2, "c", 0, 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			hist_number(&m.h.members[0], FIELD_PERIOD, m.h.pairs[m.h.order[i]]),
			want[i]);
	drop(&m);
}

/* On any profile: self sums to the total, no entry's children exceed it, self <= children. */
static void test_properties(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 20; round++) {
		char text[16384];
		size_t n = 0;
		while (n < sizeof text - 256) {
			n += (size_t)snprintf(text + n, 32, "%c/%d ", 'p' + (int)(seed % 3),
					      (int)(seed >> 8 & 3));
			for (uint64_t depth = 1 + (seed >> 16) % 12; depth; depth--) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				n += (size_t)snprintf(text + n, 8, "%s%c%s", seed >> 60 ? "" : "k_",
						      'a' + (int)(seed >> 40) % 9,
						      depth > 1 ? ";" : "");
			}
			n += (size_t)snprintf(text + n, 8, " %d\n", 1 + (int)(seed >> 50) % 99);
		}
		struct made m;
		make(&m, text, round % 2 ? "dso" : NULL, true, round % 3 == 0, round % 2);
		uint64_t self = 0;
		for (size_t i = 0; i < m.h.order_count; i++) {
			const struct hist_entry *e = &m.h.entries.v[m.h.order[i]];
			self += e->weight;
			assert_true(e->weight <= e->children);
			assert_true(e->children <= m.h.total_weight);
			if (i)
				assert_true(m.h.entries.v[m.h.order[i - 1]].children >=
					    e->children);
		}
		assert_int_equal(self, m.h.total_weight);
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_children_count_once),
		cmocka_unit_test(test_leaf_beside_stack),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_callers_first),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_symbol_part),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_properties),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
