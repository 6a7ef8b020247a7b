/*
 * sched_stat_* events tell how long a thread slept, on the stack of whoever woke it; sched_switch
 * tells where it went to sleep. Merged, a sample of the latter has the former's time and period.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "cli/inject.h"
#include "event/tracefmt.h"

enum sched_kind { SCHED_OTHER, SCHED_SWITCH, SCHED_EXIT, SCHED_STAT };

/* Something that happened to a thread. */
struct sched_event {
	uint64_t time;
	struct record record;
	int32_t tid;
	uint8_t kind;
};

struct sched_merge {
	struct perfdata *pd;
	struct tracefmt *formats;
	VEC(uint8_t) kinds; /* per event: enum sched_kind */
	VEC(struct sched_event) events;
	struct u64map sleeps; /* offset of a sched_stat -> index + 1 of its switch; 0: none */
	struct out patched;
	uint64_t *dropped;
};

static enum sched_kind kind_of(struct str name)
{
	if (str_is(name, "sched:sched_switch"))
		return SCHED_SWITCH;
	if (str_is(name, "sched:sched_process_exit"))
		return SCHED_EXIT;
	return str_starts(name, "sched:sched_stat_") ? SCHED_STAT : SCHED_OTHER;
}

/* The thread that a sample of the scheduler is about. */
static bool sched_thread(const struct sched_merge *m, enum sched_kind kind, const struct sample *s,
			 int32_t *tid)
{
	int64_t pid;
	*tid = s->who.tid;
	if (kind != SCHED_STAT)
		return true;
	if (!s->raw || !tracefmt_number(m->formats, s->raw, s->raw_size, "pid", &pid))
		return false;
	*tid = (int32_t)pid;
	return true;
}

static void collect(struct sched_merge *m)
{
	struct perfdata_iter it;
	struct record r;
	struct sample_scratch scratch = {0};
	perfdata_iter_init(&it, m->pd, 0, perfdata_chunk_count(m->pd));
	while (perfdata_next(&it, &r)) {
		const struct perfdata_event *ev = r.type == PERF_RECORD_SAMPLE
							  ? perfdata_event_of(m->pd, &r)
							  : NULL;
		struct sched_event e = {.record = r};
		struct sample s;
		e.kind = ev ? m->kinds.v[perfdata_event_index(m->pd, ev)] : SCHED_OTHER;
		if (e.kind == SCHED_OTHER || !record_sample(&r, &ev->attr, &scratch, &s) ||
		    !sched_thread(m, e.kind, &s, &e.tid))
			continue;
		e.time = s.who.time;
		vec_push(&m->events, e);
	}
	sample_scratch_free(&scratch);
}

static int compare_events(const void *a, const void *b)
{
	const struct sched_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->record.offset < y->record.offset ? -1 : x->record.offset > y->record.offset;
}

/* Records of different CPUs are in any order: which switch a thread made last, only time tells. */
static void replay(struct sched_merge *m)
{
	struct u64map asleep = {0}; /* thread -> index + 1 of its last switch */
	if (m->events.n)
		qsort(m->events.v, m->events.n, sizeof *m->events.v, compare_events);
	for (size_t i = 0; i < m->events.n; i++) {
		const struct sched_event *e = &m->events.v[i];
		uint32_t *last = u64map_get(&asleep, (uint32_t)e->tid);
		if (e->kind == SCHED_STAT)
			u64map_put(&m->sleeps, e->record.offset, last ? *last : 0);
		else
			u64map_put(&asleep, (uint32_t)e->tid,
				   e->kind == SCHED_SWITCH ? (uint32_t)i + 1 : 0);
	}
	u64map_free(&asleep);
}

struct sched_merge *sched_merge_new(struct inject *j, struct err *err)
{
	struct sched_merge *m = mem_zalloc(sizeof *m);
	bool seen[SCHED_STAT + 1] = {0};
	m->pd = j->pd;
	m->dropped = &j->dropped;
	out_memory(&m->patched);
	for (size_t i = 0; i < perfdata_event_count(j->pd); i++) {
		enum sched_kind kind = kind_of(perfdata_event(j->pd, i)->name);
		vec_push(&m->kinds, (uint8_t)kind);
		seen[kind] = true;
	}
	if (!seen[SCHED_SWITCH] || !seen[SCHED_STAT]) {
		err_set(err, ERR_INPUT, "the recording has no sched_switch and sched_stat events");
		err_hint(err, "record with -e sched:sched_switch -e 'sched:sched_stat_*'");
	} else {
		m->formats = tracefmt_new(perfdata_header(j->pd)->tracing_data, j->diags, err);
	}
	if (!m->formats) {
		sched_merge_free(m);
		return NULL;
	}
	collect(m);
	replay(m);
	return m;
}

void sched_merge_free(struct sched_merge *m)
{
	if (!m)
		return;
	tracefmt_free(m->formats);
	vec_free(&m->kinds);
	vec_free(&m->events);
	u64map_free(&m->sleeps);
	(void)out_finish(&m->patched);
	free(m);
}

/* Where a word of a sample lies, counted from its body; SIZE_MAX: it has none. Both come before
 * anything of varying length. */
static size_t word_of(const struct attr *a, uint64_t field)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD};
	size_t at = 0;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (order[i] == field)
			return a->sample_type & field ? at : SIZE_MAX;
		at += a->sample_type & order[i] ? 8 : 0;
	}
	return SIZE_MAX;
}

static void patch(struct out *o, size_t at, uint64_t v)
{
	if (at != SIZE_MAX && 8 + at + 8 <= o->n)
		memcpy(o->buf + 8 + at, &v, sizeof v);
}

/* The switch, with the time and period of what tells how long it lasted. */
static void merge(struct sched_merge *m, const struct record *sleep, const struct sample *s)
{
	const struct attr *a = &perfdata_event_of(m->pd, sleep)->attr;
	m->patched.n = 0;
	out_bytes(&m->patched, sleep->body - 8, sleep->size);
	patch(&m->patched, word_of(a, PERF_SAMPLE_TIME), s->who.time);
	patch(&m->patched, word_of(a, PERF_SAMPLE_PERIOD), s->period);
}

void sched_merge_sample(struct sched_merge *m, const struct record *r, const uint8_t **out,
			size_t *size)
{
	const struct perfdata_event *ev = perfdata_event_of(m->pd, r);
	struct sample_scratch scratch = {0};
	struct sample s;
	enum sched_kind kind = ev ? m->kinds.v[perfdata_event_index(m->pd, ev)] : SCHED_OTHER;
	*out = r->body - 8;
	*size = r->size;
	if (kind != SCHED_SWITCH && kind != SCHED_STAT)
		return;
	*size = 0;
	if (kind == SCHED_SWITCH)
		return;
	const uint32_t *sleep = u64map_get(&m->sleeps, r->offset);
	if (sleep && *sleep && record_sample(r, &ev->attr, &scratch, &s)) {
		merge(m, &m->events.v[*sleep - 1].record, &s);
		*out = (const uint8_t *)m->patched.buf;
		*size = m->patched.n;
	} else {
		(*m->dropped)++;
	}
	sample_scratch_free(&scratch);
}
