#include "ingest/event_json.h"

#include <time.h>

#include "base/json.h"

struct writer {
	struct out *o;
	struct ingest *in;
	struct perfdata *pd;
	const struct profile *profile;
	struct sample_scratch scratch;
	bool cpus; /* some event has them */
};

/* --- pieces ----------------------------------------------------------------------------------- */

static void put_line(struct out *o, bool comma, size_t depth)
{
	if (comma)
		out_char(o, ',');
	out_char(o, '\n');
	while (depth--)
		out_char(o, '\t');
}

static void put_key(struct out *o, bool comma, size_t depth, const char *key)
{
	put_line(o, comma, depth);
	out_fmt(o, "\"%s\": ", key);
}

static void put_text(struct out *o, bool comma, size_t depth, const char *key, struct str value)
{
	put_key(o, comma, depth, key);
	json_string(o, value);
}

static void put_number(struct out *o, size_t depth, const char *key, uint64_t value)
{
	put_key(o, true, depth, key);
	out_u64(o, value);
}

/* --- the header ------------------------------------------------------------------------------- */

static void put_clock(const struct writer *w)
{
	struct str data = perfdata_feature(w->pd, FEAT_CLOCK_DATA);
	struct cursor c = cursor_of(data.p, data.n, perfdata_header(w->pd)->swapped);
	(void)cursor_u32(&c); /* version */
	uint32_t clock = cursor_u32(&c);
	uint64_t wall = cursor_u64(&c), time = cursor_u64(&c);
	if (c.bad)
		return;
	put_number(w->o, 2, "clockid", clock);
	put_number(w->o, 2, "clock-time", time);
	put_number(w->o, 2, "real-time", wall);
}

static void put_header(const struct writer *w)
{
	const struct perfdata_header *h = perfdata_header(w->pd);
	struct out *o = w->o;
	char date[64];
	time_t when = (time_t)h->captured_on;
	struct tm utc;
	put_key(o, false, 2, "header-version");
	out_u64(o, 1);
	if (gmtime_r(&when, &utc) && strftime(date, sizeof date, "%FT%TZ", &utc))
		put_text(o, true, 2, "captured-on", str_of(date));
	put_number(o, 2, "data-offset", h->data_offset);
	put_number(o, 2, "data-size", h->data_size);
	put_number(o, 2, "feat-offset", h->feature_offset);
	put_text(o, true, 2, "hostname", str_of(h->hostname));
	put_text(o, true, 2, "os-release", str_of(h->os_release));
	put_text(o, true, 2, "arch", str_of(h->arch));
	if (h->cpu_desc)
		put_text(o, true, 2, "cpu-desc", str_of(h->cpu_desc));
	put_text(o, true, 2, "cpuid", str_of(h->cpu_id));
	put_number(o, 2, "nrcpus-online", h->cpus_online);
	put_number(o, 2, "nrcpus-avail", h->cpus_available);
	if (perfdata_has(h, FEAT_CLOCK_DATA))
		put_clock(w);
	put_text(o, true, 2, "perf-version", str_of(h->version));
	put_key(o, true, 2, "cmdline");
	out_char(o, '[');
	for (size_t i = 0; i < h->cmdline_count; i++) {
		put_line(o, i != 0, 3);
		json_string(o, str_of(h->cmdline[i]));
	}
	put_line(o, false, 2);
	out_char(o, ']');
}

/* --- samples ---------------------------------------------------------------------------------- */

static void put_frame(const struct writer *w, bool comma, uint64_t ip, frame_id frame)
{
	const struct profile *p = w->profile;
	struct out *o = w->o;
	const struct profile_frame *fr = profile_frame_at(p, frame);
	struct str name = profile_str(p, p->funcs.v[fr->func.v].name);
	put_line(o, comma, 4);
	out_char(o, '{');
	put_key(o, false, 5, "ip");
	out_cstr(o, "\"0x");
	out_hex(o, ip);
	out_char(o, '"');
	if (frame.v && name.n) {
		struct str dso = profile_str(p, p->objects.v[fr->object.v].name);
		put_text(o, true, 5, "symbol", name);
		if (dso.n)
			put_text(o, true, 5, "dso", dso);
	}
	put_line(o, false, 4);
	out_char(o, '}');
}

/* The chain as it was recorded; its frames are those words that are no markers, one by one. */
static void put_stack(const struct writer *w, const struct ingest_row *row, const struct sample *s,
		      bool has_chain)
{
	struct ingest_chain chain = ingest_chain(w->in, row->chain);
	if (!has_chain) {
		put_frame(w, false, s->ip, chain.leaf);
		return;
	}
	size_t n = 0;
	for (size_t i = 0; i < s->chain_count; i++) {
		uint64_t ip = s->chain[i];
		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			continue;
		put_frame(w, n > 0, ip, n < chain.depth ? chain.frames[n] : (frame_id){0});
		n++;
	}
}

static bool read_row(struct writer *w, const struct ingest_row *row, struct sample *s,
		     const struct perfdata_event **ev)
{
	struct record r;
	uint64_t offset = row->split ? ingest_split(w->in, row).offset : row->offset;
	if (!perfdata_record_at(w->pd, offset, &r))
		return false;
	*ev = row->split ? perfdata_event_of(w->pd, &r) : perfdata_event(w->pd, row->event);
	return *ev && record_sample(&r, &(*ev)->attr, &w->scratch, s);
}

static bool put_sample(struct writer *w, bool comma, const struct ingest_row *row)
{
	struct sample s;
	const struct perfdata_event *ev;
	struct out *o = w->o;
	if (!read_row(w, row, &s, &ev))
		return false;
	const struct profile_thread *t = &w->profile->threads.v[row->thread.v];
	put_line(o, comma, 2);
	out_char(o, '{');
	put_key(o, false, 3, "timestamp");
	out_i64(o, (int64_t)s.who.time);
	put_key(o, true, 3, "pid");
	out_i64(o, t->pid);
	put_key(o, true, 3, "tid");
	out_i64(o, t->tid);
	if (w->cpus) {
		put_key(o, true, 3, "cpu");
		out_i64(o, (int32_t)s.who.cpu);
	}
	put_text(o, true, 3, "comm", profile_str(w->profile, t->comm));
	put_key(o, true, 3, "callchain");
	out_char(o, '[');
	put_stack(w, row, &s, ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	put_line(o, false, 3);
	out_char(o, ']');
	put_line(o, false, 2);
	out_char(o, '}');
	return true;
}

uint64_t event_json_print(struct out *o, struct ingest *in, const struct ingest_rows *rows)
{
	struct writer w = {
		.o = o, .in = in, .pd = ingest_perfdata(in), .profile = ingest_profile(in)};
	uint64_t printed = 0;
	for (size_t i = 0; i < perfdata_event_count(w.pd); i++)
		w.cpus |= perfdata_event(w.pd, i)->attr.sample_type & PERF_SAMPLE_CPU;
	out_char(o, '{');
	put_key(o, false, 1, "linux-perf-json-version");
	out_cstr(o, "1");
	put_key(o, true, 1, "headers");
	out_char(o, '{');
	put_header(&w);
	put_line(o, false, 1);
	out_char(o, '}');
	put_key(o, true, 1, "samples");
	out_char(o, '[');
	for (size_t i = 0; i < rows->n; i++)
		printed += put_sample(&w, printed > 0, &rows->v[i]);
	put_line(o, false, 1);
	out_cstr(o, "]\n}\n");
	sample_scratch_free(&w.scratch);
	return printed;
}
