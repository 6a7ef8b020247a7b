#include <linux/perf_event.h>
#include <stdlib.h>

#include "capture/cgroup.h"
#include "capture/emit.h"
#include "capture/features.h"
#include "capture/groups.h"
#include "capture/perf_event.h"
#include "capture/recording_path.h"
#include "capture/run.h"
#include "capture/synth.h"
#include "capture/tracing_data.h"
#include "perfdata/writer.h"

#define MAP_TIMEOUT_MS 500
#define IDS_PER_RECORD 2000 /* of 32 bytes, in a record of at most 64 kB */

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

bool output_begin(struct capture *c, struct err *err)
{
	size_t n = c->counters.v.n;
	const char *path = c->plan->output;
	if (strcmp(path, "-") && !recording_keep_old(path, &c->kept_old, err))
		return false;
	c->writer = c->plan->threads ? perfdata_writer_open_dir(path, c->rings.v.n, err)
				     : perfdata_writer_open(path, err);
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
		  features_write(c->writer, c->plan, err) && write_tracing_data(c, err) &&
		  groups_write(&c->counters, c->writer, err) &&
		  (!c->plan->compress ||
		   perfdata_writer_compress(c->writer, c->plan->compress, err));
	if (ok && c->plan->blocks)
		perfdata_writer_async(c->writer, c->plan->blocks);
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

/* Later on, what is recorded has children, and they have others. */
static void synth_started(struct capture *c, const struct synth *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->tasks.pids.n; i++)
		if (synth_process(s, c->tasks.pids.v[i]))
			c->tasks.pids.v[kept++] = c->tasks.pids.v[i];
	c->tasks.pids.n = kept;
	if (c->targets.command)
		(void)synth_process(s, c->workload.pid);
}

static void synth_targets(struct capture *c, const struct synth *s)
{
	if (c->targets.system_wide) {
		synth_all(s);
		return;
	}
	for (size_t i = 0; i < c->targets.user_pids.n; i++)
		(void)synth_process(s, c->targets.user_pids.v[i]);
	for (size_t i = 0; i < c->plan->pid_count; i++)
		(void)synth_process(s, c->plan->pids[i]);
	for (size_t i = 0; i < c->plan->tid_count; i++) {
		int32_t pid = synth_process_of(c->plan->tids[i]);
		if (pid)
			synth_thread(s, pid, c->plan->tids[i]);
	}
	if (c->began)
		synth_started(c, s);
	else if (c->targets.command)
		synth_name(s, c->workload.pid);
}

static void diagnose_kallsyms(struct diags *d)
{
	if (access("/proc/self", F_OK) != 0) {
		diag_add(d, DIAG_NO_KALLSYMS, 1,
			 "/proc is not mounted, so the kernel's functions and programs that run "
			 "already will have no names");
		diag_hint(d, DIAG_NO_KALLSYMS, "mount -t proc proc /proc");
		return;
	}
	diag_add(d, DIAG_NO_KALLSYMS, 1,
		 "kernel addresses are hidden (kernel.kptr_restrict), so kernel functions will "
		 "have no names");
	diag_hint(d, DIAG_NO_KALLSYMS, "sudo sysctl -w kernel.kptr_restrict=0");
}

/* state: NULL to write at once, else where the records are put. */
static bool synthesize(struct capture *c, struct out *state, struct err *err)
{
	struct emitter e;
	struct synth s = {
		.e = &e,
		.files = &c->files,
		.data = c->counters.v.v[0].attr.sample_type & PERF_SAMPLE_ADDR,
		.build_id = c->counters.kernel_flags & ATTR_BUILD_ID && !c->plan->no_build_ids,
		.namespaces = c->counters.kernel_flags & ATTR_NAMESPACES,
		.maps = c->plan->synth & CAPTURE_SYNTH_MMAP,
		.timeout_ns = (c->plan->map_timeout_ms ? c->plan->map_timeout_ms
						       : (uint64_t)MAP_TIMEOUT_MS) *
			      1000000,
		.threads = c->plan->synth_threads,
	};
	emit_open(&e, c->writer, counters_trailer(&c->counters), err);
	e.to = state;
	e.embed = &c->embed;
	emit_id_index(c, &e);
	if (kernel_is_recorded(c)) {
		if (!synth_kernel(&s))
			diagnose_kallsyms(c->diags);
		synth_bpf(&s);
	}
	if (c->plan->track_also & ATTR_CGROUP && c->plan->synth & CAPTURE_SYNTH_CGROUP)
		cgroup_synthesize(&e);
	if (c->plan->synth & (CAPTURE_SYNTH_TASK | CAPTURE_SYNTH_MMAP))
		synth_targets(c, &s);
	return emit_close(&e);
}

bool output_synthesize(struct capture *c, struct err *err)
{
	return c->plan->synth_last || synthesize(c, NULL, err);
}

bool output_state(struct capture *c, struct out *state, struct err *err)
{
	return c->plan->synth_last || synthesize(c, state, err);
}

/* The sample-id trailer of an event's record, all zero but for the id. */
static void put_trailer(struct emitter *e, uint64_t fields, uint64_t id)
{
	static const uint64_t order[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					 PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					 PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (fields & order[i])
			emit_u64(e, order[i] & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? id : 0);
}

/* Samples a ring had no room for, as each event counted them: the LOST records of a ring count all
 * kinds of records together. */
static void emit_lost(struct capture *c, struct emitter *e)
{
	for (size_t i = 0; i < c->counters.v.n; i++) {
		struct counter *k = &c->counters.v.v[i];
		for (size_t f = 0; f < k->fds.n; f++) {
			uint64_t values[3]; /* value, id, lost */
			if (!groups_read(&c->counters, k, &k->fds.v[f], values) ||
			    values[2] <= k->fds.v[f].lost)
				continue;
			uint64_t lost = values[2] - k->fds.v[f].lost;
			k->fds.v[f].lost = values[2];
			c->lost_samples += k->dummy ? 0 : lost;
			emit_begin(e, PERF_RECORD_LOST_SAMPLES, 0);
			emit_u64(e, lost);
			put_trailer(e, k->attr.sample_type, values[1]);
			emit_end_bare(e);
		}
	}
}

/* Those a filter has dropped, once for each event. */
static void emit_filtered(struct capture *c, struct emitter *e)
{
	for (size_t i = 0; i < c->counters.v.n; i++) {
		struct counter *k = &c->counters.v.v[i];
		uint64_t dropped = k->loaded ? filter_dropped(k->loaded) : 0;
		if (!dropped || dropped <= k->loaded->told)
			continue;
		emit_begin(e, PERF_RECORD_LOST_SAMPLES, MISC_LOST_FILTERED);
		emit_u64(e, dropped - k->loaded->told);
		put_trailer(e, k->attr.sample_type, k->fds.v[0].id);
		emit_end_bare(e);
		c->filtered += dropped - k->loaded->told;
		k->loaded->told = dropped;
	}
}

bool output_lost_samples(struct capture *c, struct err *err)
{
	struct emitter e;
	emit_open(&e, c->writer, 0, err);
	if (c->counters.read_format & FORMAT_LOST)
		emit_lost(c, &e);
	emit_filtered(c, &e);
	return emit_close(&e);
}

static void write_last_features(struct capture *c)
{
	struct out o;
	struct scan_counts counts = readers_counts(c);
	if (counts.first_time != UINT64_MAX && !perfdata_writer_is_pipe(c->writer)) {
		uint64_t times[2] = {counts.first_time, counts.last_time};
		(void)!perfdata_writer_feature(c->writer, FEAT_SAMPLE_TIME, times, sizeof times,
					       NULL);
	}
	if (c->plan->no_build_ids)
		return;
	out_memory(&o);
	mapped_files_feature(&c->files, &o);
	if (o.n)
		(void)!perfdata_writer_feature(c->writer, FEAT_BUILD_ID, o.buf, o.n, NULL);
	(void)out_finish(&o);
}

bool output_end(struct capture *c, bool ok, struct err *err)
{
	struct err close_err;
	if (!c->writer)
		return ok;
	bool pipe = perfdata_writer_is_pipe(c->writer);
	bool useless = c->result->exec_failed && !pipe;
	struct err embed_err;
	if (c->plan->synth_last && ok && !useless)
		ok = synthesize(c, NULL, err);
	if (ok && !useless && c->counters.v.v[0].fds.n &&
	    !embed_write(&c->embed, c->writer, c->counters.v.v[0].fds.v[0].id, c->diags,
			 &embed_err)) {
		*err = embed_err;
		ok = false;
	}
	write_last_features(c);
	(void)!perfdata_writer_flush(c->writer, NULL);
	if (!useless)
		c->result->bytes = perfdata_writer_bytes(c->writer);
	/* The first failure is the one to tell. */
	if (!perfdata_writer_close(c->writer, &close_err) && ok) {
		*err = close_err;
		ok = false;
	}
	c->writer = NULL;
	if (useless)
		recording_take_back(c->plan->output, c->kept_old);
	else if (!pipe)
		ok = output_rename(c, ok ? err : NULL) && ok;
	return ok;
}
