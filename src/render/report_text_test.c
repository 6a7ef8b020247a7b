#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/test_stacks.h"
#include "render/report_text.h"

struct setup {
	const char *text;
	struct hist_request columns;
	const char *graph; /* NULL: none */
	double min_percent;
	const char *separator;
	bool quiet;
};

static void expect(struct setup s, const char *want)
{
	struct profile *p = test_profile(s.text);
	struct err err = {0};
	struct callgraph_options graph = {.mode = CALLGRAPH_NONE};
	if (s.graph) {
		graph = (struct callgraph_options){.min_percent = CALLGRAPH_MIN_PERCENT};
		assert_true(callgraph_options_parse(&graph, s.graph, &err));
	}
	struct hist_options opt = {.children = s.columns.children,
				   .graphs = s.graph,
				   .caller_first = graph.caller_first};
	assert_true(hist_fields_set(&opt.fields, &s.columns, &err));
	struct report_options report = {.hist = &opt,
					.graph = &graph,
					.min_percent = s.min_percent,
					.separator = s.separator,
					.quiet = s.quiet};
	struct hist_keys keys;
	hist_keys_init(&keys, p, &opt.fields, graph.syms, NULL);
	struct hist h;
	hist_build(&h, &keys, &opt, (event_id){1});
	struct out o;
	out_memory(&o);
	report_text_event(&o, &h, &keys, &report);
	out_char(&o, '\0');
	assert_string_equal(o.buf, want);
	(void)out_finish(&o);
	hist_free(&h);
	hist_keys_free(&keys);
	profile_free(p);
}

static const char stacks[] = "prog/7 main;run;work 700\n"
			     "prog/7 main;run 100\n"
			     "prog/7 main;k_idle 150\n"
			     "other/8 main;?1 50\n";

static void test_table(void **state)
{
	(void)state;
	expect((struct setup){.text = stacks},
	       "# Samples: 4  of event 'clock'\n"
	       "# Event count (approx.): 1000\n"
	       "#\n"
	       "# Overhead  Command  Shared Object      Symbol                \n"
	       "# ........  .......  .................  ......................\n"
	       "#\n"
	       "    70.00%  prog     lib                [.] work\n"
	       "    15.00%  prog     [kernel.kallsyms]  [k] k_idle\n"
	       "    10.00%  prog     lib                [.] run\n"
	       "     5.00%  other    lib                [.] 0x0000000000001421\n"
	       "\n\n");
}

static void test_columns(void **state)
{
	(void)state;
	expect((struct setup){.text = stacks,
			      .columns = {.sort = "pid", .samples = true, .period = true}},
	       "# Samples: 4  of event 'clock'\n"
	       "# Event count (approx.): 1000\n"
	       "#\n"
	       "# Overhead       Samples        Period      Pid:Command\n"
	       "# ........  ............  ............  ...............\n"
	       "#\n"
	       "    95.00%             3           950        7:prog   \n"
	       "     5.00%             1            50        8:other  \n"
	       "\n\n");
	expect((struct setup){.text = stacks,
			      .columns = {.fields = "overhead_us,overhead_sys,cpu"},
			      .quiet = true},
	       "    80.00%    15.00%  001\n"
	       "     5.00%     0.00%  000\n"
	       "\n\n");
	expect((struct setup){.text = stacks,
			      .columns = {.fields = "overhead_children,overhead,dso"},
			      .min_percent = 20,
			      .quiet = true},
	       "       N/A    85.00%  lib              \n"
	       "\n\n");
}

/* The separator itself cannot be in a cell. */
static void test_separator(void **state)
{
	(void)state;
	expect((struct setup){.text = "p a 2\np a:b 1\n",
			      .columns = {.sort = "sym"},
			      .separator = ":"},
	       "# Samples: 2  of event 'clock'\n"
	       "# Event count (approx.): 3\n"
	       "#\n"
	       "# Overhead:Symbol \n"
	       " 66.67% :[.] a\n"
	       " 33.33% :[.] a.b\n"
	       "\n\n");
}

static void test_graph(void **state)
{
	(void)state;
	expect((struct setup){.text = "p main;run;work 6\np main;work 3\np main;run;a;b 1\n",
			      .columns = {.sort = "comm"},
			      .graph = "caller",
			      .quiet = true},
	       "   100.00%  p      \n"
	       "            |\n"
	       "            ---main\n"
	       "               |          \n"
	       "               |--70.00%--run\n"
	       "               |          |          \n"
	       "               |          |--60.00%--work\n"
	       "               |          |          \n"
	       "               |           --10.00%--a\n"
	       "               |                     b\n"
	       "               |          \n"
	       "                --30.00%--work\n"
	       "\n"
	       "\n\n");
	/* Several roots have percentages of their own. */
	expect((struct setup){.text = "p main;a 3\np start;a 1\n",
			      .columns = {.sort = "comm"},
			      .graph = "caller,count",
			      .quiet = true},
	       "   100.00%  p      \n"
	       "            |          \n"
	       "            |--1--main\n"
	       "            |          a\n"
	       "            |          \n"
	       "             --1--start\n"
	       "                       a\n"
	       "\n"
	       "\n\n");
}

static void test_fractal(void **state)
{
	(void)state;
	expect(
		(struct setup){
			.text = "p main;run;work 6\np main;run;a 2\np main;run;b 1\np main 1\n",
			.columns = {.sort = "comm"},
			.graph = "fractal,20,caller",
			.quiet = true},
		"   100.00%  p      \n"
		"            |\n"
		"            ---main\n"
		"               |          \n"
		"               |--90.00%--run\n"
		"               |          |          \n"
		"               |          |--66.67%--work\n"
		"               |          |          \n"
		"               |          |--22.22%--a\n"
		"               |           --11.11%--[...]\n"
		"                --10.00%--[...]\n"
		"\n"
		"\n\n");
}

static void test_limit(void **state)
{
	(void)state;
	expect((struct setup){.text = "p m;a 3\np m;b 2\np m;c 1\n",
			      .columns = {.sort = "comm"},
			      .graph = "caller,0.5,2,period",
			      .quiet = true},
	       "   100.00%  p      \n"
	       "            |\n"
	       "            ---m\n"
	       "               |          \n"
	       "               |--3--a\n"
	       "               |          \n"
	       "               |--2--b\n"
	       "\n"
	       "\n\n");
}

static void test_chains(void **state)
{
	(void)state;
	static const char text[] = "p m;run;work 6\np m;work 3\np m;run 1\n";
	expect((struct setup){.text = text,
			      .columns = {.sort = "comm"},
			      .graph = "flat,caller",
			      .quiet = true},
	       "   100.00%  p      \n"
	       "           60.00%\n"
	       "                m\n"
	       "                run\n"
	       "                work\n"
	       "\n"
	       "           30.00%\n"
	       "                m\n"
	       "                work\n"
	       "\n"
	       "           70.00%\n"
	       "                m\n"
	       "                run\n"
	       "\n"
	       "\n\n");
	expect((struct setup){.text = text,
			      .columns = {.sort = "comm"},
			      .graph = "folded,callee,period",
			      .quiet = true},
	       "   100.00%  p      \n"
	       "6 work;run;m\n"
	       "3 work;m\n"
	       "1 run;m\n"
	       "\n\n");
}

static void test_children(void **state)
{
	(void)state;
	expect((struct setup){.text = "p m;a;b 3\np m;a 1\n",
			      .columns = {.sort = "sym", .children = true},
			      .graph = "caller",
			      .quiet = true},
	       "   100.00%     0.00%  [.] m\n"
	       "            |\n"
	       "            ---m\n"
	       "               a\n"
	       "               |          \n"
	       "                --75.00%--b\n"
	       "\n"
	       "   100.00%    25.00%  [.] a\n"
	       "            |          \n"
	       "            |--75.00%--a\n"
	       "            |          b\n"
	       "            |          \n"
	       "             --25.00%--m\n"
	       "                       a\n"
	       "\n"
	       "    75.00%    75.00%  [.] b\n"
	       "            |\n"
	       "            ---m\n"
	       "               a\n"
	       "               b\n"
	       "\n"
	       "\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),     cmocka_unit_test(test_columns),
		cmocka_unit_test(test_separator), cmocka_unit_test(test_graph),
		cmocka_unit_test(test_fractal),   cmocka_unit_test(test_limit),
		cmocka_unit_test(test_chains),    cmocka_unit_test(test_children),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
