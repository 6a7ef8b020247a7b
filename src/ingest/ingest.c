#include "ingest/ingest.h"

#include <stdio.h>
#include <stdlib.h>

#include "ingest/aggregate.h"
#include "ingest/chains.h"
#include "ingest/embedded.h"
#include "ingest/members.h"
#include "ingest/rows.h"
#include "ingest/sample_filter.h"
#include "ingest/symbolize.h"
#include "ingest/trace_text.h"

struct ingest {
	struct ingest_options opt;
	struct diags *diags;
	struct perfdata *pd;
	struct session *session;
	struct profile *profile;
	struct resolver *resolver;
	struct pool *pool;
	struct chains chains;
	struct sample_filter filter;
	struct sample_scratch scratch[CHAIN_BATCH];
	struct aggregate sums;
	struct ingest_rows rows;
	struct rounds rounds;
	struct tracefmt *trace; /* rows differ by it; NULL: they do not */
	struct out trace_text;
	struct members members;
	VEC(struct ingest_split) splits;
	struct u64map addresses; /* offset of a record -> frame of its data address */
	bool build_ids;          /* mmap records were to hold them */
	bool timeless;           /* no times recorded: the order of the file stands for them */
	bool counters;           /* some samples hold those of a group */
	bool mixed;              /* some events have times, others have not */

	/* The latest thread asked for: samples come in bursts. */
	struct session_who last_who;
	thread_id last_thread;
};

static void look_at_events(struct ingest *in)
{
	size_t n = perfdata_event_count(in->pd), timed = 0;
	for (size_t i = 0; i < n; i++) {
		const struct attr *a = &perfdata_event(in->pd, i)->attr;
		timed += (a->sample_type & PERF_SAMPLE_TIME) != 0;
		in->build_ids |= a->flags & ATTR_BUILD_ID;
		in->counters |= a->sample_type & PERF_SAMPLE_READ;
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
	if (r->type == PERF_RECORD_LOST_SAMPLES && record_lost_samples(r, &n) && n) {
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
		count_loss(in, &r);
	}
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

struct ingest *ingest_open(const char *path, const struct ingest_options *opt, struct diags *d,
			   struct err *err)
{
	struct ingest *in = mem_zalloc(sizeof *in);
	in->opt = *opt;
	in->diags = d;
	in->pd = perfdata_open(path, &opt->input, d, err);
	if (!in->pd ||
	    !sample_filter_parse(&in->filter, opt->comms, opt->pids, opt->tids, opt->cpus, err)) {
		ingest_close(in);
		return NULL;
	}
	in->session = session_new();
	in->profile = profile_new();
	in->pool = pool_new(opt->threads);
	look_at_events(in);
	add_events(in);
	first_pass(in);
	add_objects(in);
	chains_init(&in->chains, in->session, in->profile, d);
	in->chains.max_stack = opt->max_stack;
	in->chains.skip = opt->no_callchains;
	in->resolver = resolver_new(in->session, &opt->resolve);
	ingest_embedded(in->pd, in->resolver, d);
	return in;
}

void ingest_close(struct ingest *in)
{
	if (!in)
		return;
	if (in->resolver)
		resolver_free(in->resolver);
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
	perfdata_close(in->pd);
	free(in);
}

/* --- pass 2 ---------------------------------------------------------------------------------- */

/* One sample, decoded and placed. */
struct placed {
	struct sample sample;
	size_t event; /* index in perfdata */
	uint64_t time;
	uint64_t weight;
	struct session_who who;
	struct str comm;
	char comm_buf[16];
	uint64_t offset;
	uint64_t limit; /* the rounds that are over reached up to here */
	bool late;      /* it comes behind all of these */
	bool untimed;   /* has no time, unlike others */
	bool split;     /* one of several of its record: `weight` is not in there */
};

/* perf calls a thread it never heard of by its number. */
static struct str name_thread(const struct ingest *in, const struct session_who *who, char *buf,
			      size_t size)
{
	bool later = !in->chains.flat && !in->opt.sampled_names;
	if (who->named || (later && who->named_later))
		return session_str(in->session, who->comm);
	int n = snprintf(buf, size, ":%d", who->tid);
	return str_make(buf, n < 0 ? 0 : (size_t)n);
}

static thread_id thread_of(struct ingest *in, const struct placed *p)
{
	const struct session_who *w = &p->who;
	if (in->last_thread.v && in->last_who.tid == w->tid && in->last_who.pid == w->pid &&
	    in->last_who.process == w->process && in->last_who.comm.v == w->comm.v &&
	    in->last_who.named == w->named)
		return in->last_thread;
	in->last_who = *w;
	if (in->opt.by_comm)
		in->last_thread = profile_thread(in->profile, 0, 0, p->comm, 0);
	else
		in->last_thread = profile_thread(in->profile, w->pid,
						 in->opt.by_thread ? w->tid : w->pid, p->comm,
						 w->process);
	return in->last_thread;
}

/* A sample without time among others is taken when it is read: as things stood at the end of the
 * rounds that were over by then. */
static void place_in_time(struct ingest *in, const struct record *r,
			  const struct perfdata_event *ev, struct placed *p)
{
	p->limit = in->rounds.limit;
	p->untimed = in->mixed && !(ev->attr.sample_type & PERF_SAMPLE_TIME);
	if (in->timeless) {
		p->time = r->offset;
	} else if (p->untimed) {
		p->time = p->limit;
	} else {
		p->time = p->sample.who.time;
		rounds_see(&in->rounds, p->time);
	}
	p->late = !in->timeless && rounds_late(&in->rounds, p->time);
}

/* Stacks recorded as copies of memory are not unwound: what is known for certain is where the
 * thread was in user space. It goes behind the kernel's part, where perf begins to unwind. */
static void add_user_ip(struct ingest *in, const struct record *r, const struct attr *a,
			struct sample_scratch *scratch, struct sample *s)
{
	uint64_t ip;
	if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN) || in->opt.no_callchains)
		return;
	diag_add(
		in->diags, DIAG_NOTE, 1,
		"stacks were recorded with --call-graph dwarf, which is not unwound yet: of their user part only the innermost function is shown");
	diag_hint(in->diags, DIAG_NOTE, "record with --call-graph fp");
	if (!sample_user_ip(s, a, perfdata_header(in->pd)->arch, r->swap, &ip))
		return;
	size_t n = s->chain_count;
	uint64_t *words = mem_realloc_array(NULL, n + 2, sizeof *words);
	if (n)
		memcpy(words, s->chain, n * sizeof *words);
	words[n] = PERF_CONTEXT_USER;
	words[n + 1] = ip;
	free(scratch->words);
	*scratch = (struct sample_scratch){words, n + 2};
	s->chain = words;
	s->chain_count = n + 2;
}

/* False for a sample that is damaged or not wanted. */
static bool place_sample(struct ingest *in, const struct record *r, struct sample_scratch *scratch,
			 struct placed *p)
{
	const struct perfdata_event *ev = perfdata_event_of(in->pd, r);
	if (!ev) {
		diag_partial(in->diags, DIAG_BAD_RECORD,
			     "at offset 0x%" PRIx64
			     ": SAMPLE (9): belongs to no event of this file, skipped",
			     r->offset);
		return false;
	}
	if (!record_sample(r, &ev->attr, scratch, &p->sample)) {
		diag_partial(in->diags, DIAG_BAD_RECORD,
			     "at offset 0x%" PRIx64
			     ": SAMPLE (9): does not hold what its event promises, skipped",
			     r->offset);
		return false;
	}
	if (ev->attr.sample_type & PERF_SAMPLE_STACK_USER)
		add_user_ip(in, r, &ev->attr, scratch, &p->sample);
	p->event = perfdata_event_index(in->pd, ev);
	place_in_time(in, r, ev, p);
	p->weight = ev->attr.sample_type & PERF_SAMPLE_PERIOD ? p->sample.period
							      : ev->attr.sample_period;
	p->who = session_who_at(in->session, p->sample.who.pid, p->sample.who.tid, p->time);
	p->comm = name_thread(in, &p->who, p->comm_buf, sizeof p->comm_buf);
	p->offset = r->offset;
	p->split = false;
	return sample_filter_accepts(&in->filter, p->comm, p->sample.who.pid, p->sample.who.tid,
				     p->sample.who.cpu);
}

/* Other records than samples, for the sake of their times. */
static void note_round(struct ingest *in, const struct record *r)
{
	if (r->type == RECORD_FINISHED_ROUND) {
		rounds_end(&in->rounds);
		return;
	}
	const struct perfdata_event *ev = perfdata_event_of(in->pd, r);
	struct sample_id who;
	if (!in->timeless && ev && record_trailer(r, &ev->attr, &who))
		rounds_see(&in->rounds, who.time);
}

typedef void sample_fn(struct ingest *in, struct placed *p, uint32_t chain);

static void take_batch(struct ingest *in, struct placed *batch, size_t n, sample_fn *fn)
{
	struct chain_request requests[CHAIN_BATCH];
	for (size_t i = 0; i < n; i++)
		requests[i] = (struct chain_request){.sample = &batch[i].sample,
						     .process = batch[i].who.process,
						     .time = batch[i].time,
						     .offset = batch[i].offset};
	chains_intern(&in->chains, requests, n);
	for (size_t i = 0; i < n; i++)
		aggregate_prefetch(&in->sums, in->chains.list.v[requests[i].chain].stack);
	for (size_t i = 0; i < n; i++)
		fn(in, &batch[i], requests[i].chain);
}

/* Leader sampling: the samples of the group's members, all with the one stack. */
static void take_members(struct ingest *in, const struct placed *leader, bool swap,
			 struct placed *batch, sample_fn *fn)
{
	size_t n = 0;
	members_split(&in->members, &perfdata_event(in->pd, leader->event)->attr, &leader->sample,
		      swap);
	for (size_t i = 0; i < in->members.samples.n; i++) {
		batch[n] = *leader;
		batch[n].event = in->members.samples.v[i].event;
		batch[n].weight = in->members.samples.v[i].period;
		batch[n].split = true;
		if (++n == CHAIN_BATCH) {
			take_batch(in, batch, n, fn);
			n = 0;
		}
	}
	take_batch(in, batch, n, fn);
}

static bool holds_counters(const struct ingest *in, const struct placed *p)
{
	return in->counters &&
	       (perfdata_event(in->pd, p->event)->attr.sample_type & PERF_SAMPLE_READ);
}

static void for_each_sample(struct ingest *in, sample_fn *fn)
{
	struct placed *batch = mem_calloc(CHAIN_BATCH, sizeof *batch);
	size_t n = 0;
	struct perfdata_iter it;
	struct record r;
	perfdata_iter_init(&it, in->pd, 0, perfdata_chunk_count(in->pd));
	while (perfdata_next(&it, &r)) {
		if (r.type != PERF_RECORD_SAMPLE) {
			if (in->chains.flat || in->mixed)
				note_round(in, &r);
			continue;
		}
		if (!place_sample(in, &r, &in->scratch[n], &batch[n]))
			continue;
		if (UNLIKELY(holds_counters(in, &batch[n]))) {
			/* One batch of its own: its chain may lie in the scratch of place n. */
			struct placed leader = batch[n];
			take_batch(in, batch, n, fn);
			n = 0;
			take_members(in, &leader, r.swap, batch, fn);
			continue;
		}
		if (++n == CHAIN_BATCH) {
			take_batch(in, batch, n, fn);
			n = 0;
		}
	}
	take_batch(in, batch, n, fn);
	free(batch);
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
	struct chain *chain = &in->chains.list.v[id];
	struct profile_row row = {.event = {(uint32_t)p->event + 1},
				  .thread = thread_of(in, p),
				  .cpu = in->opt.by_cpu ? p->sample.who.cpu : PROFILE_ANY_CPU,
				  .stack = chain->stack,
				  .leaf = chain->leaf,
				  .trace = in->trace ? trace_of(in, p) : (string_id){0},
				  .count = 1,
				  .weight = p->weight,
				  .time = p->time};
	chain->row = aggregate_add(&in->sums, &row, chain->row);
}

bool ingest_by_trace(struct ingest *in, struct err *err)
{
	return trace_text_open(in, &in->trace, in->diags, err);
}

bool ingest_aggregate(struct ingest *in, struct err *err)
{
	(void)err;
	out_memory(&in->trace_text);
	aggregate_init(&in->sums, in->profile);
	in->sums.merge_threads = in->opt.merge_threads;
	for_each_sample(in, aggregate_one);
	aggregate_free(&in->sums);
	(void)out_finish(&in->trace_text);
	symbolize(in->profile, in->resolver, in->opt.resolve.demangle, in->pool, in->diags);
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
	for_each_sample(in, row_one);
	rows_sort(&in->rows);
	rounds_merge(&in->rounds, &in->rows);
	symbolize(in->profile, in->resolver, in->opt.resolve.demangle, in->pool, in->diags);
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
