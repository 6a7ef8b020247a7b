/* The recording loop: waits, empties the rings, does what is due by time, signal or order. */
#include <time.h>
#include <unistd.h>

#include "capture/run.h"
#include "perfdata/writer.h"

#define LOOK_INTERVAL_MS 50 /* how long a process must live for its files to be found by it */
#define TELL_INTERVAL_NS 200000000

uint64_t capture_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- waiting ------------------------------------------------------------------------------- */

bool capture_attached(const struct capture *c)
{
	return !c->targets.system_wide && !c->targets.command;
}

uint64_t capture_patience(const struct capture *c)
{
	return c->plan->embed == CAPTURE_EMBED_NONE ? FLUSH_INTERVAL_MS : LOOK_INTERVAL_MS;
}

/* Places in c->polled; behind them come the events of a reader without a thread. */
enum { POLL_COMMAND, POLL_CONTROL, POLL_READERS, POLL_EVENTS };

static void prepare_poll(struct capture *c)
{
	vec_push(&c->polled, (struct pollfd){.fd = c->workload.pidfd, .events = POLLIN});
	vec_push(&c->polled, (struct pollfd){.fd = c->control.fd, .events = POLLIN});
	vec_push(&c->polled, (struct pollfd){.fd = c->readers.wake, .events = POLLIN});
	const struct reader *own = &c->readers.v.v[0];
	if (!c->readers.threads)
		vec_append(&c->polled, own->polled.v, own->polled.n);
	for (size_t i = 0; i < c->triggers.rings.v.n; i++)
		vec_push(&c->polled,
			 (struct pollfd){.fd = c->triggers.rings.v.v[i].fd, .events = POLLIN});
}

static uint64_t elapsed_ms(const struct capture *c)
{
	return (capture_clock() - c->began) / 1000000;
}

static void take_events(struct capture *c)
{
	const struct reader *own = &c->readers.v.v[0];
	struct pollfd *events = c->polled.v + POLL_EVENTS, *end = c->polled.v + c->polled.n;
	if (!c->readers.threads) {
		readers_polled(c, events);
		memcpy(events, own->polled.v, own->polled.n * sizeof *events);
		events += own->polled.n;
	}
	for (struct pollfd *p = events; p < end; p++) {
		c->fired |= p->revents & POLLIN && triggers_fired(&c->triggers);
		if (p->revents & (POLLHUP | POLLERR))
			p->fd = -1;
	}
}

static void wait_for_data(struct capture *c)
{
	uint64_t ms = MIN(schedule_wait(&c->schedule, elapsed_ms(c)), capture_patience(c));
	struct timespec interval = {.tv_nsec = (long)ms * 1000000};
	int n = ppoll(c->polled.v, c->polled.n, &interval, &c->wait_mask);
	if (n > 0 && c->polled.n > POLL_EVENTS)
		take_events(c);
	uint64_t count;
	if (n > 0 && c->polled.v[POLL_READERS].revents)
		(void)!read(c->readers.wake, &count, sizeof count);
	struct pollfd *control = &c->polled.v[POLL_CONTROL];
	c->ordered = n > 0 && control->revents;
	if (c->ordered && !control_read(&c->control))
		control->fd = -1; /* nobody gives orders any more */
}

static bool is_over(struct capture *c)
{
	if (*c->stop || (capture_attached(c) && !readers_alive(c)) || readers_failed(c) ||
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

/* Empties all rings, with the reader threads standing still from here on. */
static bool gather(struct capture *c, struct err *err)
{
	return readers_stop(c, err) && readers_drain(c, true, err);
}

static bool switch_file(struct capture *c, struct err *err)
{
	return readers_stop(c, err) && output_switch(c, err) && readers_start(c, err);
}

bool loop_dump(struct capture *c, struct err *err)
{
	if (c->plan->overwrite && !(gather(c, err) && readers_snapshot(c, err)))
		return false;
	if (c->plan->switching.on_signal)
		return switch_file(c, err);
	return !c->plan->overwrite || readers_start(c, err);
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
	if (c->ordered && !orders_obey(c, over, err))
		return false;
	int dumps = c->plan->dump ? *c->plan->dump : 0;
	if (dumps != c->dumps || c->fired) {
		c->dumps = dumps;
		c->fired = false;
		if (!loop_dump(c, err))
			return false;
	}
	return *over || !switch_is_due(c) || switch_file(c, err);
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

/* Where threads read, there is nothing to do but what is due. */
static bool read_round(struct capture *c, uint64_t *flushed, struct err *err)
{
	if (c->readers.threads)
		return true;
	if (!readers_drain(c, false, err) || !perfdata_writer_submit(c->writer, err))
		return false;
	uint64_t now = capture_clock();
	if (now - *flushed < FLUSH_INTERVAL_MS * (uint64_t)1000000)
		return true;
	*flushed = now;
	return perfdata_writer_flush(c->writer, err);
}

bool loop_run(struct capture *c, struct err *err)
{
	bool over = false;
	uint64_t flushed = c->began;
	bool ok = readers_start(c, err);
	prepare_poll(c);
	while (ok && !over) {
		if (!*c->stop)
			wait_for_data(c);
		over = is_over(c);
		if (over)
			counters_disable(&c->counters);
		ok = read_round(c, &flushed, err);
		embed_look(&c->embed, readers_counts(c).last_time);
		ok = ok && do_what_is_due(c, &over, err);
		tell_progress(c);
	}
	tell_left_running(c);
	/* An order to stop came after the rings were emptied. */
	counters_disable(&c->counters);
	ok = readers_stop(c, ok ? err : &(struct err){0}) && ok;
	ok = ok && readers_drain(c, true, err) && (!c->plan->overwrite || readers_snapshot(c, err));
	if (!ok && err->code == ERR_NO_SPACE)
		err_hint(err, "what fitted is in the file and can be read; -o names another place, "
			      "-F fewer samples");
	ok = ok && output_lost_samples(c, err);
	losses_tell(c);
	return ok;
}
