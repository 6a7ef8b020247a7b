#include "capture/open_error.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "capture/available.h"
#include "capture/counters.h"
#include "capture/denied.h"
#include "capture/perf_event.h"

static void explain_unsupported(const struct counter *c, struct err *err)
{
	if (c->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
		err_set(err, ERR_UNSUPPORTED, "event %s: this machine records no branch stacks",
			c->name);
		err_hint(err, "they need hardware counters, which virtual machines often lack; "
			      "leave out -b, -j or --call-graph lbr");
	} else if (c->attr.type == PERF_TYPE_TRACEPOINT) {
		err_set(err, ERR_UNSUPPORTED, "tracepoint %s cannot be recorded by this kernel",
			c->name);
	} else if (attr_precise(&c->attr)) {
		err_set(err, ERR_UNSUPPORTED, "event %s: this machine has no such precise sampling",
			c->name);
		err_hint(err, "leave out the modifier p, or use P for as precise as possible");
	} else {
		err_set(err, ERR_UNSUPPORTED, "event %s is not supported by this machine", c->name);
		err_hint(err, "virtual machines often have no hardware counters; -e cpu-clock "
			      "works everywhere");
	}
}

/* A PMU may count without being able to interrupt, or belong to CPUs only. */
static void explain_pmu(const struct counter *c, int32_t tid, struct err *err)
{
	struct attr count = c->attr;
	struct available counts;
	count.sample_period = 0;
	count.flags &= ~(uint64_t)(ATTR_FREQ | ATTR_INHERIT | ATTR_ENABLE_ON_EXEC);
	available_try(&count, c->event ? c->event->cpus : NULL, &counts);
	if (counts.yes && c->attr.sample_period) {
		err_set(err, ERR_UNSUPPORTED, "event %s can be counted, but it cannot sample",
			c->name);
		err_hint(err, "a clock can read it with each sample: -e '{cpu-clock,%s}:S'",
			 c->name);
	} else if (counts.yes && tid >= 0) {
		err_set(err, ERR_UNSUPPORTED,
			"event %s belongs to CPUs or devices, not to programs", c->name);
		err_hint(err, "record the whole system: -a");
	} else {
		err_set(err, ERR_UNSUPPORTED, "event %s is refused by its PMU's driver", c->name);
		err_hint(err, "its terms may not fit together; `kiln list pmu` shows what works");
	}
}

static void explain_invalid(const struct counter *c, struct err *err)
{
	err_set(err, ERR_UNSUPPORTED, "this kernel does not take event %s as it is configured",
		c->name);
	if (c->attr.flags & ATTR_USE_CLOCKID)
		err_hint(err, "hardware events go with -k monotonic or monotonic_raw only");
	else if (c->attr.sample_regs_user || c->attr.sample_regs_intr)
		err_hint(err, "one of the registers cannot be sampled here");
	else if (c->attr.flags & ATTR_WRITE_BACKWARD)
		err_hint(err, "--overwrite wants Linux 4.7 or later");
	else
		err_hint(err, "one of the sampled fields is newer than the kernel; `kiln record "
			      "--dry-run -v` shows the configuration");
}

void open_error_explain(const struct counter *c, int32_t tid, int32_t cpu, int error,
			struct err *err)
{
	struct denied_facts facts;
	switch (error) {
	case EACCES:
	case EPERM:
		denied_facts(&facts, tid);
		denied_explain(&facts, c, c->asked, tid, err);
		return;
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		explain_unsupported(c, err);
		return;
	case ENODEV:
		if (c->attr.type == PERF_TYPE_SOFTWARE) {
			err_set(err, ERR_INPUT, "CPU %d went offline", cpu);
			err_hint(err, "see " ONLINE_FILE);
			return;
		}
		explain_unsupported(c, err);
		return;
	case EINVAL:
		if (c->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			explain_unsupported(c, err);
		else if (c->class == EVENT_PMU)
			explain_pmu(c, tid, err);
		else
			explain_invalid(c, err);
		return;
	case ENOSPC:
		err_set(err, ERR_SYSTEM,
			"event %s: the CPU's debug registers are all in use, or too many events are "
			"open",
			c->name);
		err_hint(err, "end other debuggers and profilers, or record fewer events at once");
		return;
	case EMFILE:
		err_sys(err, error, "cannot open event %s on CPU %d", c->name, cpu);
		err_hint(err,
			 "fewer events or threads, or raise the limit as root: ulimit -n 65536");
		return;
	case EBUSY:
		err_sys(err, error, "event %s", c->name);
		err_hint(err,
			 "another profiler or the NMI watchdog holds the counters: sudo sysctl "
			 "-w kernel.nmi_watchdog=0");
		return;
	case EOVERFLOW:
		err_set(err, ERR_USAGE,
			"event %s: the kernel does not keep call stacks of %u frames", c->name,
			c->attr.sample_max_stack);
		err_hint(err, "sudo sysctl -w kernel.perf_event_max_stack=%u",
			 c->attr.sample_max_stack);
		return;
	case ENOSYS:
		denied_facts(&facts, tid);
		denied_explain_missing(&facts, c->asked, err);
		return;
	default:
		err_sys(err, error, "cannot open event %s (thread %d, CPU %d)", c->name, tid, cpu);
	}
}
