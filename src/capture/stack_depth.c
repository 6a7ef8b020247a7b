#include "capture/stack_depth.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/counters.h"

#define LIMIT_FILE "/proc/sys/kernel/perf_event_max_stack"

static bool set_limit(uint64_t n)
{
	char text[24];
	CLEANUP(close_fd) int fd = open(LIMIT_FILE, O_WRONLY | O_CLOEXEC);
	int length = snprintf(text, sizeof text, "%" PRIu64 "\n", n);
	return fd >= 0 && write(fd, text, (size_t)length) == length;
}

bool stack_depth_raise(struct stack_depth *s, struct counters *cs)
{
	uint64_t limit, want = 0;
	*s = (struct stack_depth){0};
	if (!file_read_u64(LIMIT_FILE, &limit))
		return false;
	for (size_t i = 0; i < cs->v.n; i++) {
		struct attr *a = &cs->v.v[i].attr;
		if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN))
			continue;
		want = MAX(want, (uint64_t)a->sample_max_stack);
		/* A reader cannot know what the limit was. */
		if (!a->sample_max_stack && limit != STACK_DEPTH_USUAL)
			a->sample_max_stack = (uint16_t)MIN(limit, (uint64_t)UINT16_MAX);
	}
	if (want <= limit || !set_limit(want))
		return false;
	s->before = limit;
	s->now = want;
	return true;
}

void stack_depth_restore(struct stack_depth *s)
{
	if (s->before)
		(void)!set_limit(s->before);
	s->before = 0;
}
