#include "capture/terms.h"

#include <linux/perf_event.h>

#define DEFAULT_STACK_SIZE 8192 /* bytes of the user stack in a sample, as in perf */

static bool refuse(const struct counter *c, struct err *err)
{
	const struct event *e = c->event;
	bool overwrites = c->attr.flags & ATTR_WRITE_BACKWARD;
	if (e->terms.set & TERM_OVERWRITE && e->terms.overwrite != overwrites) {
		err_set(err, ERR_UNSUPPORTED,
			"event %s: a buffer that is overwritten is there for all events or none",
			e->name);
		return err_hint(err, "leave out the term; --overwrite is for all");
	}
	if (e->terms.set & TERM_DRIVER_CONFIG)
		return err_set(err, ERR_UNSUPPORTED,
			       "event %s: settings for a driver (@%s) belong to hardware traces, "
			       "which are not recorded",
			       e->name, e->terms.driver_config);
	if (e->retire) {
		err_set(err, ERR_UNSUPPORTED,
			"event %s: modifier R counts the latency of retirement and cannot sample",
			e->name);
		return err_hint(err, "leave out the modifier R");
	}
	return true;
}

static void apply_rate(struct attr *a, const struct event_terms *t)
{
	if (t->set & TERM_PERIOD) {
		a->sample_period = t->period;
		a->flags &= ~(uint64_t)ATTR_FREQ;
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	} else if (t->set & TERM_FREQ) {
		a->sample_period = t->frequency;
		a->flags |= ATTR_FREQ;
		a->sample_type |= PERF_SAMPLE_PERIOD;
	}
}

static void drop_stacks(struct attr *a)
{
	a->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				      PERF_SAMPLE_STACK_USER);
	a->flags &= ~(uint64_t)ATTR_EXCLUDE_CALLCHAIN_USER;
	a->sample_regs_user = 0;
	a->sample_stack_user = 0;
}

static bool apply_dwarf(struct counter *c, struct err *err)
{
	struct attr *a = &c->attr;
	uint64_t regs = capture_registers();
	if (!regs)
		return err_set(err, ERR_UNSUPPORTED,
			       "event %s: call-graph=dwarf is not known for this CPU", c->name);
	a->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
	a->sample_regs_user = regs;
	a->sample_stack_user = c->event->terms.set & TERM_STACK_SIZE ? c->event->terms.stack_size
								     : DEFAULT_STACK_SIZE;
	return true;
}

static bool apply_stacks(struct counter *c, struct err *err)
{
	const struct event_terms *t = &c->event->terms;
	struct attr *a = &c->attr;
	if (t->set & TERM_MAX_STACK) {
		a->sample_max_stack = t->max_stack;
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	}
	if (!(t->set & TERM_CALL_GRAPH))
		return true;
	drop_stacks(a);
	switch (t->stacks) {
	case STACKS_NO:
		a->sample_max_stack = 0;
		return true;
	case STACKS_FP:
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
		return true;
	case STACKS_DWARF:
		return apply_dwarf(c, err);
	case STACKS_LBR:
		a->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS;
		a->flags |= ATTR_EXCLUDE_CALLCHAIN_USER;
		return true;
	}
	return true;
}

bool terms_apply(struct counter *c, struct err *err)
{
	const struct event_terms *t = &c->event->terms;
	struct attr *a = &c->attr;
	if (!refuse(c, err) || !apply_stacks(c, err))
		return false;
	apply_rate(a, t);
	if (t->set & TERM_TIME) {
		a->sample_type &= ~(uint64_t)PERF_SAMPLE_TIME;
		a->sample_type |= t->time ? PERF_SAMPLE_TIME : 0;
	}
	if (t->set & TERM_INHERIT) {
		a->flags &= ~(uint64_t)ATTR_INHERIT;
		a->flags |= t->inherit ? ATTR_INHERIT : 0;
	}
	if (t->set & TERM_BRANCH_TYPE) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = t->branch_type;
	}
	if (t->set & TERM_AUX_SAMPLE_SIZE) {
		a->sample_type |= PERF_SAMPLE_AUX;
		a->aux_sample_size = t->aux_sample_size;
	}
	return true;
}
