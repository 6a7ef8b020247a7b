#include "cli/diff.h"

#include <stdlib.h>

#include "analyze/stack_texts.h"
#include "cli/load.h"
#include "cli/report.h"
#include "profile/merge.h"

/* An event of a file: where its samples are, and what makes it the same as one of another file. */
struct side_event {
	event_id event; /* in the joined profile */
	bool attr;      /* type and config are known */
	uint32_t type;
	uint64_t config;
	bool seen;
};

struct side {
	VEC(struct side_event) events;
};

struct joined {
	struct profile *profile;
	struct side *sides; /* by file */
	struct stack_texts stacks;
	VEC(struct str) comms; /* by thread: what it was called at last */
	struct hist_options hist;
};

/* --- reading --------------------------------------------------------------------------------- */

/* Names outlive the file they are from. */
static void keep_comms(struct joined *j, const struct loaded *l, const thread_id *threads)
{
	const struct profile *p = j->profile;
	for (size_t i = j->comms.n; i < p->threads.n; i++)
		vec_push(&j->comms, profile_str(p, p->threads.v[i].comm));
	if (!l->ingest)
		return;
	CLEANUP(mem_free_ptr) struct str *names = report_last_comms(l->ingest);
	for (size_t i = 1; i < l->profile->threads.n; i++) {
		string_id name = strtab_intern(&j->profile->strings, names[i]);
		j->comms.v[threads[i].v] = profile_str(j->profile, name);
	}
}

static bool add_rows(struct joined *j, const struct diff_setup *s, const struct loaded *l,
		     uint32_t *events, struct err *err)
{
	if (s->by == DIFF_BY_STACK) {
		struct filter filter;
		if (!filter_init(&filter, l->profile, &s->filter, err))
			return false;
		*events = stack_texts_add(&j->stacks, j->profile, l->profile, &filter,
					  l->kind == INPUT_FOLDED);
		filter_free(&filter);
		return true;
	}
	CLEANUP(mem_free_ptr)
	thread_id *threads = mem_calloc(l->profile->threads.n, sizeof *threads);
	*events = profile_merge(j->profile, l->profile, threads);
	keep_comms(j, l, threads);
	return true;
}

static void add_events(struct side *side, const struct loaded *l, uint32_t first)
{
	for (uint32_t i = 1; i < l->profile->events.n; i++) {
		struct side_event e = {.event = {first + i}, .attr = l->ingest != NULL};
		if (l->ingest) {
			const struct attr *a =
				&perfdata_event(ingest_perfdata(l->ingest), i - 1)->attr;
			e.type = a->type;
			e.config = a->config;
		}
		vec_push(&side->events, e);
	}
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Folded text has one number per stack, which may be samples or a sum of periods. Where all are
 * multiples of one number, that was the period. */
static void count_samples(struct profile *p)
{
	uint64_t period = 0;
	for (size_t i = 0; i < p->rows.n; i++)
		period = greatest_divisor(p->rows.v[i].weight, period);
	for (size_t i = 0; i < p->rows.n && period; i++)
		p->rows.v[i].count = p->rows.v[i].weight / period;
}

static bool read_file(struct joined *j, const struct diff_setup *s, size_t file, struct diags *d,
		      struct err *err)
{
	struct input_options in = *s->in;
	in.input = s->files[file];
	in.times = s->times[file];
	struct load_options how = {
		.input = &in,
		.detail = s->by == DIFF_BY_STACK ? IMPORT_BY_COMM : IMPORT_BY_THREAD,
		.no_callchains = s->by != DIFF_BY_STACK,
		.lines = hist_fields_lines(&j->hist.fields),
		.by_cpu = hist_fields_sort_by(&j->hist.fields, FIELD_CPU),
		.by_trace = s->by != DIFF_BY_STACK &&
			    hist_fields_sort_by(&j->hist.fields, FIELD_TRACE),
		.merge_threads = !s->filter.pids && !s->filter.tids &&
				 !hist_fields_sort_by(&j->hist.fields, FIELD_PID) &&
				 !hist_fields_sort_by(&j->hist.fields, FIELD_TID)};
	struct loaded l;
	if (!load_input(&l, &how, d, err))
		return false;
	if (l.kind == INPUT_FOLDED)
		count_samples(l.owned);
	uint32_t events = 0;
	bool ok = add_rows(j, s, &l, &events, err);
	if (ok)
		add_events(&j->sides[file], &l, events);
	load_close(&l);
	return ok;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* perf goes by type and configuration alone: cycles:u is compared with cycles:k. Texts have only
 * names. */
static bool same_event(const struct profile *p, const struct side_event *a,
		       const struct side_event *b)
{
	if (a->attr && b->attr)
		return a->type == b->type && a->config == b->config;
	return p->events.v[a->event.v].name.v == p->events.v[b->event.v].name.v;
}

static void find_files(struct joined *j, const struct side_event *base, struct diff_file *files,
		       size_t count)
{
	files[0] = (struct diff_file){.event = base->event};
	for (size_t i = 1; i < count; i++) {
		files[i] = (struct diff_file){0};
		for (size_t k = 0; k < j->sides[i].events.n && !files[i].event.v; k++) {
			struct side_event *e = &j->sides[i].events.v[k];
			if (!same_event(j->profile, base, e))
				continue;
			files[i] = (struct diff_file){.event = e->event, .seen = e->seen};
			e->seen = true;
		}
	}
}

static void print_events(struct out *o, struct joined *j, const struct diff_setup *s)
{
	struct hist_keys keys;
	hist_keys_init(&keys, j->profile, &j->hist.fields, SYM_FUNCTION,
		       s->by == DIFF_BY_STACK ? NULL : j->comms.v);
	struct diff_file *files = mem_calloc(s->count, sizeof *files);
	for (size_t i = 0; i < j->sides[0].events.n; i++) {
		find_files(j, &j->sides[0].events.v[i], files, s->count);
		struct diff diff;
		diff_build(&diff, &keys, &j->hist, files, s->count, &s->diff);
		diff_text_event(o, &diff, &keys, &j->hist, &s->text, i == 0);
		diff_free(&diff);
	}
	free(files);
	hist_keys_free(&keys);
}

static bool set_filter(struct joined *j, const struct diff_setup *s, struct err *err)
{
	if (s->by != DIFF_BY_STACK) {
		report_hide_single(NULL, &s->filter, &j->hist.fields);
		return filter_init(&j->hist.filter, j->profile, &s->filter, err);
	}
	j->hist.filter.frame_hidden = mem_calloc(j->profile->frames.n,
						 sizeof *j->hist.filter.frame_hidden);
	j->hist.filter.frame_hidden[j->stacks.hidden.v] = true;
	return true;
}

bool diff_print(struct out *o, struct diff_setup *s, struct diags *d, struct err *err)
{
	struct joined j = {.profile = profile_new(),
			   .sides = mem_calloc(s->count, sizeof *j.sides)};
	struct hist_request columns = {.fields = s->keys};
	bool ok = hist_fields_set(&j.hist.fields, &columns, err);
	j.hist.fields.by_name = true;
	j.stacks = stack_texts_begin(j.profile);
	for (size_t i = 0; ok && i < s->count; i++)
		ok = read_file(&j, s, i, d, err);
	ok = ok && set_filter(&j, s, err);
	if (ok) {
		profile_seal(j.profile);
		print_events(o, &j, s);
	}
	filter_free(&j.hist.filter);
	for (size_t i = 0; i < s->count; i++)
		vec_free(&j.sides[i].events);
	free(j.sides);
	vec_free(&j.comms);
	profile_free(j.profile);
	return ok;
}
