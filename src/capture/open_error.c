#include "capture/open_error.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/available.h"
#include "capture/counters.h"
#include "capture/perf_event.h"

static bool owned_by_other(int32_t tid)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d", tid);
	return tid > 0 && stat(path, &st) == 0 && st.st_uid != geteuid();
}

/* The highest kernel.perf_event_paranoid that lets an ordinary user have this event. */
static int level_needed(const struct counter *c, int32_t tid)
{
	if (c->class == EVENT_TRACEPOINT)
		return -1;
	if (tid < 0)
		return 0;
	return c->attr.flags & ATTR_EXCLUDE_KERNEL ? 2 : 1;
}

/* Whether the kernel refuses even what every user may have: then something in front of it does. */
static bool all_is_refused(void)
{
	struct attr harmless = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_BYTES,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV,
	};
	CLEANUP(close_fd) int fd = perf_event_open(&harmless, 0, -1, -1);
	return fd < 0 && (errno == EPERM || errno == EACCES);
}

static bool is_filtered(void)
{
	struct str text, rest, line;
	bool filtered = false;
	if (!file_read("/proc/self/status", 1 << 20, &text, NULL))
		return false;
	rest = text;
	while (str_line(&rest, &line))
		if (str_starts(line, "Seccomp:"))
			filtered = !str_is(str_trim(str_skip(line, 8)), "0");
	free((void *)text.p);
	return filtered;
}

static void explain_filtered(const struct counter *c, struct err *err)
{
	err_set(err, ERR_PERMISSION,
		"a seccomp filter forbids perf_event_open here, so %s cannot be recorded", c->name);
	err_hint(err, "docker run --cap-add PERFMON --security-opt seccomp=unconfined, or record "
		      "from outside the container");
}

/* Bits of an attr that want the capability whatever kernel.perf_event_paranoid says. */
static const char *privileged_part(const struct attr *a)
{
	if (a->flags & ATTR_NAMESPACES)
		return "--namespaces";
	if (a->sample_type & PERF_SAMPLE_PHYS_ADDR)
		return "--phys-data";
	return NULL;
}

static void explain_denied(const struct counter *c, int32_t tid, int error, struct err *err)
{
	char text[16] = "unknown";
	int64_t level = 2;
	bool known = file_read_line(PARANOID_FILE, text, sizeof text) &&
		     str_to_i64(str_trim(str_of(text)), &level);
	int needed = level_needed(c, tid);
	const char *what = tid < 0 ? "all CPUs" : "this process";
	const char *part = privileged_part(&c->attr);
	if (is_filtered() && all_is_refused()) {
		explain_filtered(c, err);
	} else if (geteuid() == 0) {
		err_set(err, ERR_PERMISSION, "the kernel refuses event %s to root: %s", c->name,
			error == EPERM ? "EPERM" : "EACCES");
		err_hint(err,
			 "in a container it needs --cap-add PERFMON and a seccomp profile that "
			 "allows perf_event_open (docker run --security-opt "
			 "seccomp=unconfined)");
	} else if (owned_by_other(tid)) {
		err_set(err, ERR_PERMISSION, "process %d belongs to another user", tid);
		err_hint(err, "run as that user, or with sudo");
	} else if (part && known && level <= needed) {
		err_set(err, ERR_PERMISSION, "%s needs the capability CAP_PERFMON", part);
		err_hint(err, "leave it out, or run with sudo");
	} else if (known && level > needed) {
		err_set(err, ERR_PERMISSION,
			"recording %s of %s is not allowed: kernel.perf_event_paranoid is %s",
			c->name, what, text);
		err_hint(err, "sudo sysctl -w kernel.perf_event_paranoid=%d, or run with sudo",
			 needed);
	} else {
		err_set(err, ERR_PERMISSION,
			"recording %s of %s is not allowed, though kernel.perf_event_paranoid is %s",
			c->name, what, text);
		err_hint(err, "a seccomp or security policy forbids perf_event_open here; in a "
			      "container add --cap-add PERFMON, else run with sudo");
	}
}

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
	switch (error) {
	case EACCES:
	case EPERM:
		explain_denied(c, tid, error, err);
		return;
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		explain_unsupported(c, err);
		return;
	case ENODEV:
		if (c->attr.type == PERF_TYPE_SOFTWARE) {
			err_set(err, ERR_INPUT, "CPU %d went offline", cpu);
			err_hint(err, "see /sys/devices/system/cpu/online");
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
		err_hint(err, "raise the limit: ulimit -n 65536 (hard limit: `ulimit -Hn`)");
		return;
	case EBUSY:
		err_sys(err, error, "event %s", c->name);
		err_hint(err,
			 "another profiler or the NMI watchdog holds the counters: sudo sysctl "
			 "-w kernel.nmi_watchdog=0");
		return;
	case ENOSYS:
		err_set(err, ERR_UNSUPPORTED, "this kernel was built without perf events");
		return;
	default:
		err_sys(err, error, "cannot open event %s (thread %d, CPU %d)", c->name, tid, cpu);
	}
}
