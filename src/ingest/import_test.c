#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/import.h"

struct imported {
	struct profile *p;
	struct diags d;
};

static struct imported read_folded(const char *text)
{
	struct imported i = {.p = profile_new()};
	struct lines in;
	struct err err;
	lines_open_memory(&in, str_of(text), "in.folded");
	assert_true(import_folded(i.p, &in, &i.d, &err));
	lines_close(&in);
	return i;
}

static struct imported read_script(const char *text, enum import_detail detail)
{
	struct imported i = {.p = profile_new()};
	struct lines in;
	struct err err;
	lines_open_memory(&in, str_of(text), "in.txt");
	assert_true(import_perf_script(i.p, &in, detail, &i.d, &err));
	lines_close(&in);
	return i;
}

static void expect_row(const struct profile *p, size_t row, const char *comm, const char *event,
		       uint64_t count, uint64_t weight, size_t depth)
{
	assert_true(row < p->rows.n);
	const struct profile_row *r = &p->rows.v[row];
	assert_true(str_is(profile_str(p, p->threads.v[r->thread.v].comm), comm));
	assert_true(str_is(profile_str(p, p->events.v[r->event.v].name), event));
	assert_int_equal(r->count, count);
	assert_int_equal(r->weight, weight);
	assert_int_equal(profile_stack_depth(p, r->stack), depth);
}

static void bad_folded_lines_are_counted(void **state)
{
	(void)state;
	struct imported i = read_folded("a;b 1\nnonsense\n\nc 2.5\nc 1e5\n5\nd -1\n");
	assert_int_equal(i.p->rows.n, 2);
	assert_int_equal(i.p->rows.v[1].weight, 3);
	assert_int_equal(i.d.of[DIAG_BAD_LINE].count, 4);
	assert_non_null(strstr(i.d.of[DIAG_BAD_LINE].first, "in.folded: line 2 "));
	assert_int_equal(i.d.of[DIAG_NOTE].count, 1); /* rounded */
	assert_false(diags_partial(&i.d));
	profile_free(i.p);
}

static void weights_beyond_64_bits_are_left_out(void **state)
{
	(void)state;
	struct imported i = read_folded("a 18446744073709551615\nb 1\nc 18446744073709551616\n");
	assert_int_equal(i.p->rows.n, 1);
	assert_true(diags_partial(&i.d));
	profile_free(i.p);
}

static void suffixes_tell_the_kind(void **state)
{
	(void)state;
	struct imported i = read_folded("a;b_[k] 1\na;c_[j];d_[i] 1\n");
	const struct profile *p = i.p;
	frame_id leaf = p->rows.v[0].leaf;
	assert_int_equal(profile_frame_at(p, leaf)->kind, CODE_KERNEL);
	assert_true(str_is(profile_frame_name(p, leaf), "b_[k]"));
	assert_int_equal(profile_frame_at(p, p->rows.v[1].leaf)->flags, FRAME_INLINED);
	profile_free(i.p);
}

static const char *const sample_text =
	"# ========\n"
	"# captured on    : 1 2.5: x:\n"
	"#\n"
	"sh 10/11 [000] 1.5:    100 cycles: \n"
	"\tffffffff81000001 read+0x1 ([kernel.kallsyms])\n"
	"\t             200 main+0x5 (/bin/sh)\n"
	"  sh.c:5\n"
	"\n"
	"sh 10/12 [000] 1.6:    50 cycles: \n"
	"\tffffffff81000009 read+0x9 ([kernel.kallsyms])\n"
	"\t             208 main+0x9 (/bin/sh)\n"
	"\n"
	"sh 10/11 1.7: PERF_RECORD_MMAP2 10/10: [0x0(0x1) @ 0]: r-xp /x\n"
	"sh 10/11 [000] 1.7: sched:switch: next=ffff x (y)\n"
	"\tffffffff81000009 [unknown] ([kernel.kallsyms])\n"
	"\t              20 f+0x9 (inlined)\n"
	"\t             208 jit (/tmp/perf-10.map)\n"
	"\n"
	"what is this?\n"
	"\t             208 main+0x9 (/bin/sh)\n"
	"\n"
	"cat 10/11 [000] 1.8: 7 cycles: \n"
	"\t             208 main+0x9 (/bin/cat)"; /* the last sample has no blank line */

static void samples_are_read(void **state)
{
	(void)state;
	struct imported i = read_script(sample_text, IMPORT_BY_COMM);
	const struct profile *p = i.p;
	assert_int_equal(p->rows.n, 3);
	expect_row(p, 0, "sh", "cycles", 2, 150, 2);
	expect_row(p, 1, "sh", "sched:switch", 1, 1, 3);
	expect_row(p, 2, "cat", "cycles", 1, 7, 1);
	frame_id frames[3];
	profile_stack_frames(p, p->rows.v[1].stack, frames, 3);
	assert_int_equal(profile_frame_at(p, frames[0])->flags, FRAME_JIT);
	assert_int_equal(profile_frame_at(p, frames[1])->flags, FRAME_INLINED);
	assert_int_equal(profile_frame_at(p, frames[2])->kind, CODE_KERNEL);
	assert_true(profile_frame_at(p, frames[2])->addr == 0xffffffff81000009);
	assert_true(p->events.v[p->rows.v[1].event.v].tracepoint);
	assert_int_equal(i.d.of[DIAG_BAD_LINE].count, 1);
	assert_non_null(strstr(i.d.of[DIAG_BAD_LINE].first, "in.txt: line 19 "));
	profile_free(i.p);
}

static void threads_are_kept_apart_when_asked(void **state)
{
	(void)state;
	struct imported i = read_script(sample_text, IMPORT_BY_THREAD);
	const struct profile *p = i.p;
	assert_int_equal(p->rows.n, 4);
	assert_int_equal(p->threads.v[p->rows.v[1].thread.v].pid, 10);
	assert_int_equal(p->threads.v[p->rows.v[1].thread.v].tid, 12);
	profile_free(i.p);
}

static void samples_on_one_line_have_a_leaf(void **state)
{
	(void)state;
	struct imported i = read_script("          abc   5  1.5:  10 cycles:  7f f+0x1 (/x)\n"
					"          abc   5  1.6:  10 cycles:  80 f+0x2 (/x)\n"
					"          abc   5  1.7:     s:tp:  80 f+0x2 (/x)\n",
					IMPORT_BY_COMM);
	const struct profile *p = i.p;
	assert_int_equal(p->rows.n, 2);
	expect_row(p, 0, "abc", "cycles", 2, 20, 0);
	assert_true(str_is(profile_frame_name(p, p->rows.v[0].leaf), "f"));
	assert_int_equal(p->rows.v[1].leaf.v, 0);
	profile_free(i.p);
}

static void periods_beyond_64_bits_are_left_out(void **state)
{
	(void)state;
	struct imported i = read_script("sh 1 1.5: 18446744073709551615 cycles:\n\t1 f (x)\n\n"
					"sh 1 1.5: 2 cycles:\n\t1 f (x)\n\n",
					IMPORT_BY_COMM);
	assert_int_equal(i.p->rows.n, 1);
	assert_true(diags_partial(&i.d));
	profile_free(i.p);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_folded_lines_are_counted),
		cmocka_unit_test(weights_beyond_64_bits_are_left_out),
		cmocka_unit_test(suffixes_tell_the_kind),
		cmocka_unit_test(samples_are_read),
		cmocka_unit_test(threads_are_kept_apart_when_asked),
		cmocka_unit_test(samples_on_one_line_have_a_leaf),
		cmocka_unit_test(periods_beyond_64_bits_are_left_out),
	};
	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
