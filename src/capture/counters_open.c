#include "capture/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/attr_file.h"
#include "capture/groups.h"
#include "capture/open_error.h"
#include "capture/perf_event.h"

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
	const char *own = c->event && c->event->modifiers ? c->event->modifiers : "";
	c->attr.type = PERF_TYPE_SOFTWARE;
	c->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	c->attr.flags &= ~((uint64_t)3 << ATTR_PRECISE_SHIFT);
	c->class = EVENT_SOFTWARE;
	c->max_precise = false;
	/* The modifiers that still mean something. */
	char modifiers[20] = "";
	size_t n = 0;
	for (const char *m = own; *m && n < sizeof modifiers - 2; m++)
		if (*m != 'p' && *m != 'P')
			modifiers[n++] = *m;
	/* The kernel may have been given up already. */
	if (cs->user_only && c->attr.flags & ATTR_EXCLUDE_KERNEL && !plan->all_user &&
	    !strchr(own, 'u'))
		modifiers[n++] = 'u';
	c->name = n ? arena_printf(&cs->arena, "cpu-clock:%.*s", (int)n, modifiers) : "cpu-clock";
	return c->clock = true;
}

static bool use_user_only(struct counters *cs, struct counter *c, const struct capture_plan *plan)
{
	if (c->wants_kernel || plan->all_kernel || c->attr.flags & ATTR_EXCLUDE_KERNEL ||
	    c->attr.flags & ATTR_EXCLUDE_USER || c->class == EVENT_TRACEPOINT)
		return false;
	c->attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	if (strcmp(c->name, TRACKING_NAME))
		c->name = arena_printf(&cs->arena, "%s%su", c->name,
				       strpbrk(c->name, ":/") ? "" : ":");
	cs->user_only = true;
	return true;
}

/* As far as the user may. The command was forked before: it keeps the limit as it was. */
static void raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

enum verdict { GO_ON, START_OVER, DISSOLVE, GIVE_UP };

/* What to do about a failed open. GO_ON: without this thread or CPU. START_OVER: the attr has
 * changed. DISSOLVE: the group is too much for the machine, and may be taken apart. */
static enum verdict after_failure(struct counters *cs, struct counter *c, int error,
				  const struct capture_plan *plan, const struct targets *t)
{
	switch (error) {
	case ESRCH: /* a thread that has ended since we listed it */
		return t->command ? GIVE_UP : GO_ON;
	case ENODEV:
		if (c->attr.type == PERF_TYPE_SOFTWARE || c->attr.type == PERF_TYPE_TRACEPOINT)
			return GO_ON; /* a CPU that has gone offline */
		break;
	case EACCES:
	case EPERM:
		return use_user_only(cs, c, plan) ? START_OVER : GIVE_UP;
	case EINVAL:
		if (c->event && c->event->weak && c->leader != (size_t)(c - cs->v.v))
			return DISSOLVE;
		/* Some PMUs cannot leave anything out. */
		if (c->class == EVENT_PMU && c->attr.flags & ATTR_EXCLUDE_GUEST) {
			c->attr.flags &= ~(uint64_t)ATTR_EXCLUDE_GUEST;
			return START_OVER;
		}
		break;
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
	int group;
	if (!groups_fd(cs, c, tid, cpu, &group))
		return GO_ON;
	int fd = c->in_cgroup ? perf_event_open_cgroup(&c->attr, c->cgroup_fd, cpu, group)
			      : perf_event_open(&c->attr, tid, cpu, group);
	if (fd < 0) {
		int error = errno;
		enum verdict v = after_failure(cs, c, error, plan, t);
		if (v == GIVE_UP)
			open_error_explain(c, tid, cpu, error, err);
		return v;
	}
	struct counter_fd f = {.fd = fd, .cpu = cpu, .tid = tid};
	if (ioctl(fd, PERF_EVENT_IOC_ID, &f.id) != 0) {
		err_sys(err, errno, "event %s has no id", c->name);
		close(fd);
		return GIVE_UP;
	}
	vec_push(&c->fds, f);
	if (plan->attr_dir && !attr_file_write(plan->attr_dir, &c->attr, fd, group, tid, cpu, err))
		return GIVE_UP;
	return GO_ON;
}

static bool open_counter(struct counters *cs, struct counter *c, const struct targets *t,
			 const struct capture_plan *plan, struct err *err);

/* Takes the weak group of `c` apart and opens its events up to `c` again. */
static bool open_apart(struct counters *cs, struct counter *c, const struct targets *t,
		       const struct capture_plan *plan, struct err *err)
{
	size_t first = c->leader;
	groups_dissolve(cs, c);
	if (plan->note)
		plan->note(arena_printf(&cs->arena,
					"the group of %s does not fit this machine: its events "
					"are recorded one by one",
					cs->v.v[first].name));
	for (struct counter *k = &cs->v.v[first]; k <= c; k++) {
		close_fds(k);
		if (!open_counter(cs, k, t, plan, err))
			return false;
	}
	return true;
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
			if (!groups_wants_cpu(c, cpu))
				continue;
			enum verdict v = open_one(cs, c, t->tids.v[i], cpu, plan, t, err);
			if (v == GIVE_UP)
				return false;
			if (v == DISSOLVE)
				return open_apart(cs, c, t, plan, err);
			if (v == START_OVER) {
				close_fds(c);
				return open_counter(cs, c, t, plan, err);
			}
		}
	}
	if (!c->fds.n && c->event && c->event->cpus)
		return err_set(err, ERR_INPUT, "event %s can only be recorded on CPUs %s", c->name,
			       c->event->cpus);
	if (!c->fds.n) {
		err_set(err, ERR_INPUT, "nothing is left to record: %s has ended",
			t->tids.n > 1 ? "each of the threads" : "the thread");
		return err_hint(err, "a command can be recorded from its start: kiln record -- "
				     "COMMAND");
	}
	return true;
}

static bool set_filter(const struct counter *c, struct err *err)
{
	for (size_t i = 0; i < c->fds.n; i++) {
		if (ioctl(c->fds.v[i].fd, PERF_EVENT_IOC_SET_FILTER, c->filter) == 0)
			continue;
		if (errno != EINVAL)
			return err_sys(err, errno, "cannot set the filter of %s", c->name);
		err_set(err, ERR_USAGE, "the kernel does not understand the filter \"%s\" of %s",
			c->filter, c->name);
		return err_hint(err,
				"fields and their types are in tracefs: events/%s/format, with a / "
				"for the colon",
				c->name);
	}
	return true;
}

static bool set_kernel_filter(struct counters *cs, struct counter *c, const struct filter_layout *l,
			      struct err *err)
{
	struct filter_loaded f;
	if (!filter_load(&f, c->kernel_filter, l, c->name, err))
		return false;
	c->loaded = arena_new(&cs->arena, struct filter_loaded);
	*c->loaded = f;
	for (size_t i = 0; i < c->fds.n; i++)
		if (!filter_attach(c->loaded, c->fds.v[i].fd, c->name, err))
			return false;
	return true;
}

/* Once all are open: a weak group that is taken apart is opened again. */
static bool set_filters(struct counters *cs, struct err *err)
{
	struct filter_layout layout;
	bool known = false; /* the layout, which takes some milliseconds to find */
	for (size_t i = 0; i < cs->v.n; i++) {
		struct counter *c = &cs->v.v[i];
		if (c->kernel_filter && !known) {
			filter_layout_find(&layout);
			known = true;
		}
		if ((c->filter && !set_filter(c, err)) ||
		    (c->kernel_filter && !set_kernel_filter(cs, c, &layout, err)))
			return false;
	}
	return true;
}

static void tell_clock(struct counters *cs, const struct counter *c,
		       const struct capture_plan *plan)
{
	plan->note(arena_printf(&cs->arena,
				"%s is not available here (no hardware counters), using %s%s",
				c->asked, c->name, plan->period ? ": -c counts nanoseconds" : ""));
}

static void tell_user_only(struct counters *cs, const struct capture_plan *plan)
{
	char level[16];
	if (!file_read_line(PARANOID_FILE, level, sizeof level))
		plan->note("user space only: this user may not sample the kernel");
	else
		plan->note(arena_printf(&cs->arena,
					"user space only: kernel.perf_event_paranoid is %s (sudo "
					"sysctl -w kernel.perf_event_paranoid=1 shows the kernel)",
					level));
}

/* What was done differently. Only now: when nothing can be opened there is but one thing to say. */
static void tell_fallbacks(struct counters *cs, const struct capture_plan *plan)
{
	for (size_t i = 0; i < cs->v.n; i++)
		if (cs->v.v[i].clock)
			tell_clock(cs, &cs->v.v[i], plan);
	if (cs->user_only)
		tell_user_only(cs, plan);
}

bool counters_open(struct counters *cs, const struct targets *t, const struct capture_plan *plan,
		   struct err *err)
{
	raise_file_limit();
	for (size_t i = 0; i < cs->v.n; i++)
		if (!open_counter(cs, &cs->v.v[i], t, plan, err))
			return false;
	if (!set_filters(cs, err))
		return false;
	if (plan->note)
		tell_fallbacks(cs, plan);
	return true;
}
