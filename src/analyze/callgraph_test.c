#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/callgraph.h"
#include "analyze/test_stacks.h"
#include "base/out.h"

struct made {
	struct profile *p;
	struct hist_options opt;
	struct hist_keys keys;
	struct hist h;
	struct callgraph_options how;
	struct callgraph g;
};

static void make(struct made *m, const char *text, bool children, const char *how)
{
	*m = (struct made){.p = test_profile(text), .how = {.min_percent = CALLGRAPH_MIN_PERCENT}};
	struct err err = {0};
	assert_true(callgraph_options_parse(&m->how, how, &err));
	struct hist_request r = {.sort = "sym", .children = children};
	assert_true(hist_fields_set(&m->opt.fields, &r, &err));
	m->opt.children = children;
	m->opt.graphs = true;
	m->opt.caller_first = m->how.caller_first;
	hist_keys_init(&m->keys, m->p, &m->opt.fields, m->how.syms, NULL);
	hist_build(&m->h, &m->keys, &m->opt, (event_id){1});
	callgraph_init(&m->g, &m->h, &m->keys, &m->how, children, m->h.total_weight);
}

static void drop(struct made *m)
{
	callgraph_free(&m->g);
	hist_free(&m->h);
	hist_keys_free(&m->keys);
	profile_free(m->p);
}

/* "a,b 5(c 3 d 1)": frames of a node, its weight, its children. */
static void write_node(struct out *o, const struct made *m, uint32_t id)
{
	const struct callgraph_node *n = &m->g.nodes.v[id];
	for (uint32_t i = 0; i < n->sym_count; i++) {
		frame_id f = hist_keys_frame(&m->keys, m->g.syms.v[n->first_sym + i]);
		out_cstr(o, i ? "," : "");
		out_str(o, profile_frame_name(m->p, f));
	}
	out_fmt(o, " %" PRIu64, n->weight);
	if (!n->first_child)
		return;
	out_char(o, '(');
	for (uint32_t c = n->first_child; c; c = m->g.nodes.v[c].next) {
		out_cstr(o, c == n->first_child ? "" : " ");
		write_node(o, m, c);
	}
	out_char(o, ')');
}

static void expect(struct made *m, const char *name, const char *want)
{
	struct out o;
	out_memory(&o);
	for (uint32_t i = 1; i < m->h.entries.n; i++) {
		frame_id f = hist_keys_frame(&m->keys, m->h.entries.v[i].sym);
		if (!str_is(profile_frame_name(m->p, f), name))
			continue;
		callgraph_of(&m->g, i);
		for (uint32_t c = m->g.nodes.v[0].first_child; c; c = m->g.nodes.v[c].next) {
			out_cstr(&o, c == m->g.nodes.v[0].first_child ? "" : " ");
			write_node(&o, m, c);
		}
	}
	out_char(&o, '\0');
	assert_string_equal(o.buf, want);
	(void)out_finish(&o);
}

static const char stacks[] = "x m;a;b;l 50\n"
			     "x m;a;l 30\n"
			     "x m;c;l 20\n"
			     "x m;a;b 5\n";

static void test_callee_first(void **state)
{
	(void)state;
	struct made m;
	make(&m, stacks, false, "callee");
	expect(&m, "l", "l 100(b,a,m 50 a,m 30 c,m 20)");
	expect(&m, "b", "b,a,m 5");
	drop(&m);
}

static void test_caller_first(void **state)
{
	(void)state;
	struct made m;
	make(&m, stacks, false, "caller");
	expect(&m, "l", "m 100(a 80(b,l 50 l 30) c,l 20)");
	expect(&m, "b", "m,a,b 5");
	drop(&m);
}

/* Samples of an entry are shown from the root, others from the entry on. */
static void test_children_caller_first(void **state)
{
	(void)state;
	struct made m;
	make(&m, stacks, true, "caller");
	expect(&m, "m", "m 105(a 85(b 55(l 50) l 30) c,l 20)");
	expect(&m, "a", "a 85(b 55(l 50) l 30)");
	expect(&m, "b", "b,l 50 m,a,b 5");
	expect(&m, "l", "m 100(a 80(b,l 50 l 30) c,l 20)");
	drop(&m);
}

static void test_children_callee_first(void **state)
{
	(void)state;
	struct made m;
	make(&m, stacks, true, "callee");
	expect(&m, "a", "a,m 85");
	expect(&m, "b", "b,a,m 55");
	expect(&m, "m", "m 105");
	drop(&m);
}

/* A function that calls itself: outermost caller first, innermost callee first; each sample once.
 */
static void test_recursion(void **state)
{
	(void)state;
	static const char text[] = "x m;r;r;l 6\nx m;r;l 4\nx m;r;a;r 2\n";
	struct made m;
	make(&m, text, true, "caller");
	expect(&m, "r", "r 10(r,l 6 l 4) m,r,a,r 2");
	drop(&m);
	make(&m, text, true, "callee");
	expect(&m, "r", "r 12(r,m 6 m 4 a,r,m 2)");
	drop(&m);
}

static void test_loose_end(void **state)
{
	(void)state;
	struct made m = {.p = test_profile("x m;b;a 4\nx m;b 3\n")};
	m.p->rows.v[0].leaf = test_frame(m.p, STR("b"), 3);
	struct err err = {0};
	m.how.min_percent = 0.5;
	assert_true(hist_fields_set(&m.opt.fields,
				    &(struct hist_request){.sort = "sym", .children = true}, &err));
	m.opt.children = m.opt.graphs = true;
	hist_keys_init(&m.keys, m.p, &m.opt.fields, SYM_FUNCTION, NULL);
	hist_build(&m.h, &m.keys, &m.opt, (event_id){1});
	callgraph_init(&m.g, &m.h, &m.keys, &m.how, true, m.h.total_weight);
	expect(&m, "b", "a,b,m 4 b,m 3");
	drop(&m);
}

static void test_threshold(void **state)
{
	(void)state;
	struct made m;
	make(&m, stacks, false, "graph,25,callee");
	expect(&m, "l", "l 100(b,a,m 50 a,m 30)");
	assert_int_equal(m.g.nodes.v[m.g.nodes.v[0].first_child].below_weight, 100);
	assert_false(callgraph_worth(&m.g, 25));
	assert_true(callgraph_worth(&m.g, 26));
	drop(&m);
	/* Fractal: of what the node above has below it. */
	make(&m, stacks, false, "fractal,25,callee");
	expect(&m, "l", "l 100(b,a,m 50 a,m 30)");
	expect(&m, "b", "b,a,m 5");
	drop(&m);
}

/* Frames that no graph can show are merged beforehand: the rest must come out the same. */
static void test_nameless_frames(void **state)
{
	(void)state;
	static const char text[] = "x m;?1;l 30\nx m;?2;?3;l 30\nx m;?4;l 30\nx m;d;e;l 9\n"
				   "x m;?5 1\n";
	struct made m;
	make(&m, text, true, "graph,40,caller");
	expect(&m, "m", "m 100");
	assert_int_equal(m.g.nodes.v[1].below_weight, 100);
	expect(&m, "l", "m 99");
	drop(&m);
	make(&m, text, false, "graph,40,callee");
	expect(&m, "l", "l 99");
	assert_int_equal(m.g.nodes.v[1].below_weight, 99);
	drop(&m);
	make(&m, text, true, "graph,9,caller");
	expect(&m, "d", "d,e,l 9");
	drop(&m);
}

static void test_chains(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x m;a 5\nx m;b;a 9\nx m 2\nx m;a;c 5\n", true, "folded,0,callee");
	expect(&m, "m", "m 21");
	assert_int_equal(m.g.ends.n, 1);
	expect(&m, "a", "a 19(m 10 b,m 9)");
	assert_int_equal(m.g.ends.n, 2);
	assert_int_equal(m.g.nodes.v[m.g.ends.v[0].node].weight, 10);
	assert_int_equal(m.g.nodes.v[m.g.ends.v[1].node].weight, 9);
	drop(&m);
}

static void test_addresses(void **state)
{
	(void)state;
	struct made m;
	make(&m, "x m;a 5\nx m;a 3\n", false, "address,caller");
	expect(&m, "a", "m,a 5 m,a 3");
	drop(&m);
}

static void test_options(void **state)
{
	(void)state;
	struct err err = {0};
	struct callgraph_options o = {.min_percent = 0.5};
	assert_true(callgraph_options_parse(&o, "fra,2.5,7,caller,addr,count", &err));
	assert_int_equal(o.mode, CALLGRAPH_FRACTAL);
	assert_true(o.min_percent == 2.5);
	assert_int_equal(o.print_limit, 7);
	assert_true(o.caller_first && o.order_set && o.syms);
	assert_int_equal(o.value, CALLGRAPH_COUNT);
	assert_true(callgraph_options_parse(&o, "callee,,p", &err));
	assert_false(o.caller_first);
	assert_int_equal(o.mode, CALLGRAPH_FRACTAL);
	assert_int_equal(o.value, CALLGRAPH_PERCENT);
	assert_true(callgraph_options_parse(&o, "none", &err));
	assert_int_equal(o.mode, CALLGRAPH_NONE);
	assert_false(callgraph_options_parse(&o, "graph,purple", &err));
	assert_non_null(strstr(err.text, "purple"));
	assert_false(callgraph_options_parse(&o, "1,2,3", &err));
	assert_false(callgraph_options_parse(&o, "-1", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callee_first),
		cmocka_unit_test(test_caller_first),
		cmocka_unit_test(test_children_caller_first),
		cmocka_unit_test(test_children_callee_first),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_loose_end),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_nameless_frames),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_options),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
