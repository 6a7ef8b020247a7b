#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdio.h>

#include "event/kernel_filter.h"

static struct kernel_filter parse(const char *text)
{
	struct kernel_filter f = {0};
	struct err err = {0};
	if (!kernel_filter_parse(&f, text, &err))
		fail_msg("%s: %s", text, err.text);
	return f;
}

static void every_term_and_comparison(void **state)
{
	(void)state;
	static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
	for (int term = 0; term < FILTER_TERMS; term++)
		for (size_t op = 0; op < ARRAY_LEN(ops); op++) {
			char text[64];
			snprintf(text, sizeof text, "%s %s 0x10",
				 filter_term_name((enum filter_term)term), ops[op]);
			struct kernel_filter f = parse(text);
			assert_int_equal(f.tests.n, 1);
			assert_int_equal(f.tests.v[0].term, term);
			assert_int_equal(f.tests.v[0].op, op);
			assert_int_equal(f.tests.v[0].value, 16);
			assert_false(f.tests.v[0].alternative);
			kernel_filter_free(&f);
		}
}

static void values(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum filter_term term;
		uint64_t value;
	} all[] = {
		{"ip>0", FILTER_IP, 0},
		{"ip > 010", FILTER_IP, 10},
		{" ip\t>\t0XfF ", FILTER_IP, 255},
		{"addr == 0xffffffffffffffff", FILTER_ADDR, UINT64_MAX},
		{"time < 18446744073709551615", FILTER_TIME, UINT64_MAX},
		{"ins_lat > 1", FILTER_WEIGHT2, 1},
		{"p_stage_cyc > 1", FILTER_WEIGHT3, 1},
		{"retire_lat > 1", FILTER_WEIGHT3, 1},
		{"mem_op == load", FILTER_MEM_OP, 2},
		{"mem_op == store", FILTER_MEM_OP, 4},
		{"mem_op & exec", FILTER_MEM_OP, 16},
		{"mem_op == 2", FILTER_MEM_OP, 2},
		{"mem_lvl > l1", FILTER_MEM_LVL, 1},
		{"mem_lvl == ram", FILTER_MEM_LVL, 13},
		{"mem_lvl == na", FILTER_MEM_LVL, 15},
		{"mem_op == na", FILTER_MEM_OP, 1},
		{"mem_snoop == hitm", FILTER_MEM_SNOOP, 16},
		{"mem_snoop == fwd", FILTER_MEM_SNOOP, 32},
		{"mem_snoop & peer", FILTER_MEM_SNOOP, 64},
		{"mem_remote == remote", FILTER_MEM_REMOTE, 1},
		{"mem_lock == locked", FILTER_MEM_LOCK, 2},
		{"mem_dtlb == l2_miss", FILTER_MEM_DTLB, PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS},
		{"mem_dtlb == walk", FILTER_MEM_DTLB, PERF_MEM_TLB_WK},
		{"mem_blk == by_addr", FILTER_MEM_BLK, 4},
		{"mem_hops == hops3", FILTER_MEM_HOPS, 4},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct kernel_filter f = parse(all[i].text);
		assert_int_equal(f.tests.n, 1);
		assert_int_equal(f.tests.v[0].term, all[i].term);
		assert_int_equal(f.tests.v[0].value, all[i].value);
		kernel_filter_free(&f);
	}
}

static void tests_are_joined(void **state)
{
	(void)state;
	struct kernel_filter f = parse("cpu == 1 || cpu == 2, pid != 7,tid>1||tid<9||uid==0");
	static const bool alternative[] = {false, true, false, false, true, true};
	assert_int_equal(f.tests.n, ARRAY_LEN(alternative));
	for (size_t i = 0; i < f.tests.n; i++)
		assert_int_equal(f.tests.v[i].alternative, alternative[i]);
	/* A second text has to hold as well. */
	assert_true(kernel_filter_parse(&f, "gid == 5", NULL));
	assert_int_equal(f.tests.n, 7);
	assert_false(f.tests.v[6].alternative);
	kernel_filter_free(&f);
}

static void parsing_what_is_printed_gives_the_same(void **state)
{
	(void)state;
	static const char *const all[] = {
		"ip > 0xffffffff80000000",
		"mem_op == load || mem_op == store, mem_lvl > l1",
		"cpu == 0 || cpu & 3 || cpu <= 7, period >= 1000, time != 0, uid < 5",
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct out o;
		struct kernel_filter f = parse(all[i]);
		out_memory(&o);
		kernel_filter_print(&f, &o);
		out_char(&o, '\0');
		struct kernel_filter again = parse(o.buf);
		assert_int_equal(f.tests.n, again.tests.n);
		for (size_t k = 0; k < f.tests.n; k++) {
			assert_int_equal(f.tests.v[k].term, again.tests.v[k].term);
			assert_int_equal(f.tests.v[k].op, again.tests.v[k].op);
			assert_int_equal(f.tests.v[k].value, again.tests.v[k].value);
			assert_int_equal(f.tests.v[k].alternative, again.tests.v[k].alternative);
		}
		kernel_filter_free(&f);
		kernel_filter_free(&again);
		(void)out_finish(&o);
	}
}

/* Column of the mark in the text that the hint shows. */
static size_t marked_column(const struct err *err)
{
	const char *mark = strrchr(err->hint, '\n');
	if (!mark)
		fail_msg("no mark in: %s", err->hint);
	return (size_t)(strchr(mark, '^') - mark) - 1 - 8;
}

static void errors_mark_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says, *hint;
		size_t column;
	} all[] = {
		{"", "missing", "terms are", 0},
		{"  ", "missing", "terms are", 2},
		{"perod > 1", "\"perod\"", "period", 0},
		{"cpu == 1, pidd > 1", "\"pidd\"", "pid", 10},
		{"cpu == 1,", "missing", "terms are", 9},
		{"cpu == 1 ||", "missing", "terms are", 11},
		{"cpu = 1", "comparison", "==", 4},
		{"cpu", "comparison", "==", 3},
		{"cpu && pid", "comparison", "some bit", 4},
		{"cpu == ", "value", "number", 7},
		{"cpu == one", "\"one\"", "number", 7},
		{"cpu == 12ab", "\"12ab\"", "number", 7},
		{"cpu == 0x", "\"0x\"", "number", 7},
		{"cpu == 18446744073709551616", "cannot be compared", "number", 7},
		{"cpu == -1", "value", "number", 7},
		{"cpu == load", "\"load\"", "number", 7},
		{"mem_op == l1", "\"l1\"", "load store", 10},
		{"cpu == 1 && pid == 2", "joined", "or, and binds", 9},
		{"cpu == 1 pid == 2", "joined", "means and", 9},
		{"(cpu == 1)", "missing", "terms are", 0},
		{"cpu == 1 | pid == 2", "joined", "means and", 9},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct kernel_filter f = parse("uid == 0");
		struct err err = {0};
		assert_false(kernel_filter_parse(&f, all[i].text, &err));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.text, all[i].says) || !strstr(err.hint, all[i].hint))
			fail_msg("%s: %s\n%s", all[i].text, err.text, err.hint);
		if (marked_column(&err) != all[i].column)
			fail_msg("%s: marked at %zu\n%s", all[i].text, marked_column(&err),
				 err.hint);
		assert_int_equal(f.tests.n, 1); /* as before */
		kernel_filter_free(&f);
	}
}

static void not_more_than_the_limit(void **state)
{
	(void)state;
	struct kernel_filter f = {0};
	for (int i = 0; i < FILTER_MAX_TESTS; i++)
		assert_true(kernel_filter_parse(&f, "cpu == 1", NULL));
	struct err err = {0};
	assert_false(kernel_filter_parse(&f, "cpu == 1", &err));
	assert_non_null(strstr(err.text, "64"));
	assert_int_equal(f.tests.n, FILTER_MAX_TESTS);
	kernel_filter_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_term_and_comparison),
		cmocka_unit_test(values),
		cmocka_unit_test(tests_are_joined),
		cmocka_unit_test(parsing_what_is_printed_gives_the_same),
		cmocka_unit_test(errors_mark_the_place),
		cmocka_unit_test(not_more_than_the_limit),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
