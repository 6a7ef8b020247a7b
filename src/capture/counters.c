#include "capture/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/open_error.h"
#include "capture/perf_event.h"
#include "perfdata/attr_name.h"

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
		.name = "dummy:HG",
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
	bool cpu = t->system_wide || plan->sample_cpu;
	for (size_t i = 0; i < cs->v.n; i++)
		cpu |= cs->v.v[i].class == EVENT_TRACEPOINT;
	if (cpu)
		fields |= PERF_SAMPLE_CPU;
	if (cs->v.n > 1)
		fields |= PERF_SAMPLE_IDENTIFIER;
	return fields;
}

static void configure_sampling(struct counter *c, const struct capture_plan *plan,
			       uint64_t frequency)
{
	struct attr *a = &c->attr;
	bool every = c->class == EVENT_TRACEPOINT && !plan->user_rate;
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
	return true;
}

size_t counters_trailer(const struct counters *cs)
{
	const uint64_t in_trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
				    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_IDENTIFIER;
	return (size_t)__builtin_popcountll(cs->v.v[0].attr.sample_type & in_trailer) * 8;
}

/* --- opening ------------------------------------------------------------------------------- */

static void close_fds(struct counter *c)
{
	for (size_t i = 0; i < c->fds.n; i++)
		close(c->fds.v[i].fd);
	vec_clear(&c->fds);
}

static bool lower_precision(struct counter *c)
{
	if (!c->max_precise || !attr_precise(&c->attr))
		return false;
	c->attr.flags -= (uint64_t)1 << ATTR_PRECISE_SHIFT;
	return true;
}

/* cycles without a PMU: the clock interrupts instead. */
static bool use_clock(struct counters *cs, struct counter *c, const struct capture_plan *plan)
{
	if (c->attr.type != PERF_TYPE_HARDWARE || c->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	const char *colon = strchr(c->name, ':');
	const char *was = c->name;
	c->attr.type = PERF_TYPE_SOFTWARE;
	c->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	c->attr.flags &= ~((uint64_t)3 << ATTR_PRECISE_SHIFT);
	c->class = EVENT_SOFTWARE;
	c->max_precise = false;
	/* The modifiers that still mean something. */
	char modifiers[16] = "";
	size_t n = 0;
	for (; colon && colon[1] && n < sizeof modifiers - 1; colon++)
		if (colon[1] != 'p' && colon[1] != 'P')
			modifiers[n++] = colon[1];
	c->name = n ? arena_printf(&cs->arena, "cpu-clock:%.*s", (int)n, modifiers) : "cpu-clock";
	/* By default it is just what this machine has; but who asked for cycles, or counts them,
	 * gets something else. */
	if (plan->note && (plan->period || (plan->events && plan->events->events.n)))
		plan->note(arena_printf(&cs->arena,
					"%s is not available here (no hardware counters), using "
					"%s%s",
					was, c->name,
					plan->period ? ": -c counts nanoseconds" : ""));
	return true;
}

static bool use_user_only(struct counters *cs, struct counter *c, const struct capture_plan *plan)
{
	if (c->wants_kernel || plan->all_kernel || c->attr.flags & ATTR_EXCLUDE_KERNEL ||
	    c->attr.flags & ATTR_EXCLUDE_USER || c->class == EVENT_TRACEPOINT)
		return false;
	c->attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	if (!c->tracking || c->attr.config != PERF_COUNT_SW_DUMMY)
		c->name = arena_printf(&cs->arena, "%s%su", c->name,
				       strchr(c->name, ':') ? "" : ":");
	cs->user_only = true;
	return true;
}

static bool raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

enum verdict { RETRY, START_OVER, SKIP, GIVE_UP };

/* What to do about a failed open. START_OVER: the attr has changed. */
static enum verdict after_failure(struct counters *cs, struct counter *c, int error,
				  const struct capture_plan *plan, const struct targets *t)
{
	switch (error) {
	case EMFILE:
		return raise_file_limit() ? RETRY : GIVE_UP;
	case ESRCH: /* a thread that has ended since we listed it */
		return t->command ? GIVE_UP : SKIP;
	case ENODEV:
		if (c->attr.type == PERF_TYPE_SOFTWARE || c->attr.type == PERF_TYPE_TRACEPOINT)
			return SKIP; /* a CPU that has gone offline */
		break;
	case EACCES:
	case EPERM:
		return use_user_only(cs, c, plan) ? START_OVER : GIVE_UP;
	case EINVAL:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		break;
	default:
		return GIVE_UP;
	}
	if (lower_precision(c))
		return START_OVER;
	if (error != EINVAL && use_clock(cs, c, plan))
		return START_OVER;
	return GIVE_UP;
}

static enum verdict open_one(struct counters *cs, struct counter *c, int32_t tid, int32_t cpu,
			     const struct capture_plan *plan, const struct targets *t,
			     struct err *err)
{
	for (;;) {
		int fd = perf_event_open(&c->attr, tid, cpu, -1);
		if (fd >= 0) {
			struct counter_fd f = {.fd = fd, .cpu = cpu, .tid = tid};
			if (ioctl(fd, PERF_EVENT_IOC_ID, &f.id) != 0) {
				err_sys(err, errno, "event %s has no id", c->name);
				close(fd);
				return GIVE_UP;
			}
			vec_push(&c->fds, f);
			return SKIP;
		}
		int error = errno;
		enum verdict v = after_failure(cs, c, error, plan, t);
		if (v == GIVE_UP)
			open_error_explain(c, tid, cpu, error, err);
		if (v != RETRY)
			return v;
	}
}

/* Side-band is wanted from all CPUs even when only some are sampled: tasks move. */
static bool open_counter(struct counters *cs, struct counter *c, const struct targets *t,
			 const struct capture_plan *plan, struct err *err)
{
	bool everywhere = c->tracking && t->system_wide;
	size_t cpus = everywhere ? t->online.v.n : t->cpus.n;
	for (size_t i = 0; i < t->tids.n; i++) {
		for (size_t k = 0; k < cpus; k++) {
			int32_t cpu = everywhere ? (int32_t)t->online.v.v[k] : t->cpus.v[k];
			enum verdict v = open_one(cs, c, t->tids.v[i], cpu, plan, t, err);
			if (v == GIVE_UP)
				return false;
			if (v == START_OVER) {
				close_fds(c);
				return open_counter(cs, c, t, plan, err);
			}
		}
	}
	if (!c->fds.n)
		return err_set(err, ERR_INPUT, "nothing is left to record: %s has ended",
			       t->tids.n > 1 ? "each of the threads" : "the thread");
	return true;
}

static void tell_user_only(struct counters *cs, const struct capture_plan *plan)
{
	char level[16] = "?";
	(void)!file_read_line(PARANOID_FILE, level, sizeof level);
	plan->note(arena_printf(&cs->arena,
				"user space only: kernel.perf_event_paranoid is %s (sudo sysctl -w "
				"kernel.perf_event_paranoid=1 shows the kernel)",
				level));
}

bool counters_open(struct counters *cs, const struct targets *t, const struct capture_plan *plan,
		   struct err *err)
{
	for (size_t i = 0; i < cs->v.n; i++)
		if (!open_counter(cs, &cs->v.v[i], t, plan, err))
			return false;
	if (cs->user_only && plan->note)
		tell_user_only(cs, plan);
	return true;
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
		close_fds(&cs->v.v[i]);
		vec_free(&cs->v.v[i].fds);
	}
	vec_free(&cs->v);
	arena_free(&cs->arena);
}
