#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "cli/record_options.h"
#include "event/branch.h"

static bool has_unit(struct str s, const char *units, size_t *which)
{
	const char *u = s.n ? strchr(units, s.p[s.n - 1]) : NULL;
	*which = u ? (size_t)(u - units) : 0;
	return u;
}

bool value_size(const char *text, const char *option, uint64_t *bytes, struct err *err)
{
	struct str number = str_of(text);
	size_t unit;
	uint64_t n;
	if (has_unit(number, "BKMG", &unit) || has_unit(number, "bkmg", &unit))
		number.n--;
	if (!str_to_u64(number, 10, &n) || !n || n > (uint64_t)1 << 50 >> 10 * unit)
		return err_set(err, ERR_USAGE, "%s wants a size as 512K, 2M or 1G, not \"%s\"",
			       option, text);
	*bytes = n << 10 * unit;
	return true;
}

/* A number of pages, or a size with B, K, M or G; rounded up to a power of two. */
bool value_ring(const char *text, uint64_t *pages, struct err *err)
{
	uint64_t n, page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t unit;
	struct str trace, first = str_split(str_of(text), ',', &trace);
	if (trace.p) {
		err_set(err, ERR_UNSUPPORTED,
			"-m: the second size, %.*s, is for hardware traces (Intel PT, CoreSight), "
			"which kiln does not record",
			(int)trace.n, trace.p);
		return err_hint(err, "-m %.*s", (int)first.n, first.p);
	}
	if (has_unit(str_of(text), "BKMG", &unit)) {
		if (!value_size(text, "-m", &n, err))
			return false;
		n = (n + page - 1) / page;
	} else if (!str_to_u64(str_of(text), 10, &n) || !n) {
		return err_set(err, ERR_USAGE,
			       "-m wants a number of pages, or a size as 512K or 2M, not \"%s\"",
			       text);
	}
	if (n > ((uint64_t)1 << 40) / page)
		return err_set(err, ERR_USAGE, "-m %s is more than a ring buffer can have", text);
	*pages = 1;
	while (*pages < n)
		*pages *= 2;
	return true;
}

bool value_frequency(const char *text, uint64_t *out, struct err *err)
{
	if (!strcmp(text, "max")) {
		*out = CAPTURE_MAX_FREQUENCY;
		return true;
	}
	if (!str_to_u64(str_of(text), 10, out) || !*out || *out == CAPTURE_MAX_FREQUENCY)
		return err_set(err, ERR_USAGE, "-F wants samples per second or \"max\", not \"%s\"",
			       text);
	return true;
}

bool value_clock(const char *text, int32_t *clock, struct err *err)
{
	static const struct {
		const char *name;
		int32_t clock;
	} clocks[] = {
		{"monotonic", CLOCK_MONOTONIC},
		{"mono", CLOCK_MONOTONIC},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"raw", CLOCK_MONOTONIC_RAW},
		{"realtime", CLOCK_REALTIME},
		{"real", CLOCK_REALTIME},
		{"boottime", CLOCK_BOOTTIME},
		{"boot", CLOCK_BOOTTIME},
		{"tai", CLOCK_TAI},
	};
	int64_t number;
	if (!strncasecmp(text, "CLOCK_", 6))
		text += 6;
	bool numeric = str_to_i64(str_of(text), &number);
	for (size_t i = 0; i < ARRAY_LEN(clocks); i++)
		if (numeric ? number == clocks[i].clock : !strcasecmp(text, clocks[i].name)) {
			*clock = clocks[i].clock;
			return true;
		}
	return err_set(err, ERR_USAGE,
		       "-k knows monotonic, monotonic_raw, realtime, boottime and tai, not \"%s\"",
		       text);
}

bool value_branches(const char *text, uint64_t *mask, struct err *err)
{
	const uint64_t levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
				PERF_SAMPLE_BRANCH_HV;
	if (!branch_parse(str_of(text), mask, err))
		return err_wrap(err, "-j");
	if (!(*mask & ~levels))
		*mask |= PERF_SAMPLE_BRANCH_ANY;
	return true;
}

bool value_registers(const char *text, uint64_t *mask, struct err *err)
{
	const struct arch *arch = arch_native();
	uint64_t known = capture_registers();
	struct str rest = str_of(text);
	while (rest.p) {
		struct str word = str_trim(str_split(rest, ',', &rest));
		uint64_t bit = 0;
		for (unsigned i = 0; arch && i < 64 && i < arch->reg_count; i++) {
			const char *name = arch_reg_name(arch, i);
			if (known >> i & 1 && name && strlen(name) == word.n &&
			    !strncasecmp(name, word.p, word.n))
				bit = (uint64_t)1 << i;
		}
		if (!bit) {
			err_set(err, ERR_USAGE, "there is no register \"%.*s\" to sample",
				(int)word.n, word.p);
			return err_hint(err, "--user-regs=? lists them");
		}
		*mask |= bit;
	}
	return true;
}

bool value_user(const char *text, uint32_t *uid, struct err *err)
{
	uint64_t number;
	struct passwd *user = getpwnam(text);
	if (user) {
		*uid = user->pw_uid;
		return true;
	}
	if (!str_to_u64(str_of(text), 10, &number) || number >= UINT32_MAX)
		return err_set(err, ERR_USAGE, "there is no user \"%s\"", text);
	*uid = (uint32_t)number;
	return true;
}

bool value_delay(const char *text, struct record_targets *t, bool *disabled, struct err *err)
{
	struct str rest = str_of(text);
	uint64_t last = 0;
	*disabled = !strcmp(text, "-1");
	while (!*disabled && rest.p) {
		struct str to, from = str_split(str_split(rest, ',', &rest), '-', &to);
		struct capture_range r = {.to = UINT64_MAX};
		bool more = rest.p || t->ranges.n;
		if (!str_to_u64(from, 10, &r.from) || (more && !to.p) ||
		    (to.p && (!str_to_u64(to, 10, &r.to) || r.to <= r.from)) ||
		    (t->ranges.n && r.from < last) || r.from > INT32_MAX)
			return err_set(err, ERR_USAGE,
				       "-D wants milliseconds, or ranges of them one behind the "
				       "other (10-20,30-40), or -1, not \"%s\"",
				       text);
		last = r.to;
		vec_push(&t->ranges, r);
	}
	return true;
}

bool value_switch(const char *text, struct capture_switch *s, struct err *err)
{
	static const uint64_t seconds[] = {1, 60, 3600, 86400};
	struct str number = str_of(text);
	size_t unit;
	uint64_t n;
	if (!text || !strcmp(text, "signal")) {
		s->on_signal = true;
		return true;
	}
	if (has_unit(number, "BKMG", &unit))
		return value_size(text, "--switch-output", &s->bytes, err);
	bool timed = has_unit(number, "smhd", &unit);
	number.n -= timed;
	if (!timed || !str_to_u64(number, 10, &n) || !n || n > 1000000)
		return err_set(err, ERR_USAGE,
			       "--switch-output wants signal, a size (100M) or a time (30s, 5m), "
			       "not \"%s\"",
			       text);
	s->seconds = n * seconds[unit];
	return true;
}

static bool open_fifo(const char *path, int *fd, struct err *err)
{
	/* Opened for both ways, it neither waits for the other side nor ends with it. */
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd >= 0)
		return true;
	err_sys(err, errno, "--control cannot open %s", path);
	return err_hint(err, "make it first: mkfifo %s", path);
}

bool value_control(const char *text, struct capture_plan *plan, struct err *err)
{
	struct str rest, ack, kind = str_split(str_of(text), ':', &rest);
	struct str control = str_split(rest, ',', &ack);
	bool fifo = str_is(kind, "fifo");
	uint64_t fd, ack_fd = 0;
	if ((!fifo && !str_is(kind, "fd")) || !rest.n)
		return err_set(err, ERR_USAGE,
			       "--control wants fd:N[,M] or fifo:PATH[,ACK-PATH], not \"%s\"",
			       text);
	if (fifo) {
		char path[4096];
		snprintf(path, sizeof path, "%.*s", (int)control.n, control.p);
		return open_fifo(path, &plan->control_fd, err) &&
		       (!ack.p || open_fifo(ack.p, &plan->ack_fd, err));
	}
	if (!str_to_u64(control, 10, &fd) || fd > INT32_MAX || fcntl((int)fd, F_GETFD) < 0 ||
	    (ack.p && (!str_to_u64(ack, 10, &ack_fd) || ack_fd > INT32_MAX ||
		       fcntl((int)ack_fd, F_GETFD) < 0)))
		return err_set(err, ERR_USAGE, "--control %s: no such file descriptor is open",
			       text);
	plan->control_fd = (int)fd;
	plan->ack_fd = ack.p ? (int)ack_fd : -1;
	return true;
}
