#include "ingest/event_text.h"

#include <stdlib.h>

#include "ingest/frame_text.h"
#include "ingest/trace_text.h"

#define ROWS_PER_TASK 4096
/* Of input that one batch of tasks may hold in memory: records with copies of stacks are large. */
#define BATCH_BYTES ((uint64_t)32 << 20)

/* All that the formatting tasks share, read-only while they run. */
struct text {
	struct ingest *in;
	const struct profile *profile;
	struct perfdata *pd;
	const struct event_text_options *opt;
	struct diags *diags;
	struct text_fields fields;
	const struct ingest_row *rows;
	size_t row_count;
	size_t name_width;
	bool use_callchains;
	bool unwound; /* user stacks were unwound from copies of memory */
	struct tracefmt *trace;
	struct sample_scratch *scratch; /* one per worker */
	struct out *outs;               /* one per task of a batch */
	size_t batch_first, task_rows;
	size_t released; /* chunks of the input given back */
};

static size_t type_of(const struct attr *a)
{
	return a->type < TEXT_TYPE_OTHER ? a->type : TEXT_TYPE_OTHER;
}

/* --- which fields can be printed ------------------------------------------------------------ */

static const struct {
	uint32_t field;
	uint64_t sample_bits; /* any of these */
	const char *what, *name;
} needs[] = {
	{TEXT_IP, PERF_SAMPLE_IP, "IP", "ip"},
	{TEXT_ADDR, PERF_SAMPLE_ADDR, "ADDR", "addr"},
	{TEXT_WEIGHT, PERF_SAMPLE_WEIGHT | (uint64_t)1 << 24, "WEIGHT", "weight"},
	{TEXT_SYM, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", "sym"},
	{TEXT_DSO, PERF_SAMPLE_IP | PERF_SAMPLE_ADDR, "IP", "dso"},
	{TEXT_SRCLINE, PERF_SAMPLE_IP, "IP", "srcline"},
	{TEXT_PID | TEXT_TID, PERF_SAMPLE_TID, "TID", "tid"},
	{TEXT_TIME, PERF_SAMPLE_TIME, "TIME", "time"},
	{TEXT_CPU, PERF_SAMPLE_CPU, "CPU", "cpu"},
	{TEXT_TRACE, PERF_SAMPLE_RAW, "RAW", "trace"},
	{TEXT_PHYS_ADDR, (uint64_t)1 << 19, "PHYS_ADDR", "phys_addr"},
	{TEXT_DATA_PAGE_SIZE, (uint64_t)1 << 22, "DATA_PAGE_SIZE", "data_page_size"},
	{TEXT_CODE_PAGE_SIZE, (uint64_t)1 << 23, "CODE_PAGE_SIZE", "code_page_size"},
};

static bool is_dummy(const struct attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY;
}

/* A field that the first event of a type cannot give is dropped for the type, unless it was asked
 * for: as perf, which has but one look. */
static bool check_fields(struct text *t, struct err *err)
{
	bool seen[TEXT_TYPES] = {0};
	for (size_t i = 0; i < perfdata_event_count(t->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(t->pd, i);
		size_t type = type_of(&ev->attr);
		if (seen[type] || is_dummy(&ev->attr))
			continue;
		seen[type] = true;
		for (size_t k = 0; k < ARRAY_LEN(needs); k++) {
			uint32_t field = needs[k].field;
			if (!(t->fields.of[type] & field) ||
			    (ev->attr.sample_type & needs[k].sample_bits))
				continue;
			if (!(t->fields.asked[type] & field)) {
				t->fields.of[type] &= ~field;
			} else {
				err_set(err, ERR_INPUT,
					"the samples of event \"%.*s\" have no %s, so -F %s cannot be printed",
					(int)ev->name.n, ev->name.p, needs[k].what, needs[k].name);
				return err_hint(err, "leave the field out with -F -%s",
						needs[k].name);
			}
		}
	}
	return true;
}

/* Tracepoints recorded with stacks show them unless the user chose the fields. */
static void choose_callchains(struct text *t)
{
	/* perf shows less of them when it learns of the event from a pipe. */
	uint32_t stack = TEXT_IP | TEXT_SYM;
	if (!perfdata_header(t->pd)->pipe)
		stack |= TEXT_SYMOFF | TEXT_DSO;
	for (size_t i = 0; i < perfdata_event_count(t->pd); i++) {
		const struct attr *a = &perfdata_event(t->pd, i)->attr;
		if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN) || t->opt->hide_callchains)
			continue;
		t->use_callchains = true;
		t->unwound |= a->sample_type & PERF_SAMPLE_STACK_USER;
		if (a->type == PERF_TYPE_TRACEPOINT && !t->fields.user_set[PERF_TYPE_TRACEPOINT])
			t->fields.of[PERF_TYPE_TRACEPOINT] |= stack;
	}
}

/* --- samples --------------------------------------------------------------------------------- */

static void print_right(struct out *o, struct str s, size_t width)
{
	if (s.n < width)
		out_spaces(o, width - s.n);
	out_str(o, s);
}

static void print_number(struct out *o, uint64_t v, size_t width)
{
	char digits[20];
	print_right(o, str_make(digits, format_u64(digits, v)), width);
}

static void print_id(struct out *o, int32_t id, size_t width)
{
	if (id >= 0)
		print_number(o, (uint32_t)id, width);
	else
		out_fmt(o, "%*d", (int)width, id);
}

static void print_cpu(struct out *o, int32_t cpu)
{
	if (cpu < 0 || cpu > 999) {
		out_fmt(o, "[%03d] ", cpu);
		return;
	}
	char *p = out_room(o, 6);
	p[0] = '[';
	p[1] = (char)('0' + cpu / 100);
	p[2] = (char)('0' + cpu / 10 % 10);
	p[3] = (char)('0' + cpu % 10);
	p[4] = ']';
	p[5] = ' ';
	o->n += 6;
}

static void print_time(struct out *o, const struct text *t, uint64_t ns)
{
	uint64_t sec = ns / 1000000000, rest = ns % 1000000000;
	if (t->opt->nanoseconds) {
		out_fmt(o, "%5" PRIu64 ".%09" PRIu64 ": ", sec, rest);
		return;
	}
	char buf[32];
	size_t n = format_u64(buf, sec);
	buf[n] = '.';
	uint64_t usec = rest / 1000;
	for (size_t i = 6; i > 0; i--, usec /= 10)
		buf[n + i] = (char)('0' + usec % 10);
	print_right(o, str_make(buf, n + 7), 12);
	out_cstr(o, ": ");
}

static void print_misc(struct out *o, uint16_t misc)
{
	static const struct {
		uint16_t bits;
		char letter;
	} modes[] = {{PERF_RECORD_MISC_KERNEL, 'K'},
		     {PERF_RECORD_MISC_USER, 'U'},
		     {PERF_RECORD_MISC_HYPERVISOR, 'H'},
		     {PERF_RECORD_MISC_GUEST_KERNEL, 'G'},
		     {PERF_RECORD_MISC_GUEST_USER, 'g'}};
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if ((misc & modes[i].bits) == modes[i].bits) {
			out_char(o, modes[i].letter);
			n++;
		}
	out_spaces(o, n < 6 ? 6 - n : 1);
}

/* The time as shown: absolute, since the first sample, or since the one before. */
static uint64_t shown_time(const struct text *t, size_t row)
{
	const struct attr *a = &perfdata_event(t->pd, t->rows[row].event)->attr;
	if (!(a->sample_type & PERF_SAMPLE_TIME))
		return UINT64_MAX;
	uint64_t time = t->rows[row].time;
	if (t->opt->delta_time)
		return row ? time - t->rows[row - 1].time : 0;
	return t->opt->relative_time ? time - t->rows[0].time : time;
}

static void print_head(struct out *o, const struct text *t, size_t row, const struct sample *s,
		       uint32_t fields, bool block)
{
	const struct profile_thread *th = &t->profile->threads.v[t->rows[row].thread.v];
	if (fields & TEXT_COMM) {
		print_right(o, profile_str(t->profile, th->comm), block ? 0 : 16);
		out_char(o, ' ');
	}
	if ((fields & TEXT_PID) && (fields & TEXT_TID)) {
		print_id(o, s->who.pid, 5);
		out_fmt(o, "/%-5d ", s->who.tid);
	} else if (fields & (TEXT_PID | TEXT_TID)) {
		print_id(o, fields & TEXT_PID ? s->who.pid : s->who.tid, 5);
		out_char(o, ' ');
	}
	if (fields & TEXT_CPU)
		print_cpu(o, (int32_t)s->who.cpu);
	if (fields & TEXT_MISC)
		print_misc(o, s->misc);
	if (fields & TEXT_TIME)
		print_time(o, t, shown_time(t, row));
}

/* Each frame on a line of its own, what was inlined there before it. */
static void print_stack(struct out *o, const struct text *t, const struct ingest_chain *chain,
			uint32_t fields)
{
	const struct profile *p = t->profile;
	bool expands = ingest_expands(t->in);
	for (size_t i = 0; i < chain->depth; i++) {
		const struct profile_frame *own = profile_frame_at(p, chain->frames[i]);
		struct ingest_chain inner = {0};
		if (UNLIKELY(expands))
			inner = ingest_expanded(t->in, chain, i);
		if (!inner.depth)
			frame_text_line(o, p, chain->frames[i], own->addr, fields);
		for (size_t k = 0; k < inner.depth; k++)
			frame_text_inlined(o, p, inner.frames[k], own, fields);
	}
}

static void print_address(struct out *o, const struct text *t, const struct record *r,
			  const struct sample *s, uint32_t fields)
{
	frame_text_hex(o, s->addr);
	frame_id frame = ingest_address(t->in, r->offset);
	if (frame.v)
		frame_text_place(o, t->profile, frame, fields);
}

static void print_details(struct out *o, const struct text *t, const struct record *r,
			  const struct sample *s, uint32_t fields)
{
	if (fields & TEXT_ADDR)
		print_address(o, t, r, s, fields);
	if (fields & TEXT_WEIGHT)
		out_fmt(o, "%16" PRIu64, s->weight);
}

/* The sample of a row: of its own event, or one of several in a record of its leader's. */
static bool read_row(const struct text *t, const struct ingest_row *r,
		     struct sample_scratch *scratch, struct record *rec, struct sample *s)
{
	if (LIKELY(!r->split))
		return perfdata_record_at(t->pd, r->offset, rec) &&
		       record_sample(rec, &perfdata_event(t->pd, r->event)->attr, scratch, s);
	struct ingest_split split = ingest_split(t->in, r);
	const struct perfdata_event *leader;
	if (!perfdata_record_at(t->pd, split.offset, rec) ||
	    !(leader = perfdata_event_of(t->pd, rec)) ||
	    !record_sample(rec, &leader->attr, scratch, s))
		return false;
	s->period = split.period;
	return true;
}

static void print_row(struct out *o, struct text *t, size_t row, unsigned worker)
{
	const struct ingest_row *r = &t->rows[row];
	const struct perfdata_event *ev = perfdata_event(t->pd, r->event);
	struct record rec;
	struct sample s;
	if (!read_row(t, r, &t->scratch[worker], &rec, &s))
		return; /* it could be read in pass 2 */
	uint32_t fields = t->fields.of[type_of(&ev->attr)];
	bool has_chain = ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	bool block = (fields & TEXT_IP) && has_chain && t->use_callchains;

	print_head(o, t, row, &s, fields, block);
	if (fields & TEXT_PERIOD) {
		print_number(o, s.period, 10);
		out_char(o, ' ');
	}
	if (fields & TEXT_EVENT) {
		print_right(o, ev->name, t->name_width);
		out_cstr(o, ": ");
	}
	if ((fields & TEXT_TRACE) && s.raw && t->trace)
		(void)tracefmt_print(t->trace, o, s.raw, s.raw_size);
	print_details(o, t, &rec, &s, fields);
	if (fields & TEXT_IP) {
		struct ingest_chain chain = ingest_chain(t->in, r->chain);
		out_char(o, block ? '\n' : ' ');
		if (block)
			print_stack(o, t, &chain, fields | (t->unwound ? TEXT_NO_LINE : 0));
		else
			frame_text(o, t->profile, chain.leaf, s.ip, fields);
	}
	if (fields & TEXT_PHYS_ADDR)
		frame_text_hex(o, s.phys_addr);
	out_char(o, '\n');
}

/* The frames of a row to come: the tables are larger than the caches. */
static void prefetch_row(const struct text *t, size_t row)
{
	struct ingest_chain chain = ingest_chain(t->in, t->rows[row].chain);
	for (size_t i = 0; i < chain.depth; i++)
		__builtin_prefetch(profile_frame_at(t->profile, chain.frames[i]));
}

static void row_task(void *ctx, size_t i, unsigned worker)
{
	struct text *t = ctx;
	size_t first = t->batch_first + i * t->task_rows;
	size_t end = MIN(first + t->task_rows, t->row_count);
	struct out *o = &t->outs[i];
	o->n = 0;
	for (size_t row = first; row < end; row++) {
		if (row + 2 < end)
			prefetch_row(t, row + 2);
		print_row(o, t, row, worker);
	}
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool in_list(const char *list, struct str name)
{
	struct str rest = str_of(list), tail;
	while (rest.p) {
		if (str_eq(str_split(rest, ',', &tail), name))
			return true;
		rest = tail;
	}
	return false;
}

/* -S and --dsos, which need names and so come after symbolizing. */
static bool wanted_row(const struct text *t, const struct ingest_row *r)
{
	const struct profile *p = t->profile;
	frame_id leaf = ingest_chain(t->in, r->chain).leaf;
	if (t->opt->symbols && !in_list(t->opt->symbols, profile_frame_name(p, leaf)))
		return false;
	if (!t->opt->dsos)
		return true;
	const struct profile_object *o = &p->objects.v[profile_frame_at(p, leaf)->object.v];
	return in_list(t->opt->dsos, profile_str(p, o->name)) ||
	       in_list(t->opt->dsos, profile_str(p, o->path));
}

static void filter_rows(struct text *t, struct ingest_row *kept)
{
	size_t n = 0;
	for (size_t i = 0; i < t->row_count; i++)
		if (wanted_row(t, &t->rows[i]))
			kept[n++] = t->rows[i];
	t->rows = kept;
	t->row_count = n;
}

static uint64_t row_offset(const struct text *t, const struct ingest_row *r)
{
	return r->split ? ingest_split(t->in, r).offset : r->offset;
}

/* The input's pages before the earliest record of this batch are hardly needed again. */
static void release_behind(struct text *t, size_t rows)
{
	uint64_t lowest = UINT64_MAX;
	for (size_t i = 0; i < rows; i++)
		lowest = MIN(lowest, row_offset(t, &t->rows[t->batch_first + i]));
	while (t->released < perfdata_chunk_count(t->pd) &&
	       perfdata_chunk_end(t->pd, t->released) <= lowest)
		perfdata_release(t->pd, t->released++);
}

static size_t rows_per_task(const struct text *t, size_t batch)
{
	size_t chunks = perfdata_chunk_count(t->pd);
	uint64_t input = chunks ? perfdata_chunk_end(t->pd, chunks - 1) : 0;
	uint64_t rows = BATCH_BYTES / (input / MAX(t->row_count, 1) + 1) / batch;
	return (size_t)MIN(MAX(rows, 64), ROWS_PER_TASK);
}

static void print_batches(struct out *o, struct text *t, struct pool *pool)
{
	size_t batch = 4 * (size_t)pool_threads(pool);
	t->task_rows = rows_per_task(t, batch);
	size_t batch_rows = batch * t->task_rows;
	t->outs = mem_calloc(batch, sizeof *t->outs);
	for (size_t i = 0; i < batch; i++)
		out_memory(&t->outs[i]);
	for (size_t first = 0; first < t->row_count && !o->error; first += batch_rows) {
		size_t left = t->row_count - first;
		size_t tasks = MIN(batch, (left + t->task_rows - 1) / t->task_rows);
		t->batch_first = first;
		pool_run(pool, tasks, row_task, t);
		for (size_t i = 0; i < tasks; i++)
			out_str(o, out_text(&t->outs[i]));
		release_behind(t, MIN(batch_rows, left));
	}
	for (size_t i = 0; i < batch; i++)
		(void)out_finish(&t->outs[i]);
	free(t->outs);
}

bool event_text_print(struct out *o, struct ingest *in, const struct ingest_rows *rows,
		      const struct event_text_options *opt, struct diags *d, struct err *err)
{
	struct text t = {.in = in,
			 .profile = ingest_profile(in),
			 .pd = ingest_perfdata(in),
			 .opt = opt,
			 .diags = d,
			 .fields = opt->fields,
			 .rows = rows->v,
			 .row_count = rows->n};
	choose_callchains(&t);
	if (!check_fields(&t, err))
		return false;
	struct pool *pool = ingest_pool(in);
	unsigned workers = pool_threads(pool);
	t.scratch = mem_calloc(workers, sizeof *t.scratch);
	bool ok = (!(t.fields.of[PERF_TYPE_TRACEPOINT] & TEXT_TRACE) ||
		   trace_text_open(in, &t.trace, d, err));
	for (size_t i = 0; i < perfdata_event_count(t.pd); i++)
		t.name_width = MAX(t.name_width, perfdata_event(t.pd, i)->name.n);
	struct ingest_row *kept = NULL;
	if (ok) {
		if (opt->symbols || opt->dsos) {
			kept = mem_calloc(rows->n, sizeof *kept);
			filter_rows(&t, kept);
		}
		print_batches(o, &t, pool);
	}
	for (unsigned i = 0; i < workers; i++)
		sample_scratch_free(&t.scratch[i]);
	free(t.scratch);
	tracefmt_free(t.trace);
	free(kept);
	return ok;
}
