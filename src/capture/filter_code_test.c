#include "capture/test_btf.h"

#include <stdio.h>

#include "capture/filter_code.h"

#define MAP_FD 77
#define PID 4000000000U /* more than 31 bits */
#define TID 4000000001U

struct machine {
	uint64_t context[32]; /* struct bpf_perf_event_data */
	uint64_t kernel[3];   /* struct bpf_perf_event_data_kern */
	uint64_t sample[SAMPLE_WORDS];
	uint64_t dropped;
	int32_t cast;
};

static uint64_t helper(int32_t id)
{
	switch (id) {
	case BPF_FUNC_get_current_pid_tgid:
		return (uint64_t)PID << 32 | TID;
	case BPF_FUNC_get_current_uid_gid:
		return (uint64_t)1001 << 32 | 1000;
	case BPF_FUNC_get_smp_processor_id:
		return 3;
	case BPF_FUNC_get_current_cgroup_id:
		return 0x1234567890;
	}
	fail_msg("helper %d", id);
	return 0;
}

static uint64_t load(uint64_t address, uint8_t code)
{
	const void *p = (const void *)(uintptr_t)address;
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return *(const uint8_t *)p;
	case BPF_H:
		return load16(p);
	case BPF_W:
		return load32(p);
	default:
		return load64(p);
	}
}

static bool jumps(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return a & b;
	}
	fail_msg("jump 0x%x", op);
	return false;
}

static uint64_t call(struct machine *m, const struct bpf_insn *i, uint64_t r1)
{
	if (i->src_reg != BPF_PSEUDO_KFUNC_CALL)
		return helper(i->imm);
	assert_int_equal(i->imm, m->cast);
	assert_int_equal(r1, (uintptr_t)m->context);
	return (uintptr_t)m->kernel;
}

static void calculate(uint64_t *r, const struct bpf_insn *i)
{
	uint64_t b = BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (uint64_t)(int64_t)i->imm;
	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		r[i->dst_reg] = b;
		return;
	case BPF_OR:
		r[i->dst_reg] |= b;
		return;
	case BPF_LSH:
		assert_true(b < 64);
		r[i->dst_reg] <<= b;
		return;
	case BPF_RSH:
		assert_true(b < 64);
		r[i->dst_reg] >>= b;
		return;
	}
	fail_msg("instruction 0x%x", i->code);
}

/* Just as much of BPF as the generator may use. Every jump goes forward, so it ends. */
static uint64_t run(struct machine *m, const struct filter_code *c)
{
	uint64_t r[11] = {[1] = (uintptr_t)m->context};
	for (size_t pc = 0; pc < c->v.n; pc++) {
		const struct bpf_insn *i = &c->v.v[pc];
		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			if (i->src_reg == BPF_PSEUDO_MAP_VALUE) {
				assert_int_equal(i->imm, MAP_FD);
				r[i->dst_reg] = (uintptr_t)&m->dropped;
			} else {
				r[i->dst_reg] = (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm
									   << 32;
			}
			pc++;
			break;
		case BPF_LDX:
			r[i->dst_reg] = load(r[i->src_reg] + (uint64_t)i->off, i->code);
			break;
		case BPF_STX:
			assert_int_equal(i->code, BPF_STX | BPF_ATOMIC | BPF_DW);
			assert_int_equal(i->imm, BPF_ADD);
			assert_int_equal(r[i->dst_reg], (uintptr_t)&m->dropped);
			m->dropped += r[i->src_reg];
			break;
		case BPF_ALU64:
			calculate(r, i);
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT)
				return r[0];
			if (BPF_OP(i->code) == BPF_CALL) {
				r[0] = call(m, i, r[1]);
				for (size_t k = 1; k <= 5; k++)
					r[k] = 0xdeaddeaddeaddead; /* as good as */
				break;
			}
			assert_true(i->off >= 0);
			if (jumps(BPF_OP(i->code), r[i->dst_reg], r[i->src_reg]))
				pc += (size_t)i->off;
			break;
		default:
			fail_msg("instruction 0x%x", i->code);
		}
	}
	fail_msg("the program has no end");
	return 0;
}

static void init_machine(struct machine *m, int32_t cast)
{
	*m = (struct machine){.cast = cast};
	for (size_t i = 0; i < ARRAY_LEN(m->context); i++)
		m->context[i] = 0x1000 + i;
	m->kernel[2] = (uintptr_t)m->sample;
	m->sample[1] = 1;                                        /* cgroup */
	m->sample[2] = 4096;                                     /* data_page_size */
	m->sample[3] = 2 << 20;                                  /* code_page_size */
	m->sample[4] = 0x123456789abc;                           /* phys_addr */
	m->sample[5] = (uint64_t)2 | (uint64_t)1 << 24 |         /* op load, lock na */
		       (uint64_t)16 << 19 | (uint64_t)2 << 38 |  /* hitm, peer */
		       (uint64_t)10 << 26 | (uint64_t)13 << 33 | /* dtlb, ram */
		       (uint64_t)1 << 37 | (uint64_t)4 << 40 | (uint64_t)3 << 43;
	m->sample[6] = (uint64_t)7 << 48 | (uint64_t)500 << 32 | 3000000000U; /* weight */
	m->sample[7] = 9;                                                     /* txn */
	m->sample[8] = 250000;                                                /* period */
	m->sample[9] = UINT64_MAX;                                            /* addr */
	m->sample[10] = (uint64_t)1 << 63;                                    /* time */
	m->sample[11] = 0xffffffff00000001;                                   /* cpu, reserved */
	m->sample[12] = (uint64_t)43 << 32 | 42;                              /* tid, pid */
	m->sample[13] = 77;                                                   /* id */
	m->sample[14] = 0xffffffff81000000;                                   /* ip */
}

static bool keeps(struct machine *m, const struct filter_layout *l, const char *text)
{
	struct kernel_filter f = {0};
	struct filter_code code = {0};
	struct err err = {0};
	uint64_t before = m->dropped;
	if (!kernel_filter_parse(&f, text, &err))
		fail_msg("%s: %s", text, err.text);
	filter_compile(&f, l, MAP_FD, &code);
	uint64_t result = run(m, &code);
	assert_true(result <= 1);
	assert_int_equal(m->dropped - before, !result); /* each that is dropped is counted */
	vec_free(&code.v);
	kernel_filter_free(&f);
	return result;
}

static void find_layout(struct filter_layout *l, bool prepares)
{
	struct out o;
	struct btf b;
	open_types(&b, &o, false, prepares);
	filter_layout_init(l, &b);
	btf_close(&b);
	(void)out_finish(&o);
}

static void programs_read_the_sample(void **state)
{
	(void)state;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		skip(); /* the sample above is laid out for the other one */
	static const struct {
		const char *term;
		uint64_t value;
	} all[] = {
		{"ip", 0xffffffff81000000},
		{"id", 77},
		{"tid", 43},
		{"pid", 42},
		{"cpu", 1},
		{"time", (uint64_t)1 << 63},
		{"addr", UINT64_MAX},
		{"period", 250000},
		{"txn", 9},
		{"weight", (uint64_t)7 << 48 | (uint64_t)500 << 32 | 3000000000U},
		{"weight1", 3000000000U},
		{"weight2", 500},
		{"ins_lat", 500},
		{"weight3", 7},
		{"phys_addr", 0x123456789abc},
		{"code_pgsz", 2 << 20},
		{"data_pgsz", 4096},
		{"mem_op", 2},
		{"mem_lvl", 13},
		{"mem_snoop", 16 | 64},
		{"mem_remote", 1},
		{"mem_lock", 1},
		{"mem_dtlb", 10},
		{"mem_blk", 4},
		{"mem_hops", 3},
		{"uid", 1000},
		{"gid", 1001},
		{"cgroup", 1},
	};
	struct filter_layout l;
	struct machine m;
	find_layout(&l, true);
	assert_int_not_equal(l.cast, 0);
	init_machine(&m, l.cast);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char text[80];
		uint64_t v = all[i].value;
		snprintf(text, sizeof text, "%s == %" PRIu64, all[i].term, v);
		if (!keeps(&m, &l, text))
			fail_msg("%s does not hold", text);
		snprintf(text, sizeof text, "%s != %" PRIu64, all[i].term, v);
		if (keeps(&m, &l, text))
			fail_msg("%s holds", text);
		snprintf(text, sizeof text, "%s > 0x%" PRIx64, all[i].term, v);
		assert_false(keeps(&m, &l, text));
		snprintf(text, sizeof text, "%s >= 0x%" PRIx64, all[i].term, v);
		assert_true(keeps(&m, &l, text));
		snprintf(text, sizeof text, "%s & 0x%" PRIx64, all[i].term, v);
		assert_true(keeps(&m, &l, text));
		snprintf(text, sizeof text, "%s & 0x%" PRIx64, all[i].term, ~v);
		assert_false(keeps(&m, &l, text));
	}
}

static void programs_without_the_sample(void **state)
{
	(void)state;
	struct filter_layout none, old;
	struct machine m;
	char text[64];
	filter_layout_init(&none, NULL);
	find_layout(&old, false); /* types there are, but samples come too late */
	assert_memory_equal(&none, &old, sizeof none);
	assert_int_equal(none.cast, 0);
	static const enum filter_term missing[] = {FILTER_TIME, FILTER_ID, FILTER_WEIGHT,
						   FILTER_MEM_OP, FILTER_PHYS_ADDR};
	for (size_t i = 0; i < ARRAY_LEN(missing); i++)
		assert_int_equal(none.terms[missing[i]].source, FILTER_FROM_NOWHERE);
	init_machine(&m, -1);
	assert_true(keeps(&m, &none, "pid == 4000000000, tid == 4000000001, cpu == 3"));
	assert_true(keeps(&m, &none, "uid == 1000, gid == 1001, cgroup == 0x1234567890"));
	assert_false(keeps(&m, &none, "pid == 4000000001"));
	snprintf(text, sizeof text, "period == %d, addr == %d",
		 0x1000 + none.terms[FILTER_PERIOD].at / 8,
		 0x1001 + none.terms[FILTER_PERIOD].at / 8);
	assert_true(keeps(&m, &none, text));
}

static void programs_join_tests(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool keeps;
	} all[] = {
		{"pid == 42, cpu == 1", true},
		{"pid == 42, cpu == 2", false},
		{"pid == 1, cpu == 1", false},
		{"pid == 1 || cpu == 1", true},
		{"pid == 1 || cpu == 2", false},
		{"pid == 1 || cpu == 2 || period == 250000", true},
		{"pid == 1 || cpu == 1, period == 250000", true},
		{"pid == 1 || cpu == 1, period == 1", false},
		{"period == 250000, pid == 1 || cpu == 1", true},
		{"period == 250000, pid == 1 || cpu == 2", false},
		{"period == 250000 || pid == 1, cpu == 2 || mem_snoop & peer, uid == 1000", true},
		{"ip > 0x7fffffffffffffff, addr > 0x7fffffff", true},
	};
	struct filter_layout l;
	struct machine m;
	find_layout(&l, true);
	init_machine(&m, l.cast);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (keeps(&m, &l, all[i].text) != all[i].keeps)
			fail_msg("%s: kept %d", all[i].text, !all[i].keeps);
}

/* The longest there is, where only the last test decides: jumps reach that far. */
static void the_longest_program(void **state)
{
	(void)state;
	struct filter_layout l;
	struct machine m;
	find_layout(&l, true);
	init_machine(&m, l.cast);
	for (int alternatives = 0; alternatives < 2; alternatives++) {
		struct out o;
		out_memory(&o);
		for (size_t i = 0; i + 1 < FILTER_MAX_TESTS; i++)
			out_fmt(&o, "mem_snoop %s 80%s",
				alternatives ? "!=" : "==", alternatives ? "||" : ",");
		out_cstr(&o, "cpu == 1");
		out_char(&o, '\0');
		assert_true(keeps(&m, &l, o.buf));
		o.buf[o.n - 2] = '2';
		assert_false(keeps(&m, &l, o.buf));
		(void)out_finish(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_read_the_sample),
		cmocka_unit_test(programs_without_the_sample),
		cmocka_unit_test(programs_join_tests),
		cmocka_unit_test(the_longest_program),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
