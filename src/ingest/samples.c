/* Pass 2: samples are decoded, placed in time and among threads, and go to the sink in batches. */
#include <stdio.h>
#include <stdlib.h>

#include "ingest/ingest_state.h"
#include "ingest/unwound.h"

/* perf calls a thread it never heard of by its number. */
static void name_thread(const struct ingest *in, struct placed *p)
{
	const struct session_who *who = &p->who;
	bool later = !in->chains.flat && !in->opt.sampled_names;
	p->comm = (struct str){0};
	if (who->named || (later && who->named_later))
		p->comm = session_str(in->session, who->comm);
	else
		snprintf(p->number, sizeof p->number, ":%d", who->tid);
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

/* The kernel stops at so many addresses. A limit other than its usual one is in the event. */
#define USUAL_DEPTH 127

static bool is_cut(const struct attr *a, const struct sample *s)
{
	size_t limit = a->sample_max_stack ? a->sample_max_stack : USUAL_DEPTH, n = 0;
	if (s->chain_count < limit)
		return false;
	for (size_t i = 0; i < s->chain_count; i++)
		n += s->chain[i] < PERF_CONTEXT_MAX;
	return n == limit;
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
	p->cut = is_cut(&ev->attr, &p->sample);
	p->event = perfdata_event_index(in->pd, ev);
	place_in_time(in, r, ev, p);
	p->weight = ev->attr.sample_type & PERF_SAMPLE_PERIOD ? p->sample.period
							      : ev->attr.sample_period;
	p->who = session_who_at(in->session, p->sample.who.pid, p->sample.who.tid, p->time);
	name_thread(in, p);
	p->offset = r->offset;
	p->split = false;
	if (!sample_filter_accepts(&in->filter, placed_comm(p), p->sample.who.pid,
				   p->sample.who.tid, p->sample.who.cpu, p->sample.who.time))
		return false;
	if (UNLIKELY(ev->attr.sample_type & PERF_SAMPLE_REGS_USER))
		unwound_add(in, r, &ev->attr, scratch, p);
	return true;
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

void ingest_each_sample(struct ingest *in, sample_fn *fn)
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
	unwound_tell(in);
}
