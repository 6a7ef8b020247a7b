#include "capture/capture.h"

#include <errno.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/perf_event.h"
#include "capture/run.h"
#include "capture/targets.h"
#include "perfdata/writer.h"

#define FLUSH_INTERVAL_NS 500000000 /* how much a killed recorder may take with it */
#define DRAIN_PIECE (256 << 10)

uint64_t capture_max_frequency(void)
{
	uint64_t max;
	return file_read_u64(MAX_RATE_FILE, &max) && max ? max : 100000;
}

const char *capture_tracefs(bool may_mount)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	struct statfs fs;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == TRACEFS_MAGIC)
			return places[i];
	if (may_mount && geteuid() == 0 && mount("tracefs", places[0], "tracefs", 0, NULL) == 0)
		return places[0];
	return NULL;
}

/* --- the loop ------------------------------------------------------------------------------ */

static bool write_round_end(struct capture *c, struct err *err)
{
	struct perf_event_header h = {.type = RECORD_FINISHED_ROUND, .size = sizeof h};
	struct iovec iov = {.iov_base = &h, .iov_len = sizeof h};
	return perfdata_write(c->writer, &iov, 1, err);
}

/* Straight from ring to file, in pieces: so the kernel gets room soon, and a full disk costs us the
 * last piece only. */
static bool drain_ring(struct capture *c, struct ring *r, uint64_t head, struct err *err)
{
	struct iovec iov[2];
	int count;
	while ((count = ring_pieces(r, head, iov)) > 0) {
		uint64_t samples = c->scan.samples;
		size_t n = scan_records(&c->scan, iov, count, DRAIN_PIECE);
		if (!perfdata_write(c->writer, iov, iov[1].iov_len ? 2 : 1, err)) {
			c->scan.samples = samples;
			return false;
		}
		ring_take(r, n);
	}
	return true;
}

/* One pass over all rings. */
static bool drain(struct capture *c, struct err *err)
{
	bool any = false;
	for (size_t i = 0; i < c->rings.v.n; i++) {
		struct ring *r = &c->rings.v.v[i];
		uint64_t head = ring_head(r);
		any |= head != r->tail;
		if (!drain_ring(c, r, head, err))
			return false;
	}
	return !any || write_round_end(c, err);
}

/* True when what is recorded can come to an end by itself, other than by the command's. */
static bool attached(const struct capture *c)
{
	return !c->targets.system_wide && !c->targets.command;
}

/* A thread's events are never quiet again when it has ended. So where threads come and go, a ring
 * needs more than its owner to be polled: the first event of every thread, on every ring. */
static void prepare_poll(struct capture *c)
{
	const struct counter *first = &c->counters.v.v[0];
	for (size_t i = 0; attached(c) && i < first->fds.n; i++)
		vec_push(&c->polled, (struct pollfd){.fd = first->fds.v[i].fd, .events = POLLIN});
	for (size_t i = 0; !attached(c) && i < c->rings.v.n; i++)
		vec_push(&c->polled, (struct pollfd){.fd = c->rings.v.v[i].fd, .events = POLLIN});
	c->alive = c->polled.n;
	vec_push(&c->polled, (struct pollfd){.fd = c->workload.pidfd, .events = POLLIN});
}

/* Waits for data, an end or the time to flush; true when the recording is over. */
static bool wait_for_data(struct capture *c)
{
	struct timespec interval = {.tv_nsec = FLUSH_INTERVAL_NS};
	if (*c->stop)
		return true;
	int n = ppoll(c->polled.v, c->polled.n, &interval, &c->wait_mask);
	for (size_t i = 0; n > 0 && i < c->polled.n - 1; i++) {
		struct pollfd *p = &c->polled.v[i];
		c->result->wakeups += p->revents & POLLIN ? 1 : 0;
		if (p->revents & (POLLHUP | POLLERR)) {
			p->fd = -1;
			c->alive--;
		}
	}
	return *c->stop || (attached(c) && !c->alive) ||
	       (c->workload.pid && workload_poll(&c->workload));
}

static bool record(struct capture *c, struct err *err)
{
	bool over = false, ok;
	prepare_poll(c);
	do {
		over = wait_for_data(c);
		if (over)
			counters_disable(&c->counters);
		ok = drain(c, err);
	} while (ok && !over);
	if (!ok && err->code == ERR_NO_SPACE)
		err_hint(err, "what fitted is in the file and can be read; -o names another place, "
			      "-F fewer samples");
	return ok && output_lost_samples(c, err);
}

static void tell_opened(const struct capture *c)
{
	char text[320];
	if (!c->plan->verbose || !c->plan->note)
		return;
	for (size_t i = 0; i < c->counters.v.n; i++) {
		const struct counter *k = &c->counters.v.v[i];
		snprintf(text, sizeof text,
			 "event %s: type %u, config 0x%" PRIx64 ", %s %" PRIu64
			 ", precision %u, opened %zu times",
			 k->name, k->attr.type, k->attr.config,
			 k->attr.flags & ATTR_FREQ ? "frequency" : "period", k->attr.sample_period,
			 attr_precise(&k->attr), k->fds.n);
		c->plan->note(text);
	}
	snprintf(text, sizeof text, "%zu ring buffers of %zu kB", c->rings.v.n,
		 c->rings.pages * (size_t)sysconf(_SC_PAGESIZE) >> 10);
	c->plan->note(text);
}

/* Everything up to the moment when recording begins. Nothing is written before all events are
 * open, so a failure leaves an older recording alone. */
static bool start(struct capture *c, struct err *err)
{
	if (!targets_find(&c->targets, c->plan, c->workload.pid, err) ||
	    !counters_configure(&c->counters, c->plan, &c->targets, err) ||
	    !counters_open(&c->counters, &c->targets, c->plan, err) ||
	    !rings_open(&c->rings, &c->counters, c->plan, err))
		return false;
	tell_opened(c);
	/* Only what all have: one event may be without time (the term time=0). */
	uint64_t fields = UINT64_MAX;
	for (size_t i = 0; i < c->counters.v.n; i++)
		fields &= c->counters.v.v[i].attr.sample_type;
	scan_init(&c->scan, &c->files, fields);
	if (!output_begin(c, err))
		return false;
	/* What runs already is enabled first: a mapping made while we read /proc is then in the
	 * ring, if not in /proc. A system-wide recording has an event for that, which runs by now.
	 */
	if (!c->targets.command && !c->targets.system_wide)
		counters_enable(&c->counters);
	if (!output_synthesize(c, err))
		return false;
	if (c->targets.system_wide)
		counters_enable(&c->counters);
	if (!c->workload.pid)
		return true;
	c->result->command_ran = workload_start(&c->workload, c->plan->command[0], err);
	c->result->exec_failed = !c->result->command_ran;
	return c->result->command_ran;
}

static void fill_result(struct capture *c)
{
	struct capture_result *r = c->result;
	r->samples = c->scan.samples;
	r->lost = c->scan.lost;
	r->lost_samples += c->scan.lost_samples;
	r->ring_bytes = c->rings.pages * (uint64_t)sysconf(_SC_PAGESIZE);
	r->command_status = c->workload.status;
}

bool capture_run(const struct capture_plan *plan, const volatile int *stop,
		 struct capture_result *result, struct diags *d, struct err *err)
{
	struct capture c = {
		.plan = plan,
		.stop = stop,
		.diags = d,
		.result = result,
		.workload = {.go = -1, .failed = -1, .pidfd = -1},
	};
	sigset_t block;
	*result = (struct capture_result){0};
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, &c.wait_mask);

	bool ok = !plan->command || workload_fork(&c.workload, plan->command,
						  !strcmp(plan->output, "-"), &c.wait_mask, err);
	bool started = ok && start(&c, err);
	ok = started && record(&c, err);
	workload_stop(&c.workload);
	ok = output_end(&c, ok, err);
	sigprocmask(SIG_SETMASK, &c.wait_mask, NULL);
	workload_end(&c.workload);
	fill_result(&c);

	rings_close(&c.rings);
	counters_close(&c.counters);
	targets_free(&c.targets);
	scan_free(&c.scan);
	mapped_files_free(&c.files);
	vec_free(&c.polled);
	return ok;
}
