#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/emit.h"
#include "capture/features.h"
#include "capture/groups.h"
#include "capture/perf_event.h"
#include "capture/run.h"
#include "capture/synth.h"
#include "capture/tracing_data.h"
#include "perfdata/writer.h"

#define IDS_PER_RECORD 2000 /* of 32 bytes, in a record of at most 64 kB */

/* An old recording is kept under another name, as perf does. */
static bool old_name(const char *path, char old[PATH_MAX])
{
	int n = snprintf(old, PATH_MAX, "%s.old", path);
	return n > 0 && n < PATH_MAX;
}

static void keep_old(struct capture *c)
{
	char old[PATH_MAX];
	struct stat st;
	const char *path = c->plan->output;
	c->kept_old = strcmp(path, "-") && old_name(path, old) && lstat(path, &st) == 0 &&
		      S_ISREG(st.st_mode) && st.st_size > 0 && rename(path, old) == 0;
}

static void take_back(const struct capture *c)
{
	char old[PATH_MAX];
	(void)unlink(c->plan->output);
	if (c->kept_old && old_name(c->plan->output, old))
		(void)rename(old, c->plan->output);
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

bool output_begin(struct capture *c, struct err *err)
{
	size_t n = c->counters.v.n;
	keep_old(c);
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
		  features_write(c->writer, c->plan, err) &&
		  groups_write(&c->counters, c->writer, err) && write_tracing_data(c, err);
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

bool output_synthesize(struct capture *c, struct err *err)
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

/* Samples a ring had no room for, as each event counted them: the LOST records of a ring count all
 * kinds of records together. */
bool output_lost_samples(struct capture *c, struct err *err)
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
			if (!groups_read(&c->counters, k, &k->fds.v[f], values) || !values[2])
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

static void write_last_features(struct capture *c)
{
	struct out o;
	if (c->scan.samples && c->scan.time_word != SIZE_MAX &&
	    !perfdata_writer_is_pipe(c->writer)) {
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

bool output_end(struct capture *c, bool ok, struct err *err)
{
	struct err close_err;
	if (!c->writer)
		return ok;
	bool useless = c->result->exec_failed && !perfdata_writer_is_pipe(c->writer);
	write_last_features(c);
	if (!useless)
		c->result->bytes = perfdata_writer_bytes(c->writer);
	/* The first failure is the one to tell. */
	if (!perfdata_writer_close(c->writer, &close_err) && ok) {
		*err = close_err;
		ok = false;
	}
	c->writer = NULL;
	if (useless)
		take_back(c);
	return ok;
}
