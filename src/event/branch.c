#include "event/branch.h"

#include <linux/perf_event.h>

static const struct {
	const char *name;
	uint64_t bit;
} kinds[] = {
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
};

static uint64_t kind_bit(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_is(name, kinds[i].name))
			return kinds[i].bit;
	return 0;
}

bool branch_parse(struct str text, uint64_t *bits, struct err *err)
{
	*bits = 0;
	while (text.p) {
		size_t n = 0;
		while (n < text.n && text.p[n] != ',' && text.p[n] != ':')
			n++;
		uint64_t bit = kind_bit(str_make(text.p, n));
		if (!bit) {
			err_set(err, ERR_USAGE, "\"%.*s\" is no kind of branch", (int)MIN(n, 50),
				text.p);
			return err_hint(err, "there are any, any_call, any_ret, ind_call, ind_jmp, "
					     "cond, call, stack, u, k, hv, in_tx, no_tx, abort_tx, "
					     "no_flags, no_cycles, save_type, hw_index");
		}
		*bits |= bit;
		text = n < text.n ? str_skip(text, n + 1) : (struct str){0};
	}
	return true;
}
