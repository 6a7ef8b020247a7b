#include "capture/denied.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/counters.h"
#include "capture/perf_event.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since 5.8 */
#endif

/* --- what /proc tells ---------------------------------------------------------------------- */

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
	return fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static void read_status(struct denied_facts *f)
{
	struct str text, rest, line;
	if (!file_read("/proc/self/status", 1 << 20, &text, NULL))
		return;
	rest = text;
	while (str_line(&rest, &line)) {
		uint64_t caps;
		if (str_starts(line, "Seccomp:"))
			f->filtered = !str_is(str_trim(str_skip(line, 8)), "0");
		else if (str_starts(line, "CapEff:") &&
			 str_to_u64(str_trim(str_skip(line, 7)), 16, &caps))
			f->capable = caps >> CAP_PERFMON & 1 || caps >> CAP_SYS_ADMIN & 1;
	}
	free((void *)text.p);
}

/* The first namespace maps every user to itself: "0 0 4294967295". */
static bool in_user_namespace(void)
{
	char line[80];
	uint64_t first, outside, count;
	struct str rest;
	if (!file_read_line("/proc/self/uid_map", line, sizeof line))
		return false;
	rest = str_of(line);
	struct str words[3];
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		rest = str_trim(rest);
		words[i] = str_split(rest, ' ', &rest);
	}
	return !(str_to_u64(words[0], 10, &first) && str_to_u64(words[1], 10, &outside) &&
		 str_to_u64(words[2], 10, &count) && !first && !outside && count == UINT32_MAX);
}

static bool in_another_namespace(int32_t tid)
{
	char path[64], theirs[64], ours[64];
	snprintf(path, sizeof path, "/proc/%d/ns/user", tid);
	ssize_t n = readlink(path, theirs, sizeof theirs);
	ssize_t m = readlink("/proc/self/ns/user", ours, sizeof ours);
	return n > 0 && m > 0 ? n != m || memcmp(ours, theirs, (size_t)n) != 0
			      : n < 0 && m > 0 && errno == EACCES;
}

void denied_facts(struct denied_facts *f, int32_t tid)
{
	char text[32], path[64];
	struct stat st;
	*f = (struct denied_facts){.root = geteuid() == 0, .all_refused = all_is_refused()};
	f->level_known = file_read_line(PARANOID_FILE, text, sizeof text) &&
			 str_to_i64(str_trim(str_of(text)), &f->level);
	read_status(f);
	f->user_namespace = in_user_namespace();
	if (tid <= 0)
		return;
	snprintf(path, sizeof path, "/proc/%d", tid);
	f->foreign = stat(path, &st) == 0 && st.st_uid != geteuid();
	f->outside = in_another_namespace(tid);
}

/* --- in words ------------------------------------------------------------------------------ */

/* The highest kernel.perf_event_paranoid that lets an ordinary user have this event. */
static int level_needed(const struct counter *c, int32_t tid)
{
	if (c->class == EVENT_TRACEPOINT)
		return -1;
	if (tid < 0)
		return 0;
	return c->attr.flags & ATTR_EXCLUDE_KERNEL ? 2 : 1;
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

static void explain_filtered(const char *name, struct err *err)
{
	err_set(err, ERR_PERMISSION,
		"a seccomp filter forbids perf_event_open here, so %s cannot be recorded", name);
	err_hint(err, "docker run --cap-add PERFMON --security-opt seccomp=unconfined, or record "
		      "from outside the container");
}

static void explain_target(const struct denied_facts *f, int32_t tid, struct err *err)
{
	if (f->user_namespace && f->outside) {
		err_set(err, ERR_PERMISSION, "process %d is outside of this user namespace", tid);
		err_hint(err, "record it from there, with sudo");
		return;
	}
	err_set(err, ERR_PERMISSION, "process %d belongs to another user", tid);
	err_hint(err, "run as that user, or with sudo");
}

/* kernel.perf_event_paranoid stands in the way of a user, or of a root that lacks the right. */
static void explain_level(const struct denied_facts *f, const char *name, const char *what,
			  int needed, struct err *err)
{
	err_set(err, ERR_PERMISSION,
		"recording %s of %s is not allowed%s: kernel.perf_event_paranoid is %" PRIi64, name,
		what,
		f->user_namespace ? " inside a user namespace"
		: f->root         ? " to a root without CAP_PERFMON"
				  : "",
		f->level);
	if (f->user_namespace)
		err_hint(err,
			 "outside of it: sudo sysctl -w kernel.perf_event_paranoid=%d, or record "
			 "from there",
			 needed);
	else if (f->root)
		err_hint(err,
			 "docker run --cap-add PERFMON, or on the host: sudo sysctl -w "
			 "kernel.perf_event_paranoid=%d",
			 needed);
	else
		err_hint(err, "sudo sysctl -w kernel.perf_event_paranoid=%d, or run with sudo",
			 needed);
}

void denied_explain(const struct denied_facts *f, const struct counter *c, const char *name,
		    int32_t tid, struct err *err)
{
	int needed = level_needed(c, tid);
	const char *what = tid < 0 ? "all CPUs" : "this process";
	const char *part = privileged_part(&c->attr);
	bool all_powerful = f->capable && !f->user_namespace;
	if (f->filtered && f->all_refused) {
		explain_filtered(name, err);
	} else if (!all_powerful && (f->foreign || (f->user_namespace && f->outside))) {
		explain_target(f, tid, err);
	} else if (all_powerful) {
		err_set(err, ERR_PERMISSION, "the kernel refuses event %s, in spite of CAP_PERFMON",
			name);
		err_hint(err, "a security module or lockdown forbids it: `dmesg` may tell which");
	} else if (part && f->level_known && f->level <= needed) {
		err_set(err, ERR_PERMISSION, "%s needs the capability CAP_PERFMON", part);
		err_hint(err, "leave it out, or run with sudo");
	} else if (f->level_known && f->level > needed) {
		explain_level(f, name, what, needed, err);
	} else if (!f->level_known) {
		err_set(err, ERR_PERMISSION, "recording %s of %s is not allowed to this user", name,
			what);
		err_hint(err, "run with sudo; why it is so cannot be told without /proc: mount -t "
			      "proc proc /proc");
	} else {
		err_set(err, ERR_PERMISSION,
			"recording %s of %s is not allowed, though kernel.perf_event_paranoid is "
			"%" PRIi64,
			name, what, f->level);
		err_hint(err, "a seccomp or security policy forbids perf_event_open here; in a "
			      "container add --cap-add PERFMON, else run with sudo");
	}
}

void denied_explain_missing(const struct denied_facts *f, const char *name, struct err *err)
{
	if (f->filtered) {
		explain_filtered(name, err);
		return;
	}
	err_set(err, ERR_UNSUPPORTED,
		"this kernel was built without perf events, so %s cannot be recorded", name);
	err_hint(err, "it needs one with CONFIG_PERF_EVENTS=y, as all distributions have");
}
