#include "ingest/members.h"

/* One counter: an event on one CPU or in one thread. */
struct member_slot {
	uint32_t event;
	uint64_t last; /* its value when last seen */
};

void members_free(struct members *m)
{
	u64map_free(&m->slot_of);
	vec_free(&m->slots);
	vec_free(&m->samples);
}

void members_know(struct members *m, uint64_t id, uint32_t event)
{
	u64map_put(&m->slot_of, id, (uint32_t)m->slots.n);
	vec_push(&m->slots, (struct member_slot){.event = event});
}

/* A counter that stood still gives no sample, nor one of an event nobody knows. */
static void take_value(struct members *m, uint64_t id, uint64_t value)
{
	const uint32_t *slot = u64map_get(&m->slot_of, id);
	if (!slot)
		return;
	struct member_slot *s = &m->slots.v[*slot];
	if (value != s->last)
		vec_push(&m->samples, (struct member_sample){s->event, value - s->last});
	s->last = value;
}

void members_split(struct members *m, const struct attr *a, const struct sample *s, bool swap)
{
	vec_clear(&m->samples);
	struct cursor c = cursor_of(s->read, s->read_size, swap);
	uint64_t format = a->read_format;
	bool group = format & PERF_FORMAT_GROUP;
	uint64_t n = group ? cursor_u64(&c) : 1;
	uint64_t value = group ? 0 : cursor_u64(&c);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		cursor_skip(&c, 8);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		cursor_skip(&c, 8);
	for (; n && !c.bad; n--) {
		if (group)
			value = cursor_u64(&c);
		uint64_t id = format & PERF_FORMAT_ID ? cursor_u64(&c) : 0;
		if (format & FORMAT_LOST)
			cursor_skip(&c, 8);
		if (!c.bad)
			take_value(m, id, value);
	}
}
