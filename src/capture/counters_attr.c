#include <linux/perf_event.h>

#include "arch/arch.h"
#include "capture/counters.h"
#include "capture/groups.h"
#include "capture/schedule.h"

uint64_t capture_registers(void)
{
	/* On x86-64 the kernel refuses the data segment registers. */
	const struct arch *arch = arch_native();
	if (arch == &arch_x86_64)
		return 0xff0fff;
	return arch ? ((uint64_t)1 << 33) - 1 : 0;
}

static void set_rate(struct counter *c, const struct capture_plan *plan, uint64_t frequency)
{
	struct attr *a = &c->attr;
	bool every = c->class == EVENT_TRACEPOINT || c->class == EVENT_BREAKPOINT;
	if (every && !plan->user_rate) {
		a->sample_period = 1;
	} else if (frequency) {
		a->sample_period = frequency;
		a->flags |= ATTR_FREQ;
	} else {
		a->sample_period = plan->period;
	}
	if (plan->no_samples)
		a->sample_period = 0;
	if (a->flags & ATTR_FREQ || c->class == EVENT_TRACEPOINT || plan->sample_period)
		a->sample_type |= PERF_SAMPLE_PERIOD;
}

static void set_call_graph(struct attr *a, const struct capture_plan *plan)
{
	if (plan->call_graph == CALL_GRAPH_NONE)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->sample_max_stack = plan->max_stack;
	if (plan->no_user_chain)
		a->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	if (plan->no_kernel_chain)
		a->flags |= ATTR_EXCLUDE_CALLCHAIN_KERNEL;
	if (plan->call_graph == CALL_GRAPH_LBR) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
					PERF_SAMPLE_BRANCH_HW_INDEX;
		a->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	} else if (plan->call_graph == CALL_GRAPH_DWARF && !(a->flags & ATTR_EXCLUDE_USER)) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		a->sample_regs_user = capture_registers();
		a->sample_stack_user = plan->stack_bytes;
		a->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	}
}

static void set_registers(struct attr *a, const struct capture_plan *plan)
{
	if (plan->user_regs) {
		a->sample_type |= PERF_SAMPLE_REGS_USER;
		a->sample_regs_user |= plan->user_regs;
	}
	if (plan->intr_regs) {
		a->sample_type |= PERF_SAMPLE_REGS_INTR;
		a->sample_regs_intr = plan->intr_regs;
	}
}

static bool wants_addresses(const struct capture_plan *plan)
{
	/* An unwinder reads data of the mapped files, too. */
	return plan->sample_addr || plan->call_graph == CALL_GRAPH_DWARF;
}

static void set_sampling(struct counter *c, const struct capture_plan *plan)
{
	struct attr *a = &c->attr;
	if (plan->all_user) {
		a->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		a->flags &= ~(uint64_t)ATTR_EXCLUDE_USER;
	}
	if (plan->all_kernel) {
		a->flags |= ATTR_EXCLUDE_USER;
		a->flags &= ~(uint64_t)ATTR_EXCLUDE_KERNEL;
	}
	set_call_graph(a, plan);
	set_registers(a, plan);
	a->sample_type |= plan->sample_also;
	if (wants_addresses(plan))
		a->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (plan->sample_raw || c->class == EVENT_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_RAW;
	if (plan->branches) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type |= plan->branches;
	}
	uint64_t limit = plan->max_bytes ? plan->max_bytes : plan->switching.bytes;
	if (limit) {
		/* Often enough that the file's size is near to what was asked for. */
		a->flags |= ATTR_WATERMARK;
		a->wakeup_events = (uint32_t)MAX(MIN(limit / 16, (uint64_t)128 << 10), 4096U);
	}
	if (plan->no_buffering)
		a->wakeup_events = 1;
	if (plan->inherit_stat)
		a->flags |= ATTR_INHERIT_STAT;
	if (c->max_precise)
		a->flags |= (uint64_t)3 << ATTR_PRECISE_SHIFT;
	a->flags |= ATTR_DISABLED;
}

static void set_tracking(struct counter *c, const struct counters *cs,
			 const struct capture_plan *plan)
{
	c->tracking = true;
	c->attr.flags |= ATTR_MMAP | ATTR_COMM | ATTR_TASK;
	c->attr.flags |= cs->kernel_flags & ~(uint64_t)ATTR_EXCLUDE_GUEST;
	c->attr.flags |= plan->track_also;
	c->attr.flags &= ~plan->track_not;
	if (wants_addresses(plan))
		c->attr.flags |= ATTR_MMAP_DATA;
}

/* What its filter looks at; the kernel has only what is in the samples. */
static uint64_t filter_fields(const struct counter *c)
{
	uint64_t fields = 0;
	for (size_t i = 0; c->kernel_filter && i < c->kernel_filter->tests.n; i++)
		fields |= filter_term_field(c->kernel_filter->tests.v[i].term);
	return fields;
}

/* Of the two forms of a weight a sample holds one; the one with parts tells the whole, too. */
static void add_filter_fields(struct counter *c)
{
	const uint64_t id = PERF_SAMPLE_ID;
	c->attr.sample_type |= filter_fields(c) & ~id;
	if (c->attr.sample_type & FILTER_WEIGHT_PARTS)
		c->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_WEIGHT;
}

/* The fields of the trailer behind every record have to be alike in all events. */
static uint64_t common_fields(const struct counters *cs, const struct capture_plan *plan,
			      const struct targets *t)
{
	uint64_t fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	bool cpu = t->system_wide || plan->sample_cpu || plan->sample_raw;
	for (size_t i = 0; i < cs->v.n; i++)
		cpu |= cs->v.v[i].class == EVENT_TRACEPOINT ||
		       filter_fields(&cs->v.v[i]) & PERF_SAMPLE_CPU;
	return cpu ? fields | PERF_SAMPLE_CPU : fields;
}

/* Several events are told apart by an id. Where their samples are alike it is found without
 * knowing the event; otherwise it has to stand in front of all. */
static void set_ids(struct counters *cs, bool identifier)
{
	uint64_t first = cs->v.v[0].attr.sample_type;
	uint64_t id = identifier ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	for (size_t i = 1; i < cs->v.n; i++)
		if (cs->v.v[i].attr.sample_type != first)
			id = PERF_SAMPLE_IDENTIFIER;
	bool wanted = cs->v.n > 1 || identifier ||
		      (cs->v.v[0].event && cs->v.v[0].event->sample_read) ||
		      filter_fields(&cs->v.v[0]) & PERF_SAMPLE_ID;
	for (size_t i = 0; wanted && i < cs->v.n; i++)
		cs->v.v[i].attr.sample_type |= id;
}

bool counters_set_fields(struct counters *cs, const struct capture_plan *plan,
			 const struct targets *t, uint64_t frequency, struct err *err)
{
	uint64_t fields = common_fields(cs, plan, t);
	bool has_dummy = false;
	for (size_t i = 0; i < cs->v.n; i++)
		has_dummy |= cs->v.v[i].dummy;
	for (size_t i = 0; i < cs->v.n; i++) {
		struct counter *c = &cs->v.v[i];
		c->attr.sample_type = fields;
		c->attr.read_format = cs->read_format;
		if (plan->read_times)
			c->attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED |
					       PERF_FORMAT_TOTAL_TIME_RUNNING;
		c->attr.flags |= ATTR_SAMPLE_ID_ALL;
		if (plan->use_clock) {
			c->attr.flags |= ATTR_USE_CLOCKID;
			c->attr.clockid = plan->clock;
		}
		if (plan->inherit && !plan->per_thread)
			c->attr.flags |= ATTR_INHERIT;
		if (t->command && (c->dummy || !plan_starts_off(plan)))
			c->attr.flags |= ATTR_DISABLED | ATTR_ENABLE_ON_EXEC;
		if (plan->overwrite && !c->dummy)
			c->attr.flags |= ATTR_WRITE_BACKWARD;
		set_rate(c, plan, frequency);
		if (!c->dummy)
			set_sampling(c, plan);
		if (has_dummy ? c->dummy : i == 0)
			set_tracking(c, cs, plan);
	}
	if (!groups_configure(cs, plan, err))
		return false;
	for (size_t i = 0; i < cs->v.n; i++)
		add_filter_fields(&cs->v.v[i]);
	set_ids(cs, plan->sample_identifier);
	return true;
}
