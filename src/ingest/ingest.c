#include "ingest/ingest.h"

#include <stdlib.h>

#include "ingest/embedded.h"
#include "ingest/ingest_state.h"
#include "ingest/jit.h"
#include "ingest/symbolize.h"
#include "ingest/trace_text.h"
#include "ingest/unwound.h"
#include "profile/reroot.h"

static void look_at_events(struct ingest *in)
{
	size_t n = perfdata_event_count(in->pd), timed = 0;
	for (size_t i = 0; i < n; i++) {
		const struct attr *a = &perfdata_event(in->pd, i)->attr;
		timed += (a->sample_type & PERF_SAMPLE_TIME) != 0;
		in->build_ids |= a->flags & ATTR_BUILD_ID;
		in->counters |= a->sample_type & PERF_SAMPLE_READ;
		in->copied |= (a->sample_type & PERF_SAMPLE_CALLCHAIN) &&
			      (a->sample_type & PERF_SAMPLE_STACK_USER);
	}
	in->timeless = !timed;
	in->mixed = timed && timed < n;
	for (size_t i = 0; i < n && in->counters; i++) {
		const struct perfdata_event *ev = perfdata_event(in->pd, i);
		for (size_t k = 0; k < ev->id_count; k++)
			members_know(&in->members, ev->ids[k], (uint32_t)i);
	}
}

/* --- pass 1 ---------------------------------------------------------------------------------- */

static void count_loss(struct ingest *in, const struct record *r)
{
	uint64_t n;
	struct rec_lost lost;
	if (r->type == PERF_RECORD_LOST && record_lost(r, &lost) && lost.lost) {
		diag_add(in->diags, DIAG_LOST_RECORDS, lost.lost,
			 "the recording lost events: the kernel's buffer was full");
		diag_hint(in->diags, DIAG_LOST_RECORDS,
			  "record with a larger buffer (-m 16M) or a lower rate (-F)");
	}
	if (r->type == PERF_RECORD_LOST_SAMPLES && !(r->misc & MISC_LOST_FILTERED) &&
	    record_lost_samples(r, &n) && n) {
		const struct perfdata_event *ev = perfdata_event_of(in->pd, r);
		if (ev)
			in->profile->events.v[perfdata_event_index(in->pd, ev) + 1].lost += n;
		diag_add(in->diags, DIAG_LOST_SAMPLES, n, "the recording lost samples");
	}
	if (r->type == PERF_RECORD_THROTTLE)
		diag_add(in->diags, DIAG_THROTTLED, 1,
			 "the kernel throttled the sampling for a while");
}

/* Nobody asked for build ids, and yet the record claims to hold one, of a size that is not usual:
 * see record_mmap(). (Tools that add ids later do not always change the events.) */
static bool stray_build_id(const struct ingest *in, const struct record *r)
{
	return r->type == PERF_RECORD_MMAP2 && (r->misc & MISC_MMAP_BUILD_ID) && !in->build_ids &&
	       r->body_size > 32 && r->body[32] != 16 && r->body[32] != 20;
}

static void first_pass(struct ingest *in)
{
	struct perfdata_iter it;
	struct record r;
	perfdata_iter_init(&it, in->pd, 0, perfdata_chunk_count(in->pd));
	while (perfdata_next(&it, &r)) {
		if (r.type == PERF_RECORD_SAMPLE || r.type >= RECORD_HEADER_ATTR)
			continue;
		const struct perfdata_event *ev = perfdata_event_of(in->pd, &r);
		if (!ev && perfdata_event_count(in->pd))
			ev = perfdata_event(in->pd, 0);
		struct sample_id who = {0};
		if (!ev || !record_trailer(&r, &ev->attr, &who))
			who = (struct sample_id){0};
		if (in->timeless)
			who.time = r.offset;
		if (stray_build_id(in, &r))
			r.misc &= (uint16_t)~MISC_MMAP_BUILD_ID;
		session_apply(in->session, &r, &who, in->diags);
		ingest_jit_see(in->jit, &r, &who);
		count_loss(in, &r);
	}
	ingest_jit_apply(in->jit, in->session, in->diags);
	for (size_t i = 0; i < perfdata_build_id_count(in->pd); i++)
		session_set_build_id(in->session, perfdata_build_id(in->pd, i));
	session_seal(in->session);
}

static void add_events(struct ingest *in)
{
	for (size_t i = 0; i < perfdata_event_count(in->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(in->pd, i);
		/* One entry per recorded event, in order, also when two have one name. */
		vec_push(&in->profile->events,
			 (struct profile_event){
				 .name = strtab_intern(&in->profile->strings, ev->name),
				 .unit = strtab_intern(&in->profile->strings, ev->unit),
				 .has_stacks = ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN,
				 .tracepoint = ev->attr.type == PERF_TYPE_TRACEPOINT,
				 .copied_stacks = ev->attr.sample_type & PERF_SAMPLE_STACK_USER,
			 });
	}
}

static enum code_kind kind_of_object(const struct session_object *o)
{
	switch (o->kind) {
	case OBJECT_KERNEL:
	case OBJECT_MODULE:
	case OBJECT_BPF:
		return CODE_KERNEL;
	default:
		return CODE_USER;
	}
}

/* The profile's objects are the session's, id by id. */
static void add_objects(struct ingest *in)
{
	for (uint32_t i = 1; i < session_object_count(in->session); i++) {
		const struct session_object *o = session_object(in->session, (object_id){i});
		struct strtab *strings = &in->profile->strings;
		vec_push(&in->profile->objects,
			 (struct profile_object){
				 .path = strtab_intern(strings, session_str(in->session, o->path)),
				 .name = strtab_intern(strings, session_str(in->session, o->name)),
				 .kind = kind_of_object(o),
				 .jit = o->kind == OBJECT_ANON || o->kind == OBJECT_BPF,
			 });
	}
}

/* Times of the first and the last sample: where the header does not say, the samples do. */
static void find_span(struct ingest *in, uint64_t *first, uint64_t *last)
{
	*first = perfdata_header(in->pd)->first_sample_time;
	*last = perfdata_header(in->pd)->last_sample_time;
	if (*first || *last)
		return;
	*first = UINT64_MAX;
	struct sample_scratch scratch = {0};
	struct perfdata_iter it;
	struct record r;
	perfdata_iter_init(&it, in->pd, 0, perfdata_chunk_count(in->pd));
	while (perfdata_next(&it, &r)) {
		const struct perfdata_event *ev = perfdata_event_of(in->pd, &r);
		struct sample s;
		if (r.type != PERF_RECORD_SAMPLE || !ev ||
		    !record_sample(&r, &ev->attr, &scratch, &s) || !s.who.time)
			continue;
		*first = MIN(*first, s.who.time);
		*last = MAX(*last, s.who.time);
	}
	sample_scratch_free(&scratch);
}

static bool choose_times(struct ingest *in, struct err *err)
{
	const char *text = in->opt.times;
	uint64_t first = 0, last = 0;
	if (!text)
		return true;
	if (time_filter_wants_span(text) || in->opt.relative_times)
		find_span(in, &first, &last);
	return time_filter_parse(&in->filter.times, text, first, last, in->opt.relative_times, err);
}

struct ingest *ingest_open(const char *path, const struct ingest_options *opt, struct diags *d,
			   struct err *err)
{
	struct ingest *in = mem_zalloc(sizeof *in);
	in->opt = *opt;
	in->diags = d;
	in->pd = perfdata_open(path, &opt->input, d, err);
	if (!in->pd ||
	    !sample_filter_parse(&in->filter, opt->comms, opt->pids, opt->tids, opt->cpus, err) ||
	    !choose_times(in, err)) {
		ingest_close(in);
		return NULL;
	}
	in->session = session_new();
	in->profile = profile_new();
	in->pool = pool_new(opt->threads);
	look_at_events(in);
	add_events(in);
	in->jit = ingest_jit_new(in->pd, opt->resolve.force);
	first_pass(in);
	add_objects(in);
	chains_init(&in->chains, in->session, in->profile, d);
	in->chains.max_stack = opt->max_stack;
	in->chains.apart = in->copied;
	in->chains.skip = opt->no_callchains;
	in->opt.resolve.jits = ingest_jit_tables(in->jit);
	in->opt.resolve.recorded = perfdata_header(in->pd)->captured_on;
	in->opt.resolve.last_time = perfdata_header(in->pd)->last_sample_time;
	in->resolver = resolver_new(in->session, &in->opt.resolve);
	ingest_embedded(in->pd, in->resolver, d);
	return in;
}

void ingest_close(struct ingest *in)
{
	if (!in)
		return;
	unwound_free(in->unwound);
	if (in->resolver)
		resolver_free(in->resolver);
	ingest_jit_free(in->jit);
	chains_free(&in->chains);
	profile_free(in->profile);
	session_free(in->session);
	pool_free(in->pool);
	sample_filter_free(&in->filter);
	for (size_t i = 0; i < CHAIN_BATCH; i++)
		sample_scratch_free(&in->scratch[i]);
	aggregate_free(&in->sums);
	tracefmt_free(in->trace);
	free(in->rows.v);
	rounds_free(&in->rounds);
	members_free(&in->members);
	vec_free(&in->splits);
	u64map_free(&in->addresses);
	expansions_free(&in->expansions);
	perfdata_close(in->pd);
	free(in);
}

/* --- pass 2: sinks ---------------------------------------------------------------------------- */

static thread_id thread_of(struct ingest *in, const struct placed *p)
{
	const struct session_who *w = &p->who;
	if (in->last_thread.v && in->last_who.tid == w->tid && in->last_who.pid == w->pid &&
	    in->last_who.process == w->process && in->last_who.comm.v == w->comm.v &&
	    in->last_who.named == w->named)
		return in->last_thread;
	in->last_who = *w;
	if (in->opt.by_comm)
		in->last_thread = profile_thread(in->profile, 0, 0, placed_comm(p), 0);
	else
		in->last_thread = profile_thread(in->profile, w->pid,
						 in->opt.by_thread ? w->tid : w->pid,
						 placed_comm(p), w->process);
	return in->last_thread;
}

static string_id trace_of(struct ingest *in, const struct placed *p)
{
	bool tracepoint = in->profile->events.v[p->event + 1].tracepoint;
	in->trace_text.n = 0;
	if (!tracepoint || !p->sample.raw ||
	    !tracefmt_print(in->trace, &in->trace_text, p->sample.raw, p->sample.raw_size))
		return (string_id){0};
	return strtab_intern(&in->profile->strings, out_text(&in->trace_text));
}

static void aggregate_one(struct ingest *in, struct placed *p, uint32_t id)
{
	const struct chain *chain = &in->chains.list.v[id];
	struct profile_row row = {.event = {(uint32_t)p->event + 1},
				  .thread = thread_of(in, p),
				  .cpu = in->opt.by_cpu ? p->sample.who.cpu : PROFILE_ANY_CPU,
				  .stack = chain->stack,
				  .leaf = chain->leaf,
				  .trace = in->trace ? trace_of(in, p) : (string_id){0},
				  .cut = p->cut,
				  .count = 1,
				  .weight = p->weight,
				  .time = p->time};
	aggregate_add(&in->sums, &row);
}

static uint32_t leaf_object(const struct ingest *in, frame_id leaf)
{
	return profile_frame_at(in->profile, leaf)->object.v;
}

bool ingest_by_trace(struct ingest *in, struct err *err)
{
	return trace_text_open(in, &in->trace, in->diags, err);
}

/* Rows tell threads apart only where a view wants it; roots are looked for within a thread. */
static void reroot(struct ingest *in, bool by_thread, bool by_comm)
{
	struct profile *p = in->profile;
	struct reroot_result r = profile_reroot(p);
	for (size_t i = 0; i < p->rows.n && (!by_thread || by_comm); i++) {
		struct profile_thread t = p->threads.v[p->rows.v[i].thread.v];
		p->rows.v[i].thread = profile_thread(p, by_comm ? 0 : t.pid, by_comm ? 0 : t.pid,
						     profile_str(p, t.comm),
						     by_comm ? 0 : t.process);
	}
	if (r.cut)
		diag_add(in->diags, DIAG_NOTE, r.cut,
			 "of %" PRIu64 " samples whose stack was deeper than what was recorded, "
			 "%" PRIu64 " were given the root of longer stacks of their thread",
			 r.cut, r.rerooted);
	else
		diag_add(in->diags, DIAG_NOTE, 1, "no stack was deeper than what was recorded");
}

/* Objects with many samples may be worth a download. */
static void name_frames(struct ingest *in)
{
	const struct profile *p = in->profile;
	CLEANUP(mem_free_ptr) uint64_t *weights = mem_calloc(p->objects.n, sizeof *weights);
	for (size_t i = 0; i < p->rows.n; i++)
		weights[leaf_object(in, p->rows.v[i].leaf)] += p->rows.v[i].count;
	symbolize(in->profile, in->resolver, &in->opt.resolve, weights, in->pool, in->diags);
}

bool ingest_aggregate(struct ingest *in, struct err *err)
{
	(void)err;
	bool by_thread = in->opt.by_thread, by_comm = in->opt.by_comm;
	bool merge = in->opt.merge_threads && !in->opt.reroot;
	in->opt.by_thread |= in->opt.reroot;
	in->opt.by_comm &= !in->opt.reroot;
	out_memory(&in->trace_text);
	aggregate_init(&in->sums, in->profile);
	in->sums.merge_threads = merge;
	ingest_each_sample(in, aggregate_one);
	aggregate_flush(&in->sums);
	aggregate_free(&in->sums);
	(void)out_finish(&in->trace_text);
	if (!in->opt.no_symbols)
		name_frames(in);
	if (in->opt.reroot)
		reroot(in, by_thread, by_comm);
	struct expand_options how = ingest_expand_options(in);
	expand_profile(in->profile, in->resolver, &how, in->pool);
	profile_seal(in->profile);
	return true;
}

/* The events whose address is worth a name: page faults. */
static bool has_named_address(const struct attr *a)
{
	return (a->sample_type & PERF_SAMPLE_ADDR) && a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_PAGE_FAULTS ||
		a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void keep_address(struct ingest *in, const struct placed *p)
{
	struct chain_request who = {
		.sample = &p->sample, .process = p->who.process, .time = p->time};
	frame_id frame = chains_address(&in->chains, &who, p->sample.addr);
	u64map_put(&in->addresses, p->offset, frame.v);
}

static void row_one(struct ingest *in, struct placed *p, uint32_t chain)
{
	struct ingest_row row = {.time = p->untimed ? 0 : p->time, /* before what is late */
				 .offset = p->offset & 0xffffffffff,
				 .split = p->split,
				 .event = p->event & 0x7fffff,
				 .thread = thread_of(in, p),
				 .chain = chain};
	if (in->opt.addresses && has_named_address(&perfdata_event(in->pd, p->event)->attr))
		keep_address(in, p);
	if (UNLIKELY(p->split)) {
		row.offset = in->splits.n & 0xffffffffff;
		vec_push(&in->splits, (struct ingest_split){p->offset, p->weight});
	}
	if (UNLIKELY(p->late))
		vec_push(&in->rounds.late, (struct late_row){p->limit, row});
	else
		rows_push(&in->rows, &row);
}

bool ingest_timed(struct ingest *in, struct ingest_rows *out, struct err *err)
{
	(void)err;
	in->opt.by_thread = true;
	in->opt.by_comm = false;
	in->chains.flat = true;
	ingest_each_sample(in, row_one);
	rows_sort(&in->rows);
	rounds_merge(&in->rounds, &in->rows);
	CLEANUP(mem_free_ptr)
	uint64_t *weights = mem_calloc(in->profile->objects.n, sizeof *weights);
	for (size_t i = 0; i < in->rows.n; i++)
		weights[leaf_object(in, in->chains.list.v[in->rows.v[i].chain].leaf)]++;
	symbolize(in->profile, in->resolver, &in->opt.resolve, weights, in->pool, in->diags);
	ingest_expand_chains(in);
	*out = in->rows;
	return true;
}

struct ingest_split ingest_split(const struct ingest *in, const struct ingest_row *row)
{
	return in->splits.v[row->offset];
}

frame_id ingest_address(const struct ingest *in, uint64_t offset)
{
	const uint32_t *frame = u64map_get(&in->addresses, offset);
	return (frame_id){frame ? *frame : 0};
}

struct ingest_chain ingest_chain(const struct ingest *in, uint32_t chain)
{
	const struct chain *c = &in->chains.list.v[chain];
	return (struct ingest_chain){
		.leaf = c->leaf, .frames = in->chains.frames.v + c->first, .depth = c->depth};
}

struct perfdata *ingest_perfdata(struct ingest *in)
{
	return in->pd;
}

const struct session *ingest_session(struct ingest *in)
{
	return in->session;
}

const struct profile *ingest_profile(struct ingest *in)
{
	return in->profile;
}

const struct jits *ingest_jits(struct ingest *in)
{
	return ingest_jit_tables(in->jit);
}

struct pool *ingest_pool(struct ingest *in)
{
	return in->pool;
}

void ingest_load_kernel(struct ingest *in)
{
	object_id kernel = session_kernel_object(in->session);
	if (kernel.v)
		resolver_load(in->resolver, &kernel, 1, in->pool, in->diags);
}

bool ingest_kernel_symbol(const struct ingest *in, uint64_t addr, struct str *name, uint64_t *start)
{
	object_id kernel = session_kernel_object(in->session);
	const struct symbol *s = kernel.v ? resolver_symbol(in->resolver, kernel, addr) : NULL;
	if (!s)
		return false;
	*name = symbol_name(s);
	*start = s->start + resolver_bias(in->resolver, kernel);
	return true;
}
