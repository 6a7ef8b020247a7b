#include "capture/capture.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/perf_event.h"
#include "capture/run.h"
#include "capture/targets.h"
#include "perfdata/writer.h"

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

/* Of this thread and the reader threads it will start; the command has been forked already. */
static bool set_realtime(const struct capture_plan *plan, struct err *err)
{
	struct sched_param param = {.sched_priority = plan->realtime};
	if (!plan->realtime || sched_setscheduler(0, SCHED_FIFO, &param) == 0)
		return true;
	err_sys(err, errno, "-r %d: no real-time priority", plan->realtime);
	return err_hint(err, "it takes root, CAP_SYS_NICE, or a limit that allows it: ulimit -r");
}

/* Everything up to the moment when recording begins. Nothing is written before all events are
 * open, so a failure leaves an older recording alone. */
static bool start(struct capture *c, struct err *err)
{
	if (!targets_find(&c->targets, c->plan, c->workload.pid, err) ||
	    (c->plan->threads &&
	     (!thread_masks_make(&c->masks, c->plan->threads, &c->targets.online, err) ||
	      !targets_limit(&c->targets, &c->masks, c->plan, err))) ||
	    !counters_configure(&c->counters, c->plan, &c->targets, err))
		return false;
	if (stack_depth_raise(&c->depth, &c->counters) && c->plan->note)
		c->plan->note("kernel.perf_event_max_stack is raised while this recording runs");
	if (!counters_open(&c->counters, &c->targets, c->plan, err) ||
	    !rings_open(&c->rings, &c->counters, c->plan, err) ||
	    !triggers_open(&c->triggers, c->plan, &c->targets, err) || !set_realtime(c->plan, err))
		return false;
	tell_opened(c);
	if (c->plan->dry_run)
		return true;
	/* Only what all have: one event may be without time (the term time=0). */
	uint64_t fields = UINT64_MAX;
	for (size_t i = 0; i < c->counters.v.n; i++)
		fields &= c->counters.v.v[i].attr.sample_type;
	embed_init(&c->embed, c->plan->embed, &c->counters);
	const struct capture_switch *s = &c->plan->switching;
	c->embed.many = s->on_signal || s->bytes || s->seconds;
	readers_init(c, fields);
	if (!output_begin(c, err))
		return false;
	/* What runs already is enabled first: a mapping made while we read /proc is then in the
	 * ring, if not in /proc. A system-wide recording has an event for that, which runs by now.
	 */
	bool at_once = !plan_starts_off(c->plan);
	if (at_once && !c->targets.command && !c->targets.system_wide)
		counters_enable(&c->counters);
	if (!output_synthesize(c, err))
		return false;
	if (at_once && c->targets.system_wide)
		counters_enable(&c->counters);
	c->began = c->file_began = capture_clock();
	if (!c->workload.pid)
		return true;
	c->result->command_ran = workload_start(&c->workload, c->plan->command[0], err);
	c->result->exec_failed = !c->result->command_ran;
	return c->result->command_ran;
}

uint64_t capture_bytes(const struct capture *c)
{
	return c->bytes_before + (c->writer ? perfdata_writer_bytes(c->writer) : c->result->bytes);
}

void capture_fill_result(struct capture *c)
{
	struct capture_result *r = c->result;
	struct scan_counts counts = readers_counts(c);
	r->samples = c->samples_before + counts.samples;
	r->bytes = capture_bytes(c);
	r->lost = counts.lost;
	r->lost_samples = c->lost_samples + counts.lost_samples;
	r->filtered = c->filtered;
	r->throttled = counts.throttled;
	r->wakeups = readers_wakeups(c);
	r->nanoseconds = c->began ? capture_clock() - c->began : 0;
	r->ring_bytes = c->rings.pages * (uint64_t)sysconf(_SC_PAGESIZE);
	r->rings = c->rings.v.n;
	r->longest_gap = counts.longest_gap;
	r->command_status = c->workload.status;
}

/* When nobody reads any more. */
static uint64_t busiest_ring(const struct rings *r)
{
	uint64_t most = 0;
	for (size_t i = 0; i < r->v.n; i++)
		if (!r->v.v[i].backward)
			most = MAX(most, r->v.v[i].tail);
	return most;
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
		.schedule = {.ranges = plan->ranges, .count = plan->range_count},
		.files = MAPPED_FILES_INIT,
		.tasks = {.lock = PTHREAD_MUTEX_INITIALIZER},
		.readers = {.stop = -1, .wake = -1},
		.control = {.fd = plan->control_fd, .ack_fd = plan->ack_fd},
		.dumps = plan->dump ? *plan->dump : 0,
	};
	sigset_t block;
	*result = (struct capture_result){0};
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigaddset(&block, SIGUSR2);
	sigprocmask(SIG_BLOCK, &block, &c.wait_mask);

	bool ok = !plan->command || workload_fork(&c.workload, plan->command,
						  !strcmp(plan->output, "-"), &c.wait_mask, err);
	bool started = ok && start(&c, err);
	ok = started && (plan->dry_run || loop_run(&c, err));
	workload_stop(&c.workload);
	ok = output_end(&c, ok, err);
	sigprocmask(SIG_SETMASK, &c.wait_mask, NULL);
	workload_end(&c.workload);
	capture_fill_result(&c);
	result->busiest_ring = busiest_ring(&c.rings);

	rings_close(&c.rings);
	counters_close(&c.counters);
	stack_depth_restore(&c.depth);
	targets_free(&c.targets);
	readers_free(&c.readers);
	triggers_close(&c.triggers);
	thread_masks_free(&c.masks);
	embed_free(&c.embed);
	mapped_files_free(&c.files);
	vec_free(&c.tasks.pids);
	vec_free(&c.polled);
	for (size_t i = 0; i < c.files_written.n; i++)
		free(c.files_written.v[i]);
	vec_free(&c.files_written);
	return ok;
}
