#include "capture/capture.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/counters.h"
#include "capture/features.h"
#include "capture/perf_event.h"
#include "capture/rings.h"
#include "capture/scan.h"
#include "capture/synth.h"
#include "capture/targets.h"
#include "capture/tracing_data.h"
#include "capture/workload.h"
#include "perfdata/writer.h"

#define FLUSH_INTERVAL_NS 500000000 /* how much a killed recorder may take with it */
#define DRAIN_PIECE (256 << 10)
#define IDS_PER_RECORD 2000 /* of 32 bytes, in a record of at most 64 kB */

struct capture {
	const struct capture_plan *plan;
	const volatile int *stop;
	struct diags *diags;
	struct capture_result *result;
	struct workload workload;
	sigset_t wait_mask; /* signals as they were: they come in while we wait */
	struct targets targets;
	struct counters counters;
	struct rings rings;
	struct mapped_files files;
	struct scan scan;
	struct perfdata_writer *writer;
	VEC(struct pollfd) polled; /* rings, then watched threads, then the command */
	size_t watched; /* threads still alive, of those that are watched for their end */
};

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

/* --- the output's beginning ---------------------------------------------------------------- */

/* An old recording is kept under another name, as perf does. */
static void keep_old(const char *path)
{
	char old[PATH_MAX];
	struct stat st;
	int n = snprintf(old, sizeof old, "%s.old", path);
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && n > 0 &&
	    (size_t)n < sizeof old)
		(void)rename(path, old);
}

static bool write_tracing_data(struct capture *c, struct err *err)
{
	VEC(const char *) names = {0};
	for (size_t i = 0; i < c->counters.v.n; i++)
		if (c->counters.v.v[i].class == EVENT_TRACEPOINT)
			vec_push(&names, c->counters.v.v[i].name);
	bool ok = true;
	if (names.n) {
		struct out o;
		out_memory(&o);
		ok = tracing_data_build(&o, capture_tracefs(false), names.v, names.n, err) &&
		     perfdata_writer_feature(c->writer, FEAT_TRACING_DATA, o.buf, o.n, err);
		(void)out_finish(&o);
	}
	vec_free(&names);
	return ok;
}

static bool begin_output(struct capture *c, struct err *err)
{
	size_t n = c->counters.v.n;
	if (strcmp(c->plan->output, "-"))
		keep_old(c->plan->output);
	c->writer = perfdata_writer_open(c->plan->output, err);
	if (!c->writer)
		return false;
	struct writer_event *events = mem_calloc(n, sizeof *events);
	uint64_t **ids = mem_calloc(n, sizeof *ids);
	for (size_t i = 0; i < n; i++) {
		const struct counter *k = &c->counters.v.v[i];
		ids[i] = mem_calloc(k->fds.n, sizeof **ids);
		for (size_t f = 0; f < k->fds.n; f++)
			ids[i][f] = k->fds.v[f].id;
		events[i] = (struct writer_event){
			.attr = k->attr, .name = k->name, .ids = ids[i], .id_count = k->fds.n};
	}
	bool ok = perfdata_writer_begin(c->writer, events, n, err) &&
		  features_write(c->writer, c->plan, err) && write_tracing_data(c, err);
	for (size_t i = 0; i < n; i++)
		free(ids[i]);
	free(ids);
	free(events);
	return ok;
}

/* Which CPU and thread each id was opened on. */
static void emit_id_index(struct capture *c, struct emitter *e)
{
	VEC(const struct counter_fd *) all = {0};
	for (size_t i = 0; i < c->counters.v.n; i++)
		for (size_t k = 0; k < c->counters.v.v[i].fds.n; k++)
			vec_push(&all, &c->counters.v.v[i].fds.v[k]);
	for (size_t at = 0; at < all.n; at += IDS_PER_RECORD) {
		size_t n = MIN(all.n - at, (size_t)IDS_PER_RECORD);
		emit_begin(e, RECORD_ID_INDEX, 0);
		emit_u64(e, n);
		for (size_t i = at; i < at + n; i++) {
			emit_u64(e, all.v[i]->id);
			emit_u64(e, all.v[i]->ring);
			emit_u64(e, (uint64_t)(int64_t)all.v[i]->cpu);
			emit_u64(e, (uint64_t)(int64_t)all.v[i]->tid);
		}
		emit_end_bare(e);
	}
	vec_free(&all);
}

static bool kernel_is_recorded(const struct capture *c)
{
	for (size_t i = 0; i < c->counters.v.n; i++)
		if (!(c->counters.v.v[i].attr.flags & ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

static void synth_targets(struct capture *c, const struct synth *s)
{
	if (c->targets.system_wide) {
		synth_all(s);
		return;
	}
	for (size_t i = 0; i < c->plan->pid_count; i++)
		synth_process(s, c->plan->pids[i]);
	for (size_t i = 0; i < c->plan->tid_count; i++) {
		int32_t pid = synth_process_of(c->plan->tids[i]);
		if (pid)
			synth_thread(s, pid, c->plan->tids[i]);
	}
	if (c->targets.command)
		synth_name(s, c->workload.pid);
}

static bool write_synthesized(struct capture *c, struct err *err)
{
	struct emitter e;
	struct synth s = {
		.e = &e,
		.files = &c->files,
		.data = c->plan->sample_addr,
		.build_id = c->counters.kernel_flags & ATTR_BUILD_ID,
		.namespaces = c->counters.kernel_flags & ATTR_NAMESPACES,
	};
	emit_open(&e, c->writer, counters_trailer(&c->counters), err);
	emit_id_index(c, &e);
	if (kernel_is_recorded(c)) {
		if (!synth_kernel(&s)) {
			diag_add(c->diags, DIAG_NO_KALLSYMS, 1,
				 "kernel addresses are hidden (kernel.kptr_restrict), so kernel "
				 "functions will have no names");
			diag_hint(c->diags, DIAG_NO_KALLSYMS,
				  "sudo sysctl -w kernel.kptr_restrict=0");
		}
		synth_bpf(&s);
	}
	synth_targets(c, &s);
	return emit_close(&e);
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

/* Every fd is polled for data, be it only watched for its end: whichever is asked first takes the
 * ring's wake-up away from the others. */
static void prepare_poll(struct capture *c)
{
	for (size_t i = 0; i < c->rings.v.n; i++)
		vec_push(&c->polled, (struct pollfd){.fd = c->rings.v.v[i].fd, .events = POLLIN});
	if (!c->targets.system_wide && !c->targets.command) {
		const struct counter *k = &c->counters.v.v[0];
		int32_t last = -1;
		for (size_t i = 0; i < k->fds.n; i++) {
			if (k->fds.v[i].tid == last)
				continue;
			last = k->fds.v[i].tid;
			vec_push(&c->polled,
				 (struct pollfd){.fd = k->fds.v[i].fd, .events = POLLIN});
			c->watched++;
		}
	}
	vec_push(&c->polled, (struct pollfd){.fd = c->workload.pidfd, .events = POLLIN});
}

/* Waits for data, an end or the time to flush; true when the recording is over. */
static bool wait_for_data(struct capture *c)
{
	struct timespec interval = {.tv_nsec = FLUSH_INTERVAL_NS};
	if (*c->stop)
		return true;
	int n = ppoll(c->polled.v, c->polled.n, &interval, &c->wait_mask);
	size_t rings = c->rings.v.n, watched_end = c->polled.n - 1;
	for (size_t i = 0; n > 0 && i < watched_end; i++) {
		struct pollfd *p = &c->polled.v[i];
		if (p->revents & POLLIN && p->fd >= 0)
			c->result->wakeups++;
		/* The thread (and all that inherited from it) has ended: never quiet again. */
		if (p->revents & (POLLHUP | POLLERR)) {
			p->fd = -1;
			if (i >= rings && c->watched)
				c->watched--;
		}
	}
	bool targets_gone = !c->targets.system_wide && !c->targets.command && !c->watched;
	return *c->stop || targets_gone || (c->workload.pid && workload_poll(&c->workload));
}

/* Samples a ring had no room for, as each event counted them: the LOST records of a ring count all
 * kinds of records together. */
static bool write_lost_samples(struct capture *c, struct err *err)
{
	struct emitter e;
	if (!(c->counters.read_format & FORMAT_LOST))
		return true;
	size_t trailer = counters_trailer(&c->counters);
	emit_open(&e, c->writer, 0, err);
	for (size_t i = 0; i < c->counters.v.n; i++) {
		const struct counter *k = &c->counters.v.v[i];
		for (size_t f = 0; f < k->fds.n; f++) {
			uint64_t values[3]; /* value, id, lost */
			if (read(k->fds.v[f].fd, values, sizeof values) != sizeof values ||
			    !values[2])
				continue;
			c->result->lost_samples += values[2];
			emit_begin(&e, PERF_RECORD_LOST_SAMPLES, 0);
			emit_u64(&e, values[2]);
			for (size_t w = 1; w < trailer / 8; w++)
				emit_u64(&e, 0);
			/* The identifier is the trailer's last word, when there is one. */
			if (trailer)
				emit_u64(&e, k->attr.sample_type & PERF_SAMPLE_IDENTIFIER
						     ? values[1]
						     : 0);
			emit_end_bare(&e);
		}
	}
	return emit_close(&e);
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
	workload_stop(&c->workload);
	return ok && write_lost_samples(c, err);
}

/* --- the end ------------------------------------------------------------------------------- */

static void write_last_features(struct capture *c)
{
	struct out o;
	if (c->scan.samples && !perfdata_writer_is_pipe(c->writer)) {
		uint64_t times[2] = {c->scan.first_time, c->scan.last_time};
		(void)!perfdata_writer_feature(c->writer, FEAT_SAMPLE_TIME, times, sizeof times,
					       NULL);
	}
	out_memory(&o);
	mapped_files_feature(&c->files, &o);
	if (o.n)
		(void)!perfdata_writer_feature(c->writer, FEAT_BUILD_ID, o.buf, o.n, NULL);
	(void)out_finish(&o);
}

static bool end_output(struct capture *c, bool ok, struct err *err)
{
	struct err close_err;
	if (!c->writer)
		return ok;
	write_last_features(c);
	if (!c->result->exec_failed)
		c->result->bytes = perfdata_writer_bytes(c->writer);
	/* The first failure is the one to tell. */
	if (!perfdata_writer_close(c->writer, &close_err) && ok) {
		*err = close_err;
		ok = false;
	}
	c->writer = NULL;
	return ok;
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
	scan_init(&c->scan, &c->files, c->counters.v.v[0].attr.sample_type);
	if (!begin_output(c, err))
		return false;
	/* What runs already is enabled first: a mapping made while we read /proc is then in the
	 * ring, if not in /proc. A system-wide recording has an event for that, which runs by now.
	 */
	if (!c->targets.command && !c->targets.system_wide)
		counters_enable(&c->counters);
	if (!write_synthesized(c, err))
		return false;
	if (c->targets.system_wide)
		counters_enable(&c->counters);
	if (!c->workload.pid)
		return true;
	if (!workload_start(&c->workload, c->plan->command[0], err)) {
		if (!perfdata_writer_is_pipe(c->writer))
			(void)unlink(c->plan->output);
		c->result->exec_failed = true;
		return false;
	}
	c->result->command_ran = true;
	return true;
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
	ok = end_output(&c, ok, err);
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
