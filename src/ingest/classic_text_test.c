#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/classic_text.h"

static void assert_text(struct str s, const char *expected)
{
	if (s.n != strlen(expected) || (s.n && memcmp(s.p, expected, s.n)))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)s.n, s.p, expected);
}

static void heads_are_cut_where_the_script_cuts(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm, *pid, *tid;
	} cases[] = {
		{"java 25607 4794564.1: cycles:", "java", "?", "25607"},
		{"V8 WorkerThread 1/2 [000] 9.1: 1 cycles:", "V8 WorkerThread", "1", "2"},
		{"foo 12 bar 77 1.5: 1 cycles:", "foo", "?", "12"},
		{"a   77 1.5: 1 cycles:", "a ", "?", "77"},
		{"a 12345 [000] 1.5: 250 cycles:", "a 12345 [000] 1.5:", "?", "250"},
		{"swapper 0/0 1.5:", "swapper", "?", "0"},
		{"sh 12/0 1.5:", "sh", "?", "12"},
		{"sh 12/ x", "sh", "?", "12"},
		{"sh 1//2 x", "sh", "1", "2"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct classic_head h;
		assert_true(classic_head(str_of(cases[i].line), &h));
		assert_text(h.comm, cases[i].comm);
		assert_text(h.pid, cases[i].pid);
		assert_text(h.tid, cases[i].tid);
	}
	struct classic_head h;
	assert_false(classic_head(STR(" sh 12 1.5: cycles:"), &h));
	assert_false(classic_head(STR("sh 12"), &h));
	assert_false(classic_head(STR("sh x12 y"), &h));
	assert_false(classic_head(STR("sh 1/2/3 y"), &h));
}

static void events_end_the_line(void **state)
{
	(void)state;
	struct str period, event;
	assert_true(classic_event(STR("x 1 2.3:   250 cycles:u: "), &period, &event));
	assert_text(period, "250");
	assert_text(event, "cycles:u");
	assert_true(classic_event(STR("x 1 2.3: cycles:"), &period, &event));
	assert_text(period, "");
	assert_true(classic_event(STR("x:7 y:"), &period, &event));
	assert_text(period, "7");
	assert_false(classic_event(STR("x 1 2.3: sched:switch: a=b"), &period, &event));
	assert_false(classic_event(STR("x 7 y:"), &period, &event));
	assert_false(classic_event(STR("x: :"), &period, &event));
	assert_false(classic_event(STR("x:"), &period, &event));
}

static void frames_match_greedily(void **state)
{
	(void)state;
	static const struct {
		const char *line, *pc, *name, *dso;
	} cases[] = {
		{"\t  11c f+0x1 (/x)", "11c", "f", "/x"},
		{"11c f+0x1 (/x (deleted))", "11c", "f+0x1 (/x", "deleted)"},
		{"abc (x)", "ab", "c", "x"},
		{"ab   (x)", "ab", " ", "x"},
		{"12 f () x)", "12", "f", ") x"},
		{"G+ (x)", "G", "+", "x"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct classic_frame f;
		assert_true(classic_frame(str_of(cases[i].line), &f));
		assert_text(f.pc, cases[i].pc);
		assert_text(f.name, cases[i].name);
		assert_text(f.dso, cases[i].dso);
	}
	struct classic_frame f;
	static const char *const others[] = {"", "f(x)", "a (x)", "+a b (x)", "1 f (x", " (x)"};
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(classic_frame(str_of(others[i]), &f));
}

/* All parts of a name, joined by '|'. */
static void expect_names(const char *name, const char *dso, struct classic_style style,
			 const char *expected)
{
	struct out o, all;
	out_memory(&o);
	out_memory(&all);
	struct classic_frame f = {STR("7f"), str_of(name), str_of(dso)};
	struct str rest = f.name, part;
	for (style.inlined = false; classic_part(&rest, &part); style.inlined = true) {
		if (style.inlined)
			out_char(&all, '|');
		classic_name(&o, &f, part, &style);
		out_str(&all, out_text(&o));
	}
	assert_text(out_text(&all), expected);
	(void)out_finish(&o);
	(void)out_finish(&all);
}

static void names_are_tidied(void **state)
{
	(void)state;
	struct classic_style plain = {0}, java = {.java = true};
	struct classic_style marks = {.kernel = true, .jit = true, .addrs = true};
	expect_names("foo(int)", "/x", plain, "foo");
	expect_names("a;b", "/x", plain, "a:b");
	expect_names("(anonymous namespace)::f(int)", "/x", plain, "(anonymous namespace)::f");
	expect_names("net/http.(*Client).Do", "/x", plain, "net/http.(*Client).Do");
	expect_names("RegExp:[&<>\"']", "/tmp/perf-1.map", plain, "RegExp:[&<>]");
	expect_names("[unknown]", "/usr/lib/x.so", plain, "[x.so]");
	expect_names("[unknown]", "[unknown]", plain, "[unknown]");
	expect_names("[unknown]", "[unknown]", marks, "[unknown <7f>]");
	expect_names("Lorg/x/Y;.call(Lz;)V", "/x", java, "org/x/Y:.call");
	expect_names("Lorg/x/Y;.call(Lz;)V", "/x", plain, "Lorg/x/Y:.call");
	expect_names("Label", "/x", java, "Label");
	expect_names("a->b->c", "[kernel.kallsyms]", marks, "a_[k]|b_[i]|c_[i]");
	expect_names("->a->", "/x", plain, "|a_[i]");
	expect_names("->", "/x", plain, "");
	expect_names("f", "/boot/vmlinux", marks, "f_[k]");
	expect_names("f", "[ext4]", marks, "f_[k]");
	expect_names("f", "/tmp/perf-12.map", marks, "f_[j]");
	expect_names("f_[j]x", "/tmp/perf-12.map", marks, "f_[j]x");
	expect_names("f", "/tmp/perf-.map", marks, "f");
	expect_names("f", "/a/vmlinux.ko", marks, "f");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heads_are_cut_where_the_script_cuts),
		cmocka_unit_test(events_end_the_line),
		cmocka_unit_test(frames_match_greedily),
		cmocka_unit_test(names_are_tidied),
	};
	return cmocka_run_group_tests_name("classic_text", tests, NULL, NULL);
}
