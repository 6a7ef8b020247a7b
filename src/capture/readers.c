#include "capture/readers.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/run.h"
#include "perfdata/record.h"
#include "perfdata/writer.h"

#define DRAIN_PIECE (256 << 10)

/* --- from the rings to the file ------------------------------------------------------------ */

static bool write_round_end(struct capture *c, struct err *err)
{
	struct perf_event_header h = {.type = RECORD_FINISHED_ROUND, .size = sizeof h};
	struct iovec iov = {.iov_base = &h, .iov_len = sizeof h};
	return perfdata_write(c->writer, &iov, 1, err);
}

/* Straight from ring to file, in pieces: so the kernel gets room soon, and a full disk costs us the
 * last piece only. */
static bool drain_ring(struct reader *r, uint32_t index, uint64_t head, struct err *err)
{
	struct ring *ring = &r->capture->rings.v.v[index];
	struct perfdata_stream *out = perfdata_writer_stream(r->capture->writer, index);
	struct iovec iov[2];
	int count;
	r->scan.ring_time = ring->last_time;
	while ((count = ring_pieces(ring, head, iov)) > 0) {
		uint64_t samples = r->scan.counts.samples;
		size_t n = scan_records(&r->scan, iov, count, DRAIN_PIECE);
		if (!perfdata_stream_write(out, iov, iov[1].iov_len ? 2 : 1, err)) {
			r->scan.counts.samples = samples;
			return false;
		}
		ring_take(ring, n);
		ring->last_time = r->scan.ring_time;
	}
	return true;
}

/* --affinity: to the memory and the caches that hold the ring. */
static void go_near(struct reader *r, uint32_t index)
{
	struct capture *c = r->capture;
	const struct ring *ring = &c->rings.v.v[index];
	struct cpu_list cpus = {0};
	if (c->plan->affinity == CAPTURE_AFFINITY_NONE || ring->cpu < 0 || r->near == index + 1)
		return;
	r->near = index + 1;
	if (c->plan->affinity == CAPTURE_AFFINITY_NODE)
		cpus_of_node(&cpus, (uint32_t)ring->cpu);
	else
		vec_push(&cpus.v, (uint32_t)ring->cpu);
	cpus_run_on(&cpus);
	vec_free(&cpus.v);
}

static void publish(struct reader *r)
{
	pthread_mutex_lock(&r->lock);
	r->told.counts = r->scan.counts;
	r->told.alive = r->alive;
	r->told.wakeups = r->wakeups;
	r->told.failed = r->failed;
	pthread_mutex_unlock(&r->lock);
}

static bool drain_rings(struct reader *r, bool all, bool *any, struct err *err)
{
	struct capture *c = r->capture;
	uint64_t least = all ? 1 : MAX(c->plan->flush_bytes, (uint64_t)1);
	for (size_t i = 0; i < r->rings.n; i++) {
		struct ring *ring = &c->rings.v.v[r->rings.v[i]];
		if (ring->backward)
			continue;
		uint64_t head = ring_head(ring);
		if (head - ring->tail < MIN(least, (uint64_t)ring->size / 4))
			continue;
		*any = true;
		go_near(r, r->rings.v[i]);
		if (!drain_ring(r, r->rings.v[i], head, err))
			return false;
	}
	return true;
}

bool readers_drain(struct capture *c, bool all, struct err *err)
{
	bool any = false, ok = true;
	for (size_t i = 0; ok && i < c->readers.v.n; i++) {
		ok = drain_rings(&c->readers.v.v[i], all, &any, err);
		publish(&c->readers.v.v[i]);
	}
	/* A snapshot brings samples that are older than what was written before it. So such a file
	 * has no rounds, and readers sort all of it; as they do with a directory. */
	if (!any || c->plan->overwrite || c->readers.threads)
		return ok;
	return ok && write_round_end(c, err);
}

bool readers_snapshot(struct capture *c, struct err *err)
{
	bool ok = true;
	struct reader *reader = &c->readers.v.v[0];
	for (size_t i = 0; ok && i < c->rings.v.n; i++) {
		struct ring *r = &c->rings.v.v[i];
		struct iovec iov[2];
		if (!r->backward)
			continue;
		(void)ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		int count = ring_take_backward(r, iov);
		if (count) {
			(void)scan_records(&reader->scan, iov, count, SIZE_MAX);
			ok = perfdata_stream_write(perfdata_writer_stream(c->writer, i), iov,
						   iov[1].iov_len ? 2 : 1, err);
		}
		(void)ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	publish(reader);
	return ok;
}

/* --- threads ------------------------------------------------------------------------------- */

static void take_polled(struct reader *r, const struct pollfd *polled)
{
	for (size_t i = 0; i < r->polled.n; i++) {
		r->wakeups += polled[i].revents & POLLIN ? 1 : 0;
		if (r->polled.v[i].fd >= 0 && polled[i].revents & (POLLHUP | POLLERR)) {
			r->polled.v[i].fd = -1;
			r->alive--;
		}
	}
}

void readers_polled(struct capture *c, const struct pollfd *polled)
{
	take_polled(&c->readers.v.v[0], polled);
}

static bool flush_streams(struct reader *r, struct err *err)
{
	for (size_t i = 0; i < r->rings.n; i++)
		if (!perfdata_stream_flush(
			    perfdata_writer_stream(r->capture->writer, r->rings.v[i]), err))
			return false;
	return true;
}

static bool round_of(struct reader *r, bool last)
{
	bool any = false;
	if (!drain_rings(r, last, &any, &r->err))
		return false;
	uint64_t now = capture_clock();
	if (!last && now - r->flushed < FLUSH_INTERVAL_MS * (uint64_t)1000000)
		return true;
	r->flushed = now;
	return flush_streams(r, &r->err);
}

static void wake_recorder(const struct capture *c)
{
	const uint64_t one = 1;
	(void)!write(c->readers.wake, &one, sizeof one);
}

static void *read_rings(void *arg)
{
	struct reader *r = arg;
	struct capture *c = r->capture;
	bool stop = false;
	cpus_run_on(&c->masks.v.v[r->index].affinity);
	VEC(struct pollfd) polled = {0};
	vec_append(&polled, r->polled.v, r->polled.n);
	vec_push(&polled, (struct pollfd){.fd = c->readers.stop, .events = POLLIN});
	while (!stop && !r->failed) {
		size_t alive = r->alive;
		(void)poll(polled.v, polled.n, (int)capture_patience(c));
		/* What stops us came after the events were disabled: one more round has it all. */
		stop = vec_last(&polled).revents & POLLIN;
		take_polled(r, polled.v);
		memcpy(polled.v, r->polled.v, r->polled.n * sizeof *polled.v);
		r->failed = !round_of(r, stop);
		publish(r);
		if (r->failed || (alive && !r->alive))
			wake_recorder(c);
	}
	vec_free(&polled);
	return NULL;
}

bool readers_start(struct capture *c, struct err *err)
{
	struct readers *all = &c->readers;
	if (!all->threads)
		return true;
	/* What was written before, by our own thread, into the files that are theirs now. */
	if (!perfdata_writer_flush(c->writer, err))
		return false;
	if (all->stop < 0)
		all->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->wake < 0)
		all->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all->stop < 0 || all->wake < 0)
		return err_sys(err, errno, "cannot make an event descriptor");
	for (size_t i = 0; i < all->v.n; i++) {
		struct reader *r = &all->v.v[i];
		r->flushed = capture_clock();
		int error = pthread_create(&r->thread, NULL, read_rings, r);
		if (error)
			return err_sys(err, error, "cannot start a reader thread");
		r->started = true;
	}
	return true;
}

bool readers_stop(struct capture *c, struct err *err)
{
	struct readers *all = &c->readers;
	uint64_t count = 1;
	bool ok = true;
	if (all->stop < 0)
		return true;
	(void)!write(all->stop, &count, sizeof count);
	for (size_t i = 0; i < all->v.n; i++) {
		struct reader *r = &all->v.v[i];
		if (!r->started)
			continue;
		pthread_join(r->thread, NULL);
		r->started = false;
		if (r->failed && ok) {
			*err = r->err;
			ok = false;
		}
	}
	(void)!read(all->stop, &count, sizeof count);
	return ok;
}

/* --- what others see ----------------------------------------------------------------------- */

void readers_new_file(struct capture *c)
{
	for (size_t i = 0; i < c->readers.v.n; i++) {
		struct reader *r = &c->readers.v.v[i];
		struct scan_counts *counts = &r->scan.counts;
		c->samples_before += counts->samples;
		counts->samples = 0;
		counts->first_time = UINT64_MAX;
		publish(r);
	}
}

struct scan_counts readers_counts(const struct capture *c)
{
	struct scan_counts sum = SCAN_COUNTS_NONE;
	for (size_t i = 0; i < c->readers.v.n; i++) {
		struct reader *r = &c->readers.v.v[i];
		pthread_mutex_lock(&r->lock);
		scan_counts_add(&sum, &r->told.counts);
		pthread_mutex_unlock(&r->lock);
	}
	return sum;
}

uint64_t readers_wakeups(const struct capture *c)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < c->readers.v.n; i++) {
		struct reader *r = &c->readers.v.v[i];
		pthread_mutex_lock(&r->lock);
		sum += r->told.wakeups;
		pthread_mutex_unlock(&r->lock);
	}
	return sum;
}

size_t readers_alive(const struct capture *c)
{
	size_t sum = 0;
	for (size_t i = 0; i < c->readers.v.n; i++) {
		struct reader *r = &c->readers.v.v[i];
		pthread_mutex_lock(&r->lock);
		sum += r->told.alive;
		pthread_mutex_unlock(&r->lock);
	}
	return sum;
}

bool readers_failed(const struct capture *c)
{
	bool failed = false;
	for (size_t i = 0; i < c->readers.v.n; i++) {
		struct reader *r = &c->readers.v.v[i];
		pthread_mutex_lock(&r->lock);
		failed |= r->told.failed;
		pthread_mutex_unlock(&r->lock);
	}
	return failed;
}

/* --- from rings to readers ----------------------------------------------------------------- */

static struct reader *reader_of(struct capture *c, const struct ring *ring)
{
	size_t i = ring->cpu < 0 ? c->masks.v.n : thread_masks_of(&c->masks, (uint32_t)ring->cpu);
	/* Rings for side-band alone, of CPUs that no thread was given. */
	return &c->readers.v.v[i < c->masks.v.n ? i : 0];
}

/* A thread's events are never quiet again when it has ended. So where threads come and go, a ring
 * needs more than its owner to be polled: the first event of every thread, on every ring. */
static void choose_polled(struct capture *c)
{
	const struct counter *first = &c->counters.v.v[0];
	bool attached = capture_attached(c);
	for (size_t i = 0; attached && i < first->fds.n; i++)
		vec_push(&reader_of(c, &c->rings.v.v[first->fds.v[i].ring])->polled,
			 (struct pollfd){.fd = first->fds.v[i].fd, .events = POLLIN});
	for (size_t i = 0; !attached && i < c->rings.v.n; i++)
		vec_push(&reader_of(c, &c->rings.v.v[i])->polled,
			 (struct pollfd){.fd = c->rings.v.v[i].fd, .events = POLLIN});
}

void readers_init(struct capture *c, uint64_t sample_fields)
{
	struct readers *all = &c->readers;
	const struct capture_switch *s = &c->plan->switching;
	bool later = s->on_signal || s->bytes || s->seconds || c->plan->synth_last;
	all->threads = c->masks.v.n > 0;
	for (size_t i = 0; i < MAX(c->masks.v.n, (size_t)1); i++) {
		vec_push(&all->v, (struct reader){
					  .capture = c,
					  .index = i,
					  .lock = PTHREAD_MUTEX_INITIALIZER,
				  });
		scan_init(&all->v.v[i].scan, &c->files, sample_fields);
		all->v.v[i].scan.embed = &c->embed;
		all->v.v[i].scan.tasks = later && !c->targets.system_wide ? &c->tasks : NULL;
	}
	for (size_t i = 0; i < c->rings.v.n; i++)
		vec_push(&reader_of(c, &c->rings.v.v[i])->rings, (uint32_t)i);
	choose_polled(c);
	for (size_t i = 0; i < all->v.n; i++) {
		all->v.v[i].alive = all->v.v[i].polled.n;
		publish(&all->v.v[i]);
	}
}

void readers_free(struct readers *r)
{
	for (size_t i = 0; i < r->v.n; i++) {
		scan_free(&r->v.v[i].scan);
		vec_free(&r->v.v[i].rings);
		vec_free(&r->v.v[i].polled);
	}
	vec_free(&r->v);
	close_fd(&r->stop);
	close_fd(&r->wake);
}
