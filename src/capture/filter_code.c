#include "capture/filter_code.h"

#include <asm/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <stddef.h>

/* --- where things are ---------------------------------------------------------------------- */

static const struct {
	enum filter_term term;
	const char *path; /* in struct perf_sample_data */
} members[] = {
	{FILTER_IP, "ip"},
	{FILTER_ID, "id"},
	{FILTER_TID, "tid_entry.tid"},
	{FILTER_PID, "tid_entry.pid"},
	{FILTER_CPU, "cpu_entry.cpu"},
	{FILTER_TIME, "time"},
	{FILTER_ADDR, "addr"},
	{FILTER_PERIOD, "period"},
	{FILTER_TXN, "txn"},
	{FILTER_WEIGHT, "weight.full"},
	{FILTER_WEIGHT1, "weight.var1_dw"},
	{FILTER_WEIGHT2, "weight.var2_w"},
	{FILTER_WEIGHT3, "weight.var3_w"},
	{FILTER_PHYS_ADDR, "phys_addr"},
	{FILTER_CODE_PGSZ, "code_page_size"},
	{FILTER_DATA_PGSZ, "data_page_size"},
	{FILTER_MEM_OP, "data_src.mem_op"},
	{FILTER_MEM_LVL, "data_src.mem_lvl_num"},
	{FILTER_MEM_SNOOP, "data_src.mem_snoop"},
	{FILTER_MEM_REMOTE, "data_src.mem_remote"},
	{FILTER_MEM_LOCK, "data_src.mem_lock"},
	{FILTER_MEM_DTLB, "data_src.mem_dtlb"},
	{FILTER_MEM_BLK, "data_src.mem_blk"},
	{FILTER_MEM_HOPS, "data_src.mem_hops"},
	{FILTER_CGROUP, "cgroup"},
};

#define HELPER(id, low, bits)                        \
	{                                            \
		FILTER_FROM_HELPER, id, 8, low, bits \
	}

static const struct filter_layout everywhere = {
	.terms =
		{
#if defined(__x86_64__)
			[FILTER_IP] = {FILTER_FROM_CONTEXT,
				       offsetof(struct bpf_perf_event_data, regs.rip), 8, 0, 64},
#elif defined(__aarch64__)
			[FILTER_IP] = {FILTER_FROM_CONTEXT,
				       offsetof(struct bpf_perf_event_data, regs.pc), 8, 0, 64},
#endif
			[FILTER_PERIOD] = {FILTER_FROM_CONTEXT,
					   offsetof(struct bpf_perf_event_data, sample_period), 8,
					   0, 64},
			[FILTER_ADDR] = {FILTER_FROM_CONTEXT,
					 offsetof(struct bpf_perf_event_data, addr), 8, 0, 64},
			[FILTER_CPU] = HELPER(BPF_FUNC_get_smp_processor_id, 0, 32),
			[FILTER_TID] = HELPER(BPF_FUNC_get_current_pid_tgid, 0, 32),
			[FILTER_PID] = HELPER(BPF_FUNC_get_current_pid_tgid, 32, 32),
			[FILTER_UID] = HELPER(BPF_FUNC_get_current_uid_gid, 0, 32),
			[FILTER_GID] = HELPER(BPF_FUNC_get_current_uid_gid, 32, 32),
			[FILTER_CGROUP] = HELPER(BPF_FUNC_get_current_cgroup_id, 0, 64),
		},
};

static bool is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* A whole number is loaded as it is; of a bit field the 8 bytes it lies in, which the kernel's
 * compiler fills from its own end. */
static bool place_of(const struct btf *b, uint32_t sample, const char *path,
		     struct filter_place *out)
{
	struct btf_field f;
	if (!btf_member(b, sample, path, &f))
		return false;
	bool whole = !(f.offset % 8) &&
		     (f.size == 8 || f.size == 16 || f.size == 32 || f.size == 64) &&
		     !(f.offset % f.size);
	uint64_t bits = whole ? f.size : 64;
	uint64_t shift = whole ? 0 : f.offset % 64;
	if (!f.size || f.offset / 8 > INT16_MAX || shift + f.size > bits)
		return false;
	if (is_big_endian())
		shift = bits - shift - f.size;
	*out = (struct filter_place){
		.source = FILTER_FROM_SAMPLE,
		.at = (int16_t)(whole ? f.offset / 8 : f.offset / 64 * 8),
		.bytes = (uint8_t)(bits / 8),
		.shift = (uint8_t)shift,
		.width = (uint8_t)f.size,
	};
	return true;
}

void filter_layout_init(struct filter_layout *l, const struct btf *b)
{
	struct btf_field data;
	*l = everywhere;
	if (!b)
		return;
	uint32_t cast = btf_function(b, "bpf_cast_to_kern_ctx");
	uint32_t context = btf_struct(b, "bpf_perf_event_data_kern");
	uint32_t sample = btf_struct(b, "perf_sample_data");
	/* It came together with the change that fills the sample in before the program runs. */
	bool prepared = btf_function(b, "perf_prepare_header");
	if (!cast || cast > INT32_MAX || !context || !sample || !prepared ||
	    !btf_member(b, context, "data", &data) || data.offset / 8 > INT16_MAX)
		return;
	l->cast = (int32_t)cast;
	l->data = (int16_t)(data.offset / 8);
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (!place_of(b, sample, members[i].path, &l->terms[members[i].term]))
			l->terms[members[i].term] = everywhere.terms[members[i].term];
	(void)!place_of(b, sample, "data_src.mem_snoopx", &l->snoopx);
}

/* --- instructions -------------------------------------------------------------------------- */

/* Registers: the kernel's functions change 0 to 5 only. */
enum { VALUE = BPF_REG_0, OTHER = BPF_REG_2, CONTEXT = BPF_REG_6, SAMPLE = BPF_REG_7, PART };

static void put(struct filter_code *c, uint8_t code, uint8_t dst, uint8_t src, int16_t off,
		int32_t imm)
{
	struct bpf_insn insn = {.code = code, .off = off, .imm = imm};
	insn.dst_reg = dst & 0xfU;
	insn.src_reg = src & 0xfU;
	vec_push(&c->v, insn);
}

/* A number of 64 bits takes two places. */
static void put_number(struct filter_code *c, uint8_t dst, uint8_t kind, uint32_t low,
		       uint32_t high)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, dst, kind, 0, (int32_t)low);
	put(c, 0, 0, 0, 0, (int32_t)high);
}

static void put_exit(struct filter_code *c, int32_t result)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, result);
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static uint8_t load_size(uint8_t bytes)
{
	return bytes == 1 ? BPF_B : bytes == 2 ? BPF_H : bytes == 4 ? BPF_W : BPF_DW;
}

static void put_load(struct filter_code *c, const struct filter_place *p)
{
	uint8_t code = (uint8_t)(BPF_LDX | BPF_MEM | load_size(p->bytes));
	if (p->source == FILTER_FROM_HELPER)
		put(c, BPF_JMP | BPF_CALL, 0, 0, 0, p->at);
	else
		put(c, code, VALUE, p->source == FILTER_FROM_SAMPLE ? SAMPLE : CONTEXT, p->at, 0);
	int left = 64 - p->shift - p->width, right = 64 - p->width;
	bool exact = !p->shift && p->width == p->bytes * 8;
	if (!exact && left)
		put(c, BPF_ALU64 | BPF_LSH | BPF_K, VALUE, 0, 0, left);
	if (!exact)
		put(c, BPF_ALU64 | BPF_RSH | BPF_K, VALUE, 0, 0, right);
}

static void put_term(struct filter_code *c, const struct filter_layout *l, enum filter_term term)
{
	if (term != FILTER_MEM_SNOOP || !l->snoopx.source) {
		put_load(c, &l->terms[term]);
		return;
	}
	put_load(c, &l->snoopx);
	put(c, BPF_ALU64 | BPF_LSH | BPF_K, VALUE, 0, 0, l->terms[term].width);
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, PART, VALUE, 0, 0);
	put_load(c, &l->terms[term]);
	put(c, BPF_ALU64 | BPF_OR | BPF_X, VALUE, PART, 0, 0);
}

static uint8_t jump_if(enum filter_op op)
{
	static const uint8_t jumps[] = {
		[FILTER_EQ] = BPF_JEQ,   [FILTER_NE] = BPF_JNE, [FILTER_LT] = BPF_JLT,
		[FILTER_LE] = BPF_JLE,   [FILTER_GT] = BPF_JGT, [FILTER_GE] = BPF_JGE,
		[FILTER_AND] = BPF_JSET,
	};
	return jumps[op];
}

/* Jumps, which go forward, are put without a goal; it is what comes next, then. */
static void set_goal(struct filter_code *c, size_t jump)
{
	c->v.v[jump].off = (int16_t)(c->v.n - jump - 1);
}

static size_t put_test(struct filter_code *c, const struct filter_layout *l,
		       const struct filter_test *t)
{
	put_term(c, l, t->term);
	put_number(c, OTHER, 0, (uint32_t)t->value, (uint32_t)(t->value >> 32));
	put(c, (uint8_t)(BPF_JMP | BPF_X | jump_if(t->op)), VALUE, OTHER, 0, 0);
	return c->v.n - 1;
}

void filter_compile(const struct kernel_filter *f, const struct filter_layout *l, int map_fd,
		    struct filter_code *c)
{
	size_t holds[FILTER_MAX_TESTS], drops[FILTER_MAX_TESTS], n_drops = 0;
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, CONTEXT, BPF_REG_1, 0, 0);
	if (l->cast) {
		put(c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, l->cast);
		put(c, BPF_LDX | BPF_MEM | BPF_DW, SAMPLE, BPF_REG_0, l->data, 0);
	}
	for (size_t i = 0; i < f->tests.n;) {
		size_t n = 0;
		do
			holds[n++] = put_test(c, l, &f->tests.v[i++]);
		while (i < f->tests.n && f->tests.v[i].alternative);
		put(c, BPF_JMP | BPF_JA, 0, 0, 0, 0); /* none of them holds */
		drops[n_drops++] = c->v.n - 1;
		for (size_t k = 0; k < n; k++)
			set_goal(c, holds[k]);
	}
	put_exit(c, 1);
	for (size_t k = 0; k < n_drops; k++)
		set_goal(c, drops[k]);
	put_number(c, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, (uint32_t)map_fd, 0);
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, OTHER, 0, 0, 1);
	put(c, BPF_STX | BPF_ATOMIC | BPF_DW, BPF_REG_1, OTHER, 0, BPF_ADD);
	put_exit(c, 0);
}
