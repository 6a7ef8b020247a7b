#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/import.h"
#include "ingest/script_text.h"

static void assert_text(struct str s, const char *expected)
{
	if (s.n != strlen(expected) || (s.n && memcmp(s.p, expected, s.n)))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)s.n, s.p, expected);
}

static void heads_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm;
		int pid, tid;
		uint64_t period;
		const char *event, *rest;
	} cases[] = {
		{"java 25607 4794564.109216: cycles: ", "java", -1, 25607, 1, "cycles", ""},
		{"swapper     0 [000]  2382.090647:    250000 cpu-clock:pppH: ", "swapper", -1, 0,
		 250000, "cpu-clock:pppH", ""},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216:        100 cycles:u: ",
		 "V8 WorkerThread", 24636, 25607, 100, "cycles:u", ""},
		{"            loop   652  2383.260541:    1001001 cpu-clock:      5563 leaf+0x13 (/x)",
		 "loop", -1, 652, 1001001, "cpu-clock", "5563 leaf+0x13 (/x)"},
		{"perf   646 [000]  2382.09: sched:sched_switch: prev_comm=a 7 1.5: b:", "perf", -1,
		 646, 1, "sched:sched_switch", "prev_comm=a 7 1.5: b:"},
		{"a 12345 [000] 1.5: 1 cycles:", "a", -1, 12345, 1, "cycles", ""},
		{"foo 12 bar 77 [001] 1.5: 1 cycles:", "foo 12 bar", -1, 77, 1, "cycles", ""},
		{"[kw] x] 77 [001] 1.5: 1 cycles:", "[kw] x]", -1, 77, 1, "cycles", ""},
		{"Tab[3] 9/8 1.5: cycles:", "Tab[3]", 9, 8, 1, "cycles", ""},
		{":-1    -1 [001]   5.000001:          1 cycles:", ":-1", -1, -1, 1, "cycles", ""},
		{"x:y/z 5 1.000000001:  7 ev ent:x: ", "x:y/z", -1, 5, 7, "ev ent:x", ""},
		{"sh 5 [002] U 1.5: 7 cycles: ", "sh", -1, 5, 7, "cycles", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct script_head h;
		assert_true(script_head(str_of(cases[i].line), false, &h));
		assert_text(h.comm, cases[i].comm);
		assert_int_equal(h.pid, cases[i].pid);
		assert_int_equal(h.tid, cases[i].tid);
		assert_int_equal(h.period, cases[i].period);
		assert_text(h.event, cases[i].event);
		assert_text(h.rest, cases[i].rest);
		assert_false(h.side_band);
	}
}

static void heads_without_time_are_read_when_allowed(void **state)
{
	(void)state;
	struct script_head h;
	assert_false(script_head(STR("loop   622/623   cpu-clock: "), false, &h));
	assert_true(script_head(STR("loop   622/623   cpu-clock: "), true, &h));
	assert_text(h.comm, "loop");
	assert_int_equal(h.tid, 623);
	assert_text(h.event, "cpu-clock");
	assert_true(script_head(STR("two words 12 [003] 9 cycles:"), true, &h));
	assert_text(h.comm, "two words");
	assert_int_equal(h.period, 9);
	assert_true(script_head(STR("sh 12"), true, &h));
	assert_text(h.event, "");
}

static void other_lines_are_no_heads(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",          " ",
		"word",      "1.5:",
		"12 1.5:",   "x 1.5: cycles:",
		"x -y 1.5:", "x 99999999999 1.5: cycles:",
		"x 12 13",   "x 12 some words",
	};
	struct script_head h;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (script_head(str_of(lines[i]), true, &h))
			fail_msg("\"%s\" is taken for a head", lines[i]);
	assert_true(script_head(STR("sh 7 1.5: PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ 0]: r-xp /x"),
				false, &h));
	assert_true(h.side_band);
}

static void frames_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t addr;
		const char *name, *dso;
		bool inlined;
	} cases[] = {
		{"\t            116c leaf+0x13 (/tmp/loop)", 0x116c, "leaf", "/tmp/loop", false},
		{"ffffffff81000000 [unknown] ([kernel.kallsyms])", 0xffffffff81000000, "",
		 "[kernel.kallsyms]", false},
		{"7f00 [unknown] ([unknown])", 0x7f00, "", "", false},
		{"1 f+0x2 (/a b (deleted))", 1, "f", "/a b (deleted)", false},
		{"1 f (/a (deleted))", 1, "f", "/a (deleted)", false},
		{"1 ns::f(int (*)(char)) const+0x2 (/x y)", 1, "ns::f(int (*)(char)) const", "/x y",
		 false},
		{"1 operator() (/x)", 1, "operator()", "/x", false},
		{"1 (anonymous namespace)::f (/x)", 1, "(anonymous namespace)::f", "/x", false},
		{"1 f+0x1 (inlined)", 1, "f", "", true},
		{"1 f+0x1 (/x+0x99)", 1, "f", "/x", false},
		{"1 f", 1, "f", "", false},
		{"11e5", 0x11e5, "", "", false},
		{"1 a+0x1 (b)+0x2 (/c)", 1, "a+0x1 (b)", "/c", false},
		{"1 f (", 1, "f (", "", false},
		{"1 )", 1, ")", "", false},
		{"1  (x)", 1, "(x)", "", false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct script_frame f;
		assert_true(script_frame(str_of(cases[i].text), &f));
		assert_true(f.addr == cases[i].addr);
		assert_text(f.name, cases[i].name);
		assert_text(f.dso, cases[i].dso);
		assert_int_equal(f.inlined, cases[i].inlined);
	}
	static const char *const others[] = {"", "loop.c:5", "zz f (x)", "12345678901234567 f (x)"};
	struct script_frame f;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(script_frame(str_of(others[i]), &f));
}

static void inputs_are_told_apart(void **state)
{
	(void)state;
	static const struct {
		struct str text;
		enum input_kind kind;
	} cases[] = {
		{{"PERFILE2\x68\0\0", 11}, INPUT_PERFDATA},
		{{"2ELIFREP", 8}, INPUT_PERFDATA},
		{{"a;b;c 12\n", 9}, INPUT_FOLDED},
		{{"a 1", 3}, INPUT_FOLDED},
		{{"main;f(int, char) 3.5\nx\t4\n", 26}, INPUT_FOLDED},
		{{"sh 1 1.5: cycles:\n\t 1 f (x)\n", 28}, INPUT_PERF_SCRIPT},
		{{"\nsh 1/2 cycles:\n\t12 f\n", 22}, INPUT_PERF_SCRIPT},
		{{"# ========\n# cmdline : perf record 3\n#\n", 39}, INPUT_PERF_SCRIPT},
		{{"         sh 1 1.5:  1 cycles: 12 f (x)\n", 39}, INPUT_PERF_SCRIPT},
		{{"", 0}, INPUT_UNKNOWN},
		{{"hello world\n", 12}, INPUT_UNKNOWN},
		{{"a\0b 12\n", 7}, INPUT_UNKNOWN},
		{{"\x7f"
		  "ELF",
		  4},
		 INPUT_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (input_sniff(cases[i].text.p, cases[i].text.n) != cases[i].kind)
			fail_msg("\"%s\" is taken for another kind", cases[i].text.p);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_read),
		cmocka_unit_test(heads_without_time_are_read_when_allowed),
		cmocka_unit_test(other_lines_are_no_heads),
		cmocka_unit_test(frames_are_read),
		cmocka_unit_test(inputs_are_told_apart),
	};
	return cmocka_run_group_tests_name("script_text", tests, NULL, NULL);
}
