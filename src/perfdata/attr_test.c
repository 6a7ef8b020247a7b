#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "perfdata/attr_name.h"
#include "perfdata/test_maker.h"

static const struct attr full = {
	.type = 4,
	.config = 0x1122334455667788,
	.sample_period = 4000,
	.sample_type = 0x1234567,
	.read_format = 31,
	.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_FREQ |
		 (uint64_t)2 << ATTR_PRECISE_SHIFT | ATTR_SAMPLE_ID_ALL | ATTR_MMAP2 |
		 ATTR_BPF_EVENT | ATTR_CGROUP | ATTR_SIGTRAP,
	.wakeup_events = 5,
	.bp_type = 6,
	.config1 = 7,
	.config2 = 8,
	.branch_sample_type = 9,
	.sample_regs_user = 10,
	.sample_stack_user = 8192,
	.clockid = -1,
	.sample_regs_intr = 12,
	.aux_watermark = 13,
	.sample_max_stack = 127,
	.aux_sample_size = 14,
	.aux_action = 15,
	.sig_data = 16,
	.config3 = 17,
};

/* What is left of `full` in an attr of this size. */
static struct attr cut_to(uint32_t size)
{
	struct attr a = full;
	a.size = size;
	if (size < 136)
		a.config3 = 0;
	if (size < 128)
		a.sig_data = 0;
	if (size < 120)
		a.aux_sample_size = a.aux_action = 0;
	if (size < 112)
		a.aux_watermark = a.sample_max_stack = 0;
	if (size < 104)
		a.sample_regs_intr = 0;
	if (size < 96) {
		a.sample_regs_user = 0;
		a.sample_stack_user = 0;
		a.clockid = 0;
	}
	if (size < 80)
		a.branch_sample_type = 0;
	if (size < 72)
		a.config2 = 0;
	return a;
}

static void assert_same(const struct attr *a, const struct attr *b)
{
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->config, b->config);
	assert_int_equal(a->sample_period, b->sample_period);
	assert_int_equal(a->sample_type, b->sample_type);
	assert_int_equal(a->read_format, b->read_format);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->wakeup_events, b->wakeup_events);
	assert_int_equal(a->bp_type, b->bp_type);
	assert_int_equal(a->config1, b->config1);
	assert_int_equal(a->config2, b->config2);
	assert_int_equal(a->branch_sample_type, b->branch_sample_type);
	assert_int_equal(a->sample_regs_user, b->sample_regs_user);
	assert_int_equal(a->sample_stack_user, b->sample_stack_user);
	assert_int_equal(a->clockid, b->clockid);
	assert_int_equal(a->sample_regs_intr, b->sample_regs_intr);
	assert_int_equal(a->aux_watermark, b->aux_watermark);
	assert_int_equal(a->sample_max_stack, b->sample_max_stack);
	assert_int_equal(a->aux_sample_size, b->aux_sample_size);
	assert_int_equal(a->aux_action, b->aux_action);
	assert_int_equal(a->sig_data, b->sig_data);
	assert_int_equal(a->config3, b->config3);
}

static void decodes_every_size(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144};
	for (size_t i = 0; i < 2 * ARRAY_LEN(sizes); i++) {
		uint32_t size = sizes[i / 2];
		struct maker m;
		mk_init(&m, i % 2);
		mk_attr(&m, &full, size);
		mk_u32(&m, 0xabcd);
		struct cursor c = cursor_of(m.o.buf, m.o.n, m.swap);
		struct attr got, want = cut_to(size);
		assert_true(attr_decode(&c, &got));
		assert_same(&got, &want);
		assert_int_equal(cursor_u32(&c), 0xabcd); /* stands behind the attr */
		out_finish(&m.o);
	}
}

static void refuses_impossible_sizes(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {0, 8, 63, 145, 0x80000000, UINT32_MAX};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		uint8_t bytes[144] = {0};
		memcpy(bytes + 4, &sizes[i], 4);
		struct cursor c = cursor_of(bytes, sizeof bytes, false);
		struct attr a;
		assert_false(attr_decode(&c, &a));
		assert_true(c.bad);
	}
	struct cursor none = cursor_of("", 0, false);
	struct attr a;
	assert_false(attr_decode(&none, &a));
}

static void encodes_what_it_decodes(void **state)
{
	(void)state;
	uint8_t bytes[ATTR_BYTES];
	struct attr got, want = cut_to(ATTR_BYTES);
	attr_encode(&full, bytes);
	struct cursor c = cursor_of(bytes, sizeof bytes, false);
	assert_true(attr_decode(&c, &got));
	assert_same(&got, &want);
}

static void file_size_is_the_smallest_that_holds_it(void **state)
{
	(void)state;
	struct attr a = {.sample_max_stack = 1};
	assert_int_equal(attr_file_size(&a), 112);
	a.aux_sample_size = 1;
	assert_int_equal(attr_file_size(&a), 120);
	a.sig_data = 1;
	assert_int_equal(attr_file_size(&a), 128);
}

static void finds_the_id(void **state)
{
	(void)state;
	size_t at;
	struct attr a = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID};
	assert_true(attr_id_in_sample(&a, &at));
	assert_int_equal(at, 3);
	assert_false(attr_id_in_trailer(&a, &at)); /* no sample_id_all */
	a.flags = ATTR_SAMPLE_ID_ALL;
	assert_true(attr_id_in_trailer(&a, &at));
	assert_int_equal(at, 3);
	a.sample_type |= PERF_SAMPLE_IDENTIFIER;
	assert_true(attr_id_in_sample(&a, &at));
	assert_int_equal(at, 0);
	assert_true(attr_id_in_trailer(&a, &at));
	assert_int_equal(at, 1);
	a.sample_type = PERF_SAMPLE_IP;
	assert_false(attr_id_in_sample(&a, &at));
	assert_false(attr_id_in_trailer(&a, &at));
}

static void names_events_as_perf_does(void **state)
{
	(void)state;
	static const struct {
		struct attr attr;
		const char *name;
	} cases[] = {
		{{.type = 0, .flags = ATTR_EXCLUDE_GUEST}, "cycles"},
		{{.type = 0, .config = 1, .flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV},
		 "instructions:u"},
		{{.type = 0, .config = 77, .flags = ATTR_EXCLUDE_GUEST}, "unknown-hardware"},
		{{.type = 1, .flags = (uint64_t)3 << ATTR_PRECISE_SHIFT}, "cpu-clock:ppp"},
		{{.type = 1, .config = 9}, "dummy:HG"},
		{{.type = 1,
		  .config = 2,
		  .flags = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_GUEST},
		 "page-faults:kH"},
		{{.type = 2, .config = 1}, "unknown tracepoint"},
		{{.type = 3, .config = 0x10000, .flags = ATTR_EXCLUDE_GUEST},
		 "L1-dcache-load-misses"},
		{{.type = 3, .config = 0x103, .flags = ATTR_EXCLUDE_GUEST}, "dTLB-stores"},
		{{.type = 4, .config = 0x1a8, .flags = ATTR_EXCLUDE_GUEST}, "raw 0x1a8"},
		{{.type = 5,
		  .config1 = 0x4000,
		  .bp_type = HW_BREAKPOINT_RW,
		  .flags = ATTR_EXCLUDE_GUEST},
		 "mem:0x4000:rw"},
		{{.type = 42}, "unknown attr type: 42"},
	};
	struct arena arena = {0};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str name = attr_name(&cases[i].attr, &arena);
		assert_string_equal(arena_str(&arena, name).p, cases[i].name);
	}
	arena_free(&arena);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_every_size),
		cmocka_unit_test(refuses_impossible_sizes),
		cmocka_unit_test(encodes_what_it_decodes),
		cmocka_unit_test(file_size_is_the_smallest_that_holds_it),
		cmocka_unit_test(finds_the_id),
		cmocka_unit_test(names_events_as_perf_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
