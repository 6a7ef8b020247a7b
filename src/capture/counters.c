#include "capture/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/groups.h"
#include "capture/perf_event.h"

#define DEFAULT_FREQUENCY 4000

/* Optional abilities, newest first: the kernel says EINVAL to what it does not know. */
static const struct {
	uint64_t flags;
	uint64_t read_format;
} abilities[] = {
	{0, FORMAT_LOST},       /* 6.0 */
	{ATTR_BUILD_ID, 0},     /* 5.12 */
	{ATTR_BPF_EVENT, 0},    /* 5.1 */
	{ATTR_KSYMBOL, 0},      /* 5.1 */
	{ATTR_NAMESPACES, 0},   /* 4.12 */
	{ATTR_COMM_EXEC, 0},    /* 3.16 */
	{ATTR_MMAP2, 0},        /* 3.16 */
	{ATTR_EXCLUDE_GUEST, 0} /* 3.2 */
};

/* Finds out what this kernel can do with an event that counts nothing, so that a failure to open a
 * real one is about that event. */
static void probe_abilities(struct counters *cs)
{
	struct attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_BYTES,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_ID,
		.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_MMAP |
			 ATTR_COMM | ATTR_TASK | ATTR_SAMPLE_ID_ALL,
	};
	uint64_t all = 0;
	for (size_t i = 0; i < ARRAY_LEN(abilities); i++) {
		all |= abilities[i].flags;
		a.read_format |= abilities[i].read_format;
	}
	a.flags |= all;
	size_t next = 0;
	for (;;) {
		CLEANUP(close_fd) int fd = perf_event_open(&a, 0, -1, -1);
		if (fd >= 0)
			break;
		if ((errno == EACCES || errno == EPERM) && a.flags & ATTR_NAMESPACES) {
			a.flags &= ~(uint64_t)ATTR_NAMESPACES; /* needs CAP_PERFMON */
			continue;
		}
		if (errno != EINVAL || next == ARRAY_LEN(abilities))
			break;
		a.flags &= ~abilities[next].flags;
		a.read_format &= ~abilities[next].read_format;
		next++;
	}
	cs->kernel_flags = a.flags & all;
	cs->read_format = a.read_format;
}

static bool choose_rate(const struct capture_plan *plan, uint64_t *frequency, struct err *err)
{
	uint64_t max = capture_max_frequency();
	*frequency = plan->frequency;
	if (plan->period)
		*frequency = 0;
	else if (!*frequency)
		*frequency = DEFAULT_FREQUENCY;
	if (*frequency == CAPTURE_MAX_FREQUENCY)
		*frequency = max;
	if (*frequency > max && plan->user_rate) {
		err_set(err, ERR_USAGE,
			"-F %" PRIu64 " is more than the kernel allows (%" PRIu64
			" samples a second)",
			*frequency, max);
		return err_hint(err,
				"sudo sysctl -w kernel.perf_event_max_sample_rate=%" PRIu64
				", or -F max",
				*frequency);
	}
	*frequency = MIN(*frequency, max);
	return true;
}

static void add_default_event(struct counters *cs)
{
	struct counter c = {
		.class = EVENT_HARDWARE,
		.name = "cycles:P",
		.attr = {.type = PERF_TYPE_HARDWARE,
			 .size = ATTR_BYTES,
			 .config = PERF_COUNT_HW_CPU_CYCLES,
			 .flags = cs->kernel_flags & ATTR_EXCLUDE_GUEST},
		.max_precise = true,
	};
	vec_push(&cs->v, c);
}

static void add_tracking_event(struct counters *cs)
{
	struct counter c = {
		.class = EVENT_SOFTWARE,
		.name = TRACKING_NAME,
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .size = ATTR_BYTES,
			 .config = PERF_COUNT_SW_DUMMY,
			 .sample_period = 1},
		.tracking = true,
	};
	vec_push(&cs->v, c);
}

/* The fields all events have alike, so that every record's trailer has the same form. */
static uint64_t common_fields(const struct counters *cs, const struct capture_plan *plan,
			      const struct targets *t)
{
	uint64_t fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	bool cpu = t->system_wide || plan->sample_cpu, read = false;
	for (size_t i = 0; i < cs->v.n; i++) {
		cpu |= cs->v.v[i].class == EVENT_TRACEPOINT;
		read |= cs->v.v[i].event && cs->v.v[i].event->sample_read;
	}
	if (cpu)
		fields |= PERF_SAMPLE_CPU;
	if (cs->v.n > 1 || read)
		fields |= PERF_SAMPLE_IDENTIFIER;
	return fields;
}

static void configure_sampling(struct counter *c, const struct capture_plan *plan,
			       uint64_t frequency)
{
	struct attr *a = &c->attr;
	bool every = (c->class == EVENT_TRACEPOINT || c->class == EVENT_BREAKPOINT) &&
		     !plan->user_rate;
	if (every) {
		a->sample_period = 1;
	} else if (frequency) {
		a->sample_period = frequency;
		a->flags |= ATTR_FREQ;
	} else {
		a->sample_period = plan->period;
	}
	if (a->flags & ATTR_FREQ || c->class == EVENT_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	if (plan->call_graph == CALL_GRAPH_FP)
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (plan->sample_addr)
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (plan->sample_raw || c->class == EVENT_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_RAW;
	if (plan->all_user)
		a->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	if (plan->all_kernel)
		a->flags |= ATTR_EXCLUDE_USER;
	if (c->max_precise)
		a->flags |= (uint64_t)3 << ATTR_PRECISE_SHIFT;
	a->flags |= ATTR_DISABLED;
}

static void configure_tracking(struct counter *c, const struct counters *cs, bool data)
{
	c->tracking = true;
	c->attr.flags |= ATTR_MMAP | ATTR_COMM | ATTR_TASK;
	c->attr.flags |= cs->kernel_flags & ~(uint64_t)ATTR_EXCLUDE_GUEST;
	if (data)
		c->attr.flags |= ATTR_MMAP_DATA;
}

bool counters_configure(struct counters *cs, const struct capture_plan *plan,
			const struct targets *t, struct err *err)
{
	uint64_t frequency;
	if (!choose_rate(plan, &frequency, err))
		return false;
	probe_abilities(cs);
	for (size_t i = 0; plan->events && i < plan->events->events.n; i++) {
		const struct event *e = &plan->events->events.v[i];
		struct counter c = {
			.class = e->class,
			.name = e->name,
			.attr = e->attr,
			.max_precise = e->max_precise,
			.wants_kernel = e->wants_kernel,
			.event = e,
		};
		if (!(cs->kernel_flags & ATTR_EXCLUDE_GUEST))
			c.attr.flags &= ~(uint64_t)ATTR_EXCLUDE_GUEST;
		vec_push(&cs->v, c);
	}
	if (!cs->v.n)
		add_default_event(cs);
	/* A system-wide recording tracks with an event of its own, which runs from the start: new
	 * mappings must not be missed while the old ones are being written down. */
	if (t->system_wide)
		add_tracking_event(cs);
	uint64_t fields = common_fields(cs, plan, t);
	for (size_t i = 0; i < cs->v.n; i++) {
		struct counter *c = &cs->v.v[i];
		c->attr.sample_type = fields;
		c->attr.read_format = cs->read_format;
		c->attr.flags |= ATTR_SAMPLE_ID_ALL;
		if (plan->inherit && !plan->per_thread)
			c->attr.flags |= ATTR_INHERIT;
		if (t->command)
			c->attr.flags |= ATTR_ENABLE_ON_EXEC;
		if (!c->tracking)
			configure_sampling(c, plan, frequency);
		if (t->system_wide ? c->tracking : i == 0)
			configure_tracking(c, cs, plan->sample_addr);
	}
	return groups_configure(cs, plan, err);
}

size_t counters_trailer(const struct counters *cs)
{
	const uint64_t in_trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_IDENTIFIER;
	return (size_t)__builtin_popcountll(cs->v.v[0].attr.sample_type & in_trailer) * 8;
}

static void control(struct counters *cs, unsigned long request)
{
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++)
			(void)ioctl(cs->v.v[i].fds.v[k].fd, request, 0);
}

void counters_enable(struct counters *cs)
{
	control(cs, PERF_EVENT_IOC_ENABLE);
}

void counters_disable(struct counters *cs)
{
	control(cs, PERF_EVENT_IOC_DISABLE);
}

void counters_close(struct counters *cs)
{
	for (size_t i = 0; i < cs->v.n; i++) {
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++)
			close(cs->v.v[i].fds.v[k].fd);
		vec_free(&cs->v.v[i].fds);
	}
	vec_free(&cs->v);
	arena_free(&cs->arena);
}
