#include "capture/schedule.h"

int schedule_due(struct schedule *s, uint64_t ms)
{
	bool was = s->on;
	/* A range that is over before we came to look is not entered. */
	while (s->at < s->count && s->ranges[s->at].to <= ms) {
		s->on = false;
		s->at++;
	}
	if (s->at < s->count && s->ranges[s->at].from <= ms)
		s->on = true;
	return (int)s->on - (int)was;
}

uint64_t schedule_wait(const struct schedule *s, uint64_t ms)
{
	if (s->at == s->count)
		return UINT64_MAX;
	uint64_t next = s->on ? s->ranges[s->at].to : s->ranges[s->at].from;
	if (next == UINT64_MAX)
		return UINT64_MAX;
	return next > ms ? next - ms : 0;
}
