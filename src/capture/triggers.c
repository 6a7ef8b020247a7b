#include "capture/triggers.h"

#include <linux/perf_event.h>

#define RING_PAGES 2

bool triggers_open(struct triggers *t, const struct capture_plan *plan,
		   const struct targets *targets, struct err *err)
{
	if (!plan->switching.events || !plan->switching.events->events.n)
		return true;
	t->plan = (struct capture_plan){
		.events = plan->switching.events,
		.period = 1,
		.user_rate = true,
		.inherit = plan->inherit,
		.per_thread = plan->per_thread,
		.all_cpus = plan->all_cpus,
		.control_fd = -1,
		.ack_fd = -1,
		.no_buffering = true,
		.ring_pages = RING_PAGES,
	};
	if (!counters_configure(&t->counters, &t->plan, targets, err) ||
	    !counters_open(&t->counters, targets, &t->plan, err) ||
	    !rings_open(&t->rings, &t->counters, &t->plan, err))
		return err_wrap(err, "--switch-output-event");
	if (!targets->command)
		counters_enable(&t->counters);
	return true;
}

void triggers_close(struct triggers *t)
{
	rings_close(&t->rings);
	counters_close(&t->counters);
}

/* The same rings carry side-band, which is of no interest. */
static bool has_sample(const struct ring *r, uint64_t head)
{
	uint64_t at = r->tail;
	while (head - at >= sizeof(struct perf_event_header)) {
		const uint8_t *p = r->data + (at & (r->size - 1));
		size_t size = load16(p + 6);
		if (load32(p) == PERF_RECORD_SAMPLE)
			return true;
		if (size < sizeof(struct perf_event_header))
			return false;
		at += size;
	}
	return false;
}

bool triggers_fired(struct triggers *t)
{
	bool fired = false;
	for (size_t i = 0; i < t->rings.v.n; i++) {
		struct ring *r = &t->rings.v.v[i];
		uint64_t head = ring_head(r);
		fired |= has_sample(r, head);
		ring_take(r, (size_t)(head - r->tail));
	}
	return fired;
}
