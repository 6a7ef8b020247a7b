/* kiln inject: a recording with more in it, for tools that cannot find it themselves. */
#include <stdio.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/inject.h"
#include "object/object.h"
#include "perfdata/embedded.h"

static struct {
	const char *input, *output;
	bool jit, build_ids, sched, force;
	int verbose;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'i', "input", "FILE", "the recording (default perf.data; - is stdin)",
	 .value = &opts.input},
	{OPT_STRING, 'o', "output", "FILE", "the new one (default: standard output, as a pipe)",
	 .value = &opts.output},
	{OPT_BOOL, 'j', "jit", NULL, "code of jitdumps becomes ELF files, and is mapped",
	 .value = &opts.jit},
	{OPT_BOOL, 'b', "build-ids", NULL, "build ids of the files that were hit",
	 .value = &opts.build_ids},
	{OPT_BOOL, 's', "sched-stat", NULL,
	 "sched_stat events, with the stacks of the sched_switch before them",
	 .value = &opts.sched},
	{OPT_BOOL, 'f', "force", NULL, "jitdumps are used whoever they belong to",
	 .value = &opts.force},
	{OPT_COUNT, 'v', "verbose", NULL, "tell of every file that is made",
	 .value = &opts.verbose},
	{0},
};

/* --- what goes into the header ---------------------------------------------------------------- */

static void add_id(struct inject *j, struct str path, const struct build_id *id, bool kernel)
{
	for (size_t i = 0; i < j->ids.n; i++)
		if (str_eq(j->ids.v[i].path, path) && build_id_eq(&j->ids.v[i].build_id, id))
			return;
	vec_push(&j->ids, (struct rec_build_id){.pid = -1, .build_id = *id, .path = path});
	vec_push(&j->ids_misc, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

/* Objects that samples fell into: every frame has its object. */
static bool find_ids(struct inject *j, struct err *err)
{
	const struct session *s = ingest_session(j->in);
	const struct profile *p = ingest_profile(j->in);
	if (!ingest_aggregate(j->in, err))
		return false;
	CLEANUP(mem_free_ptr) bool *hit = mem_calloc(session_object_count(s), sizeof *hit);
	for (size_t i = 1; i < p->frames.n; i++)
		hit[p->frames.v[i].object.v] = true;
	for (uint32_t i = 1; i < session_object_count(s); i++) {
		const struct session_object *o = session_object(s, (object_id){i});
		struct str path = session_str(s, o->path);
		struct build_id id = o->build_id;
		if (!hit[i] || (o->kind != OBJECT_FILE && o->kind != OBJECT_KERNEL))
			continue;
		if (!id.size && o->kind == OBJECT_FILE && !object_build_id(path.p, &id, NULL))
			continue;
		if (id.size)
			add_id(j, path, &id, o->kind == OBJECT_KERNEL);
	}
	return true;
}

static void keep_ids(struct inject *j)
{
	for (size_t i = 0; i < perfdata_build_id_count(j->pd); i++) {
		const struct rec_build_id *id = perfdata_build_id(j->pd, i);
		add_id(j, id->path, &id->build_id, str_starts(id->path, "["));
	}
}

static bool write_features(struct inject *j, struct err *err)
{
	bool ok = true;
	for (unsigned i = 1; ok && i < FEAT_LAST_KNOWN; i++) {
		struct str payload = i == FEAT_TRACING_DATA ? perfdata_header(j->pd)->tracing_data
							    : perfdata_feature(j->pd, i);
		if (payload.n && i != FEAT_BUILD_ID && i != FEAT_COMPRESSED &&
		    i != FEAT_DIR_FORMAT && i != FEAT_EVENT_DESC)
			ok = perfdata_writer_feature(j->writer, i, payload.p, payload.n, err);
	}
	return ok;
}

static bool write_ids(struct inject *j, struct err *err)
{
	struct out o;
	out_memory(&o);
	feature_build_ids(&o, j->ids.v, j->ids_misc.v, j->ids.n);
	bool ok = !o.n || perfdata_writer_feature(j->writer, FEAT_BUILD_ID, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}

static bool begin(struct inject *j, struct err *err)
{
	size_t n = perfdata_event_count(j->pd);
	struct writer_event *events = mem_calloc(n, sizeof *events);
	for (size_t i = 0; i < n; i++) {
		const struct perfdata_event *ev = perfdata_event(j->pd, i);
		events[i] = (struct writer_event){.attr = ev->attr,
						  .name = arena_str(&j->arena, ev->name).p,
						  .ids = ev->ids,
						  .id_count = ev->id_count};
	}
	j->writer = perfdata_writer_open(j->output, err);
	bool ok = j->writer && perfdata_writer_begin(j->writer, events, n, err) &&
		  write_features(j, err);
	mem_free_ptr(&events);
	return ok;
}

/* --- records ---------------------------------------------------------------------------------- */

/* What the writer says itself, or what no longer holds: with new records behind the others, rounds
 * do not end where they did. */
static bool is_left_out(const struct inject *j, const struct record *r)
{
	switch (r->type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_FEATURE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
		return true;
	case RECORD_EVENT_UPDATE: {
		struct cursor c = record_cursor(r);
		return cursor_u64(&c) == 2; /* an event's name */
	}
	case RECORD_FINISHED_ROUND:
		return opts.jit || opts.sched;
	default:
		return opts.jit && inject_jit_replaces(j, r);
	}
}

static bool copy_records(struct inject *j, struct sched_merge *sched, struct err *err)
{
	struct perfdata_iter it;
	struct record r;
	bool ok = true;
	perfdata_iter_init(&it, j->pd, 0, perfdata_chunk_count(j->pd));
	while (ok && perfdata_next(&it, &r)) {
		const uint8_t *p = r.body - 8;
		size_t size = r.size;
		if (r.type == RECORD_AUXTRACE)
			return err_set(err, ERR_UNSUPPORTED,
				       "%s holds a hardware trace, which inject does not decode",
				       opts.input ? opts.input : "perf.data");
		if (is_left_out(j, &r))
			continue;
		if (sched && r.type == PERF_RECORD_SAMPLE)
			sched_merge_sample(sched, &r, &p, &size);
		struct iovec iov = {.iov_base = (void *)p, .iov_len = size};
		ok = !size || perfdata_write(j->writer, &iov, 1, err);
	}
	return ok;
}

static bool inject(struct inject *j, struct err *err)
{
	struct sched_merge *sched = NULL;
	if (perfdata_header(j->pd)->swapped)
		return err_set(
			err, ERR_UNSUPPORTED,
			"the recording has the other byte order, which inject does not write");
	if (!perfdata_event_count(j->pd))
		return err_set(err, ERR_INPUT, "the recording has no events");
	if (opts.sched && !(sched = sched_merge_new(j, err)))
		return false;
	keep_ids(j);
	bool ok = (!opts.build_ids || find_ids(j, err)) && begin(j, err) &&
		  copy_records(j, sched, err) && (!opts.jit || inject_jit(j, err)) &&
		  write_ids(j, err);
	sched_merge_free(sched);
	if (j->dropped)
		diag_add(j->diags, DIAG_NOTE, 1,
			 "%" PRIu64
			 " sched_stat samples came before any switch of their thread, and are "
			 "left out",
			 j->dropped);
	return ok;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	struct inject j = {.output = opts.output ? opts.output : "-",
			   .diags = &diags,
			   .verbose = opts.verbose > 0};
	struct input_options in = {.input = opts.input, .force = opts.force};
	struct ingest_options io;
	bool ok = no_more_words(args, &err);
	input_options_fill(&in, &io);
	if (ok && !strcmp(j.output, "-") && isatty(STDOUT_FILENO)) {
		ok = err_set(&err, ERR_USAGE, "a recording is not fit for the terminal");
		err_hint(&err, "-o FILE, or pipe it into something");
	}
	j.in = ok ? ingest_open(input_path(&in), &io, &diags, &err) : NULL;
	if (j.in) {
		j.pd = ingest_perfdata(j.in);
		ok = inject(&j, &err);
	} else {
		ok = false;
	}
	struct err close_err = {0};
	if (j.writer && !perfdata_writer_close(j.writer, &close_err) && ok) {
		err = close_err;
		ok = false;
	}
	int code = ok ? cli_diags(cmd, &diags, false) : cli_fail(cmd, &err);
	ingest_close(j.in);
	vec_free(&j.ids);
	vec_free(&j.ids_misc);
	arena_free(&j.arena);
	return code;
}

static const struct example examples[] = {
	{"kiln inject --jit -i perf.data -o jitted.data", "names of made code for perf report"},
	{"kiln inject -b -i perf.data | perf report -i -", "build ids on their way through a pipe"},
	{0},
};

const struct command cmd_inject = {
	.name = "inject",
	.summary = "Add to a recording what other tools cannot find",
	.usage = "kiln inject [-b] [-j] [-s] [-i FILE] [-o FILE]",
	.describe =
		"Copies a recording and adds to it. kiln itself needs none of this: its reports find code made at\n"
		"run time and build ids without.",
	.examples = examples,
	.options = options,
	.run = run,
};
