#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "perfdata/test_maker.h"

/* The next byte order to try, with an empty maker; false behind the second. */
static bool next_order(struct maker *m, unsigned *tried)
{
	if (*tried)
		out_finish(&m->o);
	if (*tried == 2)
		return false;
	mk_init(m, *tried == 1);
	++*tried;
	return true;
}

#define FOR_BOTH_ORDERS(m) \
	struct maker m;    \
	for (unsigned tried_ = 0; next_order(&(m), &tried_);)

static void mmap2_with_inode(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		mk_u32(&m, 100);
		mk_u32(&m, 101);
		mk_u64(&m, 0x400000);
		mk_u64(&m, 0x1000);
		mk_u64(&m, 0x2000);
		mk_u32(&m, 8);
		mk_u32(&m, 1);
		mk_u64(&m, 777);
		mk_u64(&m, 3);
		mk_u32(&m, 5);
		mk_u32(&m, 2);
		mk_text(&m, "/bin/true", 8);
		mk_u64(&m, 0x1122); /* a trailer */
		struct record r = mk_view(&m, PERF_RECORD_MMAP2, 2);
		struct rec_mmap got;
		assert_true(record_mmap(&r, &got));
		assert_true(got.v2);
		assert_int_equal(got.pid, 100);
		assert_int_equal(got.tid, 101);
		assert_int_equal(got.addr, 0x400000);
		assert_int_equal(got.len, 0x1000);
		assert_int_equal(got.pgoff, 0x2000);
		assert_int_equal(got.major, 8);
		assert_int_equal(got.minor, 1);
		assert_int_equal(got.inode, 777);
		assert_int_equal(got.inode_generation, 3);
		assert_int_equal(got.prot, 5);
		assert_int_equal(got.flags, 2);
		assert_int_equal(got.build_id.size, 0);
		assert_true(str_is(got.path, "/bin/true"));
		/* Cut anywhere before the end of the name, it is no longer one. */
		for (size_t n = 0; n < 73; n++) {
			r.body_size = n;
			assert_false(record_mmap(&r, &got));
		}
	}
}

static void mmap2_with_build_id(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		uint8_t id[24] = {20, 0, 0, 0, 0xaa, 0xbb};
		mk_u32(&m, UINT32_MAX);
		mk_u32(&m, 0);
		mk_u64(&m, 1);
		mk_u64(&m, 2);
		mk_u64(&m, 3);
		out_bytes(&m.o, id, sizeof id);
		mk_u32(&m, 5);
		mk_u32(&m, 2);
		mk_text(&m, "x", 8);
		struct record r = mk_view(&m, PERF_RECORD_MMAP2, MISC_MMAP_BUILD_ID);
		struct rec_mmap got;
		assert_true(record_mmap(&r, &got));
		assert_int_equal(got.pid, -1);
		assert_int_equal(got.build_id.size, 20);
		assert_int_equal(got.build_id.bytes[1], 0xbb);
		/* A size no id has: the kernel set the bit for somebody else's sake. */
		m.o.buf[32] = (char)254;
		assert_true(record_mmap(&r, &got));
		assert_int_equal(got.build_id.size, 0);
		assert_int_equal(got.major, m.swap ? 0xfe000000 : 0xfe);
	}
}

static void text_without_end_is_refused(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		mk_u32(&m, 1);
		mk_u32(&m, 2);
		out_cstr(&m.o, "abcdefgh");
		struct record r = mk_view(&m, PERF_RECORD_COMM, 0);
		struct rec_comm got;
		assert_false(record_comm(&r, &got));
		mk_u64(&m, 0);
		r = mk_view(&m, PERF_RECORD_COMM, MISC_COMM_EXEC);
		assert_true(record_comm(&r, &got));
		assert_true(got.exec);
		assert_true(str_is(got.comm, "abcdefgh"));
	}
}

static void small_records(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		for (uint32_t i = 1; i <= 4; i++)
			mk_u32(&m, i);
		mk_u64(&m, 5);
		struct record r = mk_view(&m, PERF_RECORD_FORK, 0);
		struct rec_task task;
		assert_true(record_task(&r, &task));
		assert_int_equal(task.pid, 1);
		assert_int_equal(task.ppid, 2);
		assert_int_equal(task.tid, 3);
		assert_int_equal(task.ptid, 4);
		assert_int_equal(task.time, 5);
		struct rec_switch other;
		assert_true(record_switch_cpu_wide(&r, &other));
		assert_int_equal(other.other_tid, 2);
		struct rec_throttle throttle;
		assert_true(record_throttle(&r, &throttle));
		assert_int_equal(throttle.stream_id, 5);
		r.body_size = 16;
		assert_false(record_task(&r, &task));
		assert_false(record_throttle(&r, &throttle));
		r.body_size = 0;
		struct rec_lost lost;
		uint64_t samples;
		assert_false(record_lost(&r, &lost));
		assert_false(record_lost_samples(&r, &samples));
		assert_false(record_switch_cpu_wide(&r, &other));
	}
}

static void ksymbol_bpf_cgroup(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		mk_u64(&m, 0xffffffffc0000000);
		mk_u32(&m, 64);
		mk_u16(&m, 1);
		mk_u16(&m, 1);
		mk_text(&m, "bpf_prog_1", 8);
		struct record r = mk_view(&m, PERF_RECORD_KSYMBOL, 0);
		struct rec_ksymbol k;
		assert_true(record_ksymbol(&r, &k));
		assert_int_equal(k.addr, 0xffffffffc0000000);
		assert_int_equal(k.len, 64);
		assert_int_equal(k.flags, 1);
		assert_true(str_is(k.name, "bpf_prog_1"));
		r.body_size = 16;
		assert_false(record_ksymbol(&r, &k));

		m.o.n = 0;
		mk_u16(&m, 2);
		mk_u16(&m, 0);
		mk_u32(&m, 99);
		out_cstr(&m.o, "TAGTAGTA");
		r = mk_view(&m, PERF_RECORD_BPF_EVENT, 0);
		struct rec_bpf b;
		assert_true(record_bpf(&r, &b));
		assert_int_equal(b.kind, 2);
		assert_int_equal(b.id, 99);
		assert_memory_equal(b.tag, "TAGTAGTA", 8);

		m.o.n = 0;
		mk_u64(&m, 12);
		mk_text(&m, "/user", 8);
		r = mk_view(&m, PERF_RECORD_CGROUP, 0);
		struct rec_cgroup c;
		assert_true(record_cgroup(&r, &c));
		assert_int_equal(c.id, 12);
		assert_true(str_is(c.path, "/user"));
	}
}

static void namespaces_do_not_believe_the_count(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		mk_u32(&m, 1);
		mk_u32(&m, 2);
		mk_u64(&m, 2);
		for (uint64_t i = 10; i < 14; i++)
			mk_u64(&m, i);
		struct record r = mk_view(&m, PERF_RECORD_NAMESPACES, 0);
		struct rec_namespaces got;
		assert_true(record_namespaces(&r, &got));
		assert_int_equal(got.count, 2);
		assert_int_equal(got.ns[1].inode, 13);
		mk_put_u64(&m, 8, 3);
		assert_false(record_namespaces(&r, &got));
		mk_put_u64(&m, 8, (uint64_t)1 << 60);
		assert_false(record_namespaces(&r, &got));
	}
}

static void build_id_sizes(void **state)
{
	(void)state;
	FOR_BOTH_ORDERS(m)
	{
		uint8_t id[24] = {1, 2, 3, [20] = 16};
		mk_u32(&m, UINT32_MAX);
		out_bytes(&m.o, id, sizeof id);
		out_cstr(&m.o, "/lib/x"); /* to the last byte, as old writers did */
		struct record r = mk_view(&m, RECORD_HEADER_BUILD_ID, 2 | MISC_BUILD_ID_SIZE);
		struct rec_build_id got;
		assert_true(record_build_id(&r, &got));
		assert_int_equal(got.pid, -1);
		assert_int_equal(got.build_id.size, 16);
		assert_true(str_is(got.path, "/lib/x"));
		r.misc = 2;
		assert_true(record_build_id(&r, &got));
		assert_int_equal(got.build_id.size, 20);
		r.body_size = 27;
		assert_false(record_build_id(&r, &got));
	}
}

static const struct attr everything = {
	.sample_type = ((uint64_t)1 << 25) - 1 - PERF_SAMPLE_WEIGHT,
	.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
	.branch_sample_type = (1 << 17) | (1 << 19), /* hardware index, counters */
	.sample_regs_user = 0x7,
	.sample_regs_intr = 0x80000001,
};

/* Every field there is. Returns where the call chain's count and the branch count are. */
static void make_sample(struct maker *m, size_t *chain_at, size_t *branch_at)
{
	mk_u64(m, 42);        /* identifier */
	mk_u64(m, 0x401000);  /* ip */
	mk_u32(m, 1000);      /* pid */
	mk_u32(m, 1001);      /* tid */
	mk_u64(m, 123456789); /* time */
	mk_u64(m, 0xadd0);    /* addr */
	mk_u64(m, 42);        /* id */
	mk_u64(m, 43);        /* stream id */
	mk_u32(m, 3);         /* cpu */
	mk_u32(m, 0);
	mk_u64(m, 250000); /* period */
	mk_u64(m, 2);      /* read: two values */
	mk_u64(m, 1);
	for (uint64_t i = 0; i < 4; i++)
		mk_u64(m, i);
	*chain_at = m->o.n;
	mk_u64(m, 3);
	mk_u64(m, (uint64_t)-128);
	mk_u64(m, 0xffffffff81000000);
	mk_u64(m, 0xffffffff81000100);
	mk_u32(m, 12); /* raw */
	out_cstr(&m->o, "rawrawrawraw");
	*branch_at = m->o.n;
	mk_u64(m, 1);
	mk_u64(m, 7); /* hardware index */
	for (uint64_t i = 0; i < 4; i++)
		mk_u64(m, 0x10 + i); /* from, to, flags; counter */
	mk_u64(m, 2);                /* user registers */
	for (uint64_t i = 0; i < 3; i++)
		mk_u64(m, 0x20 + i);
	mk_u64(m, 16); /* user stack */
	mk_zeros(m, 16);
	mk_u64(m, 9);
	mk_u64(m, 0x0003000200000001); /* weight in parts */
	mk_u64(m, 0xd5);               /* data source */
	mk_u64(m, 0x77);               /* transaction */
	mk_u64(m, 1);                  /* registers at the interrupt */
	mk_u64(m, 0x30);
	mk_u64(m, 0x31);
	mk_u64(m, 0x40); /* physical address */
	mk_u64(m, 0x41); /* cgroup */
	mk_u64(m, 4096); /* page sizes */
	mk_u64(m, 2097152);
	mk_u64(m, 8); /* aux */
	out_cstr(&m->o, "AUXAUXAU");
}

static void check_sample(const struct sample *s)
{
	assert_int_equal(s->who.id, 42);
	assert_int_equal(s->who.stream_id, 43);
	assert_int_equal(s->who.pid, 1000);
	assert_int_equal(s->who.tid, 1001);
	assert_int_equal(s->who.time, 123456789);
	assert_int_equal(s->who.cpu, 3);
	assert_int_equal(s->ip, 0x401000);
	assert_int_equal(s->addr, 0xadd0);
	assert_int_equal(s->period, 250000);
	assert_int_equal(s->cpumode, 2);
	assert_int_equal(s->read_size, 48);
	assert_int_equal(s->chain_count, 3);
	assert_int_equal(s->chain[0], (uint64_t)-128);
	assert_int_equal(s->chain[2], 0xffffffff81000100);
	assert_int_equal(s->raw_size, 12);
	assert_memory_equal(s->raw, "rawrawrawraw", 12);
	assert_int_equal(s->branch_count, 1);
	assert_int_equal(s->branch_hw_idx, 7);
	assert_int_equal(s->user_abi, 2);
	assert_non_null(s->user_regs);
	assert_int_equal(s->user_stack_size, 16);
	assert_int_equal(s->user_stack_valid, 9);
	assert_int_equal(s->weight, 1);
	assert_int_equal(s->ins_lat, 2);
	assert_int_equal(s->p_stage_cyc, 3);
	assert_int_equal(s->data_src, 0xd5);
	assert_int_equal(s->transaction, 0x77);
	assert_int_equal(s->intr_abi, 1);
	assert_int_equal(s->phys_addr, 0x40);
	assert_int_equal(s->cgroup, 0x41);
	assert_int_equal(s->data_page_size, 4096);
	assert_int_equal(s->code_page_size, 2097152);
	assert_int_equal(s->aux_size, 8);
	assert_memory_equal(s->aux, "AUXAUXAU", 8);
}

static void sample_with_every_field(void **state)
{
	(void)state;
	struct sample_scratch scratch = {0};
	FOR_BOTH_ORDERS(m)
	{
		size_t chain_at, branch_at;
		struct sample s;
		make_sample(&m, &chain_at, &branch_at);
		struct record r = mk_view(&m, PERF_RECORD_SAMPLE, 2);
		assert_true(record_sample(&r, &everything, &scratch, &s));
		check_sample(&s);
		/* Any word less and it does not hold what it promises. */
		for (size_t n = 0; n < m.o.n; n += 8) {
			r.body_size = n;
			assert_false(record_sample(&r, &everything, &scratch, &s));
		}
	}
	sample_scratch_free(&scratch);
}

static void sample_with_lying_counts(void **state)
{
	(void)state;
	static const uint64_t lies[] = {100, (uint64_t)1 << 60, UINT64_MAX, UINT64_MAX / 3 + 1,
					UINT64_MAX / 8 + 1};
	struct sample_scratch scratch = {0};
	FOR_BOTH_ORDERS(m)
	{
		size_t at[2];
		struct sample s;
		make_sample(&m, &at[0], &at[1]);
		struct record r = mk_view(&m, PERF_RECORD_SAMPLE, 2);
		for (size_t i = 0; i < 2 * ARRAY_LEN(lies); i++) {
			uint64_t kept = load64(m.o.buf + at[i % 2]);
			mk_put_u64(&m, at[i % 2], lies[i / 2]);
			assert_false(record_sample(&r, &everything, &scratch, &s));
			memcpy(m.o.buf + at[i % 2], &kept, 8);
		}
		assert_true(record_sample(&r, &everything, &scratch, &s));
	}
	sample_scratch_free(&scratch);
}

static void sample_at_an_odd_address(void **state)
{
	(void)state;
	struct sample_scratch scratch = {0};
	const struct attr a = {.sample_type = PERF_SAMPLE_CALLCHAIN};
	struct maker m;
	mk_init(&m, false);
	mk_u32(&m, 0);
	mk_u64(&m, 1);
	mk_u64(&m, 0x1234);
	struct record r = mk_view(&m, PERF_RECORD_SAMPLE, 2);
	r.body += 4;
	r.body_size -= 4;
	struct sample s;
	assert_true(record_sample(&r, &a, &scratch, &s));
	assert_int_equal((uintptr_t)s.chain % 8, 0);
	assert_int_equal(s.chain[0], 0x1234);
	assert_int_equal(s.who.pid, -1);
	assert_int_equal(s.who.cpu, UINT32_MAX);
	sample_scratch_free(&scratch);
	out_finish(&m.o);
}

static void period_of_a_fixed_period_event(void **state)
{
	(void)state;
	struct sample_scratch scratch = {0};
	const struct attr a = {.sample_type = PERF_SAMPLE_IP, .sample_period = 1000};
	struct maker m;
	mk_init(&m, false);
	mk_u64(&m, 1);
	struct record r = mk_view(&m, PERF_RECORD_SAMPLE, 1);
	struct sample s;
	assert_true(record_sample(&r, &a, &scratch, &s));
	assert_int_equal(s.period, 1000);
	assert_int_equal(s.cpumode, 1);
	out_finish(&m.o);
}

static void trailer_is_read_from_the_end(void **state)
{
	(void)state;
	const struct attr a = {.sample_type = everything.sample_type, .flags = ATTR_SAMPLE_ID_ALL};
	FOR_BOTH_ORDERS(m)
	{
		mk_zeros(&m, 24); /* whatever the record holds */
		mk_u32(&m, 5);
		mk_u32(&m, 6);
		mk_u64(&m, 777);
		mk_u64(&m, 42);
		mk_u64(&m, 43);
		mk_u32(&m, 1);
		mk_u32(&m, 0);
		mk_u64(&m, 42);
		struct record r = mk_view(&m, PERF_RECORD_COMM, 0);
		struct sample_id id;
		assert_true(record_trailer(&r, &a, &id));
		assert_int_equal(id.pid, 5);
		assert_int_equal(id.tid, 6);
		assert_int_equal(id.time, 777);
		assert_int_equal(id.id, 42);
		assert_int_equal(id.stream_id, 43);
		assert_int_equal(id.cpu, 1);
		r.body_size = 40;
		assert_false(record_trailer(&r, &a, &id));
		/* Neither without the flag nor in records of tools is there one. */
		r.type = RECORD_EVENT_UPDATE;
		assert_true(record_trailer(&r, &a, &id));
		assert_int_equal(id.time, 0);
		assert_int_equal(id.pid, -1);
		r.type = PERF_RECORD_COMM;
		assert_true(record_trailer(&r, &(struct attr){.sample_type = 7}, &id));
		assert_int_equal(id.cpu, UINT32_MAX);
	}
}

static void names_of_types(void **state)
{
	(void)state;
	assert_string_equal(record_type_name(PERF_RECORD_MMAP2), "MMAP2");
	assert_string_equal(record_type_name(RECORD_HEADER_FEATURE), "FEATURE");
	assert_string_equal(record_type_name(RECORD_SCHEDSTAT_DOMAIN), "SCHEDSTAT_DOMAIN");
	assert_string_equal(record_type_name(0), "UNKNOWN");
	assert_string_equal(record_type_name(63), "UNKNOWN");
	assert_string_equal(record_type_name(UINT32_MAX), "UNKNOWN");
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mmap2_with_inode),
		cmocka_unit_test(mmap2_with_build_id),
		cmocka_unit_test(text_without_end_is_refused),
		cmocka_unit_test(small_records),
		cmocka_unit_test(ksymbol_bpf_cgroup),
		cmocka_unit_test(namespaces_do_not_believe_the_count),
		cmocka_unit_test(build_id_sizes),
		cmocka_unit_test(sample_with_every_field),
		cmocka_unit_test(sample_with_lying_counts),
		cmocka_unit_test(sample_at_an_odd_address),
		cmocka_unit_test(period_of_a_fixed_period_event),
		cmocka_unit_test(trailer_is_read_from_the_end),
		cmocka_unit_test(names_of_types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
