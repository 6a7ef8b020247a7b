#include "capture/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/cgroup.h"
#include "capture/perf_event.h"
#include "capture/schedule.h"

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
	if (*frequency <= max)
		return true;
	if (plan->strict_rate && plan->user_rate) {
		err_set(err, ERR_USAGE,
			"-F %" PRIu64 " is more than the kernel allows (%" PRIu64
			" samples a second)",
			*frequency, max);
		return err_hint(err,
				"sudo sysctl -w kernel.perf_event_max_sample_rate=%" PRIu64
				", or -F max",
				*frequency);
	}
	if (plan->note && plan->user_rate) {
		char text[200];
		snprintf(text, sizeof text,
			 "-F %" PRIu64 " is more than the kernel allows: %" PRIu64
			 " samples a second (sudo sysctl -w "
			 "kernel.perf_event_max_sample_rate=%" PRIu64 " allows it)",
			 *frequency, max, *frequency);
		plan->note(text);
	}
	*frequency = max;
	return true;
}

static void add_default_event(struct counters *cs)
{
	struct counter c = {
		.class = EVENT_HARDWARE,
		.name = "cycles:P",
		.asked = "cycles",
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
		.asked = "the side-band",
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .size = ATTR_BYTES,
			 .config = PERF_COUNT_SW_DUMMY},
		.tracking = true,
		.dummy = true,
	};
	vec_push(&cs->v, c);
}

static bool join_cgroups(struct counters *cs, const struct capture_plan *plan, struct err *err)
{
	for (size_t i = 0; plan->cgroup_count && i < cs->v.n; i++) {
		const char *name = plan->cgroups[plan->cgroup_count == 1 ? 0 : i];
		if (!*name)
			continue;
		cs->v.v[i].cgroup_fd = cgroup_open(name, err);
		if (cs->v.v[i].cgroup_fd < 0)
			return false;
		cs->v.v[i].in_cgroup = true;
	}
	return true;
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
			.asked = e->name,
			.attr = e->attr,
			.max_precise = e->max_precise,
			.wants_kernel = e->wants_kernel,
			.event = e,
			.filter = plan->filters ? plan->filters[i] : NULL,
		};
		if (plan->kernel_filters && plan->kernel_filters[i].tests.n)
			c.kernel_filter = &plan->kernel_filters[i];
		if (!(cs->kernel_flags & ATTR_EXCLUDE_GUEST))
			c.attr.flags &= ~(uint64_t)ATTR_EXCLUDE_GUEST;
		vec_push(&cs->v, c);
	}
	if (!cs->v.n)
		add_default_event(cs);
	if (!join_cgroups(cs, plan, err))
		return false;
	/* An event of its own tracks where samplers are not always on, or not in the same ring. A
	 * system-wide recording has one that runs from the start: new mappings must not be missed
	 * while the old ones are being written down. */
	if (t->system_wide || plan_starts_off(plan) || plan->control_fd >= 0 || plan->overwrite)
		add_tracking_event(cs);
	return counters_set_fields(cs, plan, t, frequency, err);
}

size_t counters_trailer(const struct counters *cs)
{
	const uint64_t in_trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_IDENTIFIER;
	return (size_t)__builtin_popcountll(cs->v.v[0].attr.sample_type & in_trailer) * 8;
}

static void control(struct counters *cs, unsigned long request, bool dummy)
{
	for (size_t i = 0; i < cs->v.n; i++)
		for (size_t k = 0; (dummy || !cs->v.v[i].dummy) && k < cs->v.v[i].fds.n; k++)
			(void)ioctl(cs->v.v[i].fds.v[k].fd, request, 0);
}

void counter_turn(struct counter *c, bool on)
{
	for (size_t i = 0; i < c->fds.n; i++)
		(void)ioctl(c->fds.v[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void counters_enable(struct counters *cs)
{
	control(cs, PERF_EVENT_IOC_ENABLE, true);
}

void counters_disable(struct counters *cs)
{
	control(cs, PERF_EVENT_IOC_DISABLE, true);
}

void counters_pause(struct counters *cs)
{
	control(cs, PERF_EVENT_IOC_DISABLE, false);
}

void counters_close(struct counters *cs)
{
	for (size_t i = 0; i < cs->v.n; i++) {
		for (size_t k = 0; k < cs->v.v[i].fds.n; k++)
			close(cs->v.v[i].fds.v[k].fd);
		vec_free(&cs->v.v[i].fds);
		if (cs->v.v[i].loaded)
			filter_unload(cs->v.v[i].loaded);
		if (cs->v.v[i].in_cgroup)
			close(cs->v.v[i].cgroup_fd);
	}
	vec_free(&cs->v);
	arena_free(&cs->arena);
}
