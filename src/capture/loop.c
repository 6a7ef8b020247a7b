/* The recording loop: waits, empties the rings, does what is due by time, signal or order. */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <time.h>

#include "capture/run.h"
#include "perfdata/record.h"
#include "perfdata/writer.h"

#define LOOK_INTERVAL_MS 50   /* how long a process must live for its files to be found by it */
#define FLUSH_INTERVAL_MS 500 /* how much a killed recorder may take with it */
#define TELL_INTERVAL_NS 200000000
#define DRAIN_PIECE (256 << 10)

uint64_t capture_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- from the rings to the file ------------------------------------------------------------ */

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

bool loop_drain(struct capture *c, struct err *err)
{
	bool any = false;
	for (size_t i = 0; i < c->rings.v.n; i++) {
		struct ring *r = &c->rings.v.v[i];
		if (r->backward)
			continue;
		uint64_t head = ring_head(r);
		any |= head != r->tail;
		if (!drain_ring(c, r, head, err))
			return false;
	}
	/* A snapshot brings samples that are older than what was written before it. So such a file
	 * has no rounds, and readers sort all of it. */
	return !any || c->plan->overwrite || write_round_end(c, err);
}

bool loop_snapshot(struct capture *c, struct err *err)
{
	bool ok = true;
	for (size_t i = 0; ok && i < c->rings.v.n; i++) {
		struct ring *r = &c->rings.v.v[i];
		struct iovec iov[2];
		if (!r->backward)
			continue;
		(void)ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		int count = ring_take_backward(r, iov);
		if (count) {
			(void)scan_records(&c->scan, iov, count, SIZE_MAX);
			ok = perfdata_write(c->writer, iov, iov[1].iov_len ? 2 : 1, err);
		}
		(void)ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	return ok;
}

/* --- waiting ------------------------------------------------------------------------------- */

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
	vec_push(&c->polled, (struct pollfd){.fd = c->control.fd, .events = POLLIN});
}

static uint64_t elapsed_ms(const struct capture *c)
{
	return (capture_clock() - c->began) / 1000000;
}

static void wait_for_data(struct capture *c)
{
	uint64_t longest = c->plan->embed == CAPTURE_EMBED_NONE ? FLUSH_INTERVAL_MS
								: LOOK_INTERVAL_MS;
	uint64_t ms = MIN(schedule_wait(&c->schedule, elapsed_ms(c)), longest);
	struct timespec interval = {.tv_nsec = (long)ms * 1000000};
	int n = ppoll(c->polled.v, c->polled.n, &interval, &c->wait_mask);
	for (size_t i = 0; n > 0 && i < c->polled.n - 2; i++) {
		struct pollfd *p = &c->polled.v[i];
		c->result->wakeups += p->revents & POLLIN ? 1 : 0;
		if (p->revents & (POLLHUP | POLLERR)) {
			p->fd = -1;
			c->alive--;
		}
	}
	struct pollfd *control = &c->polled.v[c->polled.n - 1];
	c->ordered = n > 0 && control->revents;
	if (c->ordered && !control_read(&c->control))
		control->fd = -1; /* nobody gives orders any more */
}

static bool is_over(struct capture *c)
{
	if (*c->stop || (attached(c) && !c->alive) ||
	    (c->workload.pid && workload_poll(&c->workload)))
		return true;
	if (!c->plan->max_bytes || capture_bytes(c) < c->plan->max_bytes)
		return false;
	if (c->plan->note)
		c->plan->note("the file has the size of --max-size: recording ends");
	c->result->cut_short = true;
	return true;
}

/* --- what is due --------------------------------------------------------------------------- */

static bool dump(struct capture *c, struct err *err)
{
	if (c->plan->overwrite && !loop_snapshot(c, err))
		return false;
	return !c->plan->switching.on_signal || output_switch(c, err);
}

static bool obey(struct capture *c, bool *over, struct err *err)
{
	enum order order;
	bool unknown, ok = true;
	while (ok && ((order = control_next(&c->control, &unknown)) != ORDER_NONE || unknown)) {
		if (unknown) {
			if (c->plan->note)
				c->plan->note(
					"--control: an order that is none of enable, disable, "
					"snapshot, ping, stop");
			continue;
		}
		if (order == ORDER_ENABLE)
			counters_enable(&c->counters);
		else if (order == ORDER_DISABLE)
			counters_pause(&c->counters);
		else if (order == ORDER_SNAPSHOT)
			ok = loop_drain(c, err) && dump(c, err);
		else if (order == ORDER_STOP)
			*over = c->result->cut_short = true;
		control_ack(&c->control);
	}
	return ok;
}

static bool switch_is_due(struct capture *c)
{
	const struct capture_switch *s = &c->plan->switching;
	if (s->seconds && capture_clock() - c->file_began >= s->seconds * 1000000000)
		return true;
	return s->bytes && perfdata_writer_bytes(c->writer) >= s->bytes;
}

static bool do_what_is_due(struct capture *c, bool *over, struct err *err)
{
	int due = schedule_due(&c->schedule, elapsed_ms(c));
	if (due > 0)
		counters_enable(&c->counters);
	else if (due < 0)
		counters_pause(&c->counters);
	if (c->ordered && !obey(c, over, err))
		return false;
	int dumps = c->plan->dump ? *c->plan->dump : 0;
	if (dumps != c->dumps) {
		c->dumps = dumps;
		if (!dump(c, err))
			return false;
	}
	return *over || !switch_is_due(c) || output_switch(c, err);
}

static void tell_progress(struct capture *c)
{
	uint64_t now = capture_clock();
	if (!c->plan->progress || now - c->told < TELL_INTERVAL_NS)
		return;
	c->told = now;
	capture_fill_result(c);
	c->plan->progress(c->result);
}

/* The command has ended; an event ends with the last thread that inherited it. */
static void tell_left_running(const struct capture *c)
{
	const struct counter *first = &c->counters.v.v[0];
	if (!c->targets.command || !c->workload.ended || !first->fds.n || !c->plan->note)
		return;
	struct pollfd p = {.fd = first->fds.v[0].fd};
	if (first->attr.flags & ATTR_INHERIT && poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP))
		c->plan->note("the command has ended, and what it left running is not recorded any "
			      "more: -p or -a can");
}

bool loop_run(struct capture *c, struct err *err)
{
	bool over = false, ok = true;
	uint64_t flushed = c->began;
	prepare_poll(c);
	while (ok && !over) {
		if (!*c->stop)
			wait_for_data(c);
		over = is_over(c);
		if (over)
			counters_disable(&c->counters);
		ok = loop_drain(c, err);
		embed_look(&c->embed, c->scan.last_time);
		ok = ok && do_what_is_due(c, &over, err);
		if (ok && capture_clock() - flushed >= FLUSH_INTERVAL_MS * (uint64_t)1000000) {
			flushed = capture_clock();
			ok = perfdata_writer_flush(c->writer, err);
		}
		tell_progress(c);
	}
	tell_left_running(c);
	/* An order to stop came after the rings were emptied. */
	counters_disable(&c->counters);
	ok = ok && loop_drain(c, err) && (!c->plan->overwrite || loop_snapshot(c, err));
	if (!ok && err->code == ERR_NO_SPACE)
		err_hint(err, "what fitted is in the file and can be read; -o names another place, "
			      "-F fewer samples");
	ok = ok && output_lost_samples(c, err);
	losses_tell(c);
	return ok;
}
