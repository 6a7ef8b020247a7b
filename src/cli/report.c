#include "cli/report.h"

#include <stdlib.h>

#include "render/render.h"

/* --- columns --------------------------------------------------------------------------------- */

static bool any_stacks(const struct profile *p)
{
	bool any = false;
	for (size_t i = 1; i < p->events.n; i++)
		any |= p->events.v[i].has_stacks;
	return any;
}

static bool only_tracepoints(const struct profile *p)
{
	bool only = p->events.n > 1;
	for (size_t i = 1; i < p->events.n; i++)
		only &= p->events.v[i].tracepoint;
	return only;
}

bool report_prepare(const struct report_setup *s, struct ingest *in, struct hist_options *h,
		    struct err *err)
{
	const struct profile *p = ingest_profile(in);
	struct hist_request columns = s->columns;
	columns.tracepoints = only_tracepoints(p);
	*h = (struct hist_options){.children = columns.children && any_stacks(p),
				   .graphs = s->graph.mode != CALLGRAPH_NONE && any_stacks(p),
				   .caller_first = s->graph.caller_first,
				   .max_depth = s->max_depth,
				   .symbol_part = s->symbol_part};
	if (!hist_fields_set(&h->fields, &columns, err))
		return false;
	if (!h->children)
		hist_fields_no_children(&h->fields, &columns);
	if (s->graph_asked && !h->graphs) {
		err_set(err, ERR_INPUT,
			"the recording has no call chains, so -g has nothing to show");
		return err_hint(err, "record with -g");
	}
	return true;
}

void report_hide_single(struct out *o, const struct filter_options *filter,
			struct hist_fields *fields)
{
	const struct {
		enum hist_field field;
		const char *list, *name;
	} lists[] = {{FIELD_COMM, filter->comms, "comm"},
		     {FIELD_DSO, filter->dsos, "dso"},
		     {FIELD_SYMBOL, filter->symbols, "symbol"}};
	uint32_t mask = 0;
	for (size_t k = 0; k < fields->show_count; k++)
		for (size_t i = 0; i < ARRAY_LEN(lists); i++)
			if (fields->show[k] == lists[i].field && lists[i].list &&
			    filter_list_count(lists[i].list) == 1) {
				mask |= 1u << lists[i].field;
				if (o)
					out_fmt(o, "# %s: %s\n", lists[i].name, lists[i].list);
			}
	hist_fields_hide(fields, mask);
}

/* --- tables ---------------------------------------------------------------------------------- */

struct str *report_last_comms(struct ingest *in)
{
	const struct profile *p = ingest_profile(in);
	struct str *names = mem_calloc(p->threads.n, sizeof *names);
	for (size_t i = 1; i < p->threads.n; i++) {
		const struct profile_thread *t = &p->threads.v[i];
		struct session_who who = session_who_at(ingest_session(in), t->pid, t->tid,
							UINT64_MAX);
		string_id comm = who.comm;
		bool known = who.named && who.process == t->process;
		if (!known && t->pid == t->tid) /* the number is another's by now */
			known = session_last_comm(ingest_session(in), t->process, &comm);
		names[i] = known ? session_str(ingest_session(in), comm) : profile_str(p, t->comm);
	}
	return names;
}

/* The table of an event, beside it those of the other `count` of its group, which follow it. */
static void print_table(struct out *o, struct hist_keys *keys, struct report_options *report,
			size_t event, size_t count)
{
	struct hist hist;
	hist_build(&hist, keys, report->hist, (event_id){(uint32_t)event});
	if (count) {
		struct hist *members = mem_calloc(count, sizeof *members);
		for (size_t i = 0; i < count; i++)
			hist_build(&members[i], keys, report->hist,
				   (event_id){(uint32_t)(event + 1 + i)});
		hist_join(&hist, keys, report->hist, members, count);
	}
	if (hist.total_count)
		report_text_event(o, &hist, keys, report);
	hist_free(&hist);
}

static void print_tables(struct out *o, struct ingest *in, const struct report_setup *s,
			 const struct hist_options *h)
{
	const struct profile *p = ingest_profile(in);
	CLEANUP(mem_free_ptr) struct str *comms = report_last_comms(in);
	struct report_options report = {
		.hist = h,
		.graph = &s->graph,
		.min_percent = s->min_percent,
		.separator = s->separator,
		.times = s->times,
		.quiet = s->quiet,
		.relative = s->relative,
		.dso_filter = s->filter.dsos,
		.skip_first_frame = !s->columns.fields && s->columns.sort &&
				    !strncmp(s->columns.sort, "sym", 3),
	};
	struct hist_keys keys;
	/* With children, an entry's frames must be told apart in call graphs too. */
	bool by_line = h->children && hist_fields_lines(&h->fields);
	enum sym_kind syms = by_line ? MAX(s->graph.syms, SYM_LINE) : s->graph.syms;
	hist_keys_init(&keys, p, &h->fields, syms, comms);
	for (size_t i = 1; i < p->events.n; i++) {
		const struct perfdata_event *ev = perfdata_event(ingest_perfdata(in), i - 1);
		bool leads = ev->members > 1 && !s->no_group;
		size_t others = leads ? MIN(ev->members - 1, p->events.n - 1 - i) : 0;
		report.group_name = ev->group_name;
		print_table(o, &keys, &report, i, others);
		i += others;
	}
	hist_keys_free(&keys);
}

static void print_lost(struct out *o, const struct profile *p)
{
	uint64_t lost = 0;
	for (size_t i = 1; i < p->events.n; i++)
		lost += p->events.v[i].lost;
	out_fmt(o, "#\n# Total Lost Samples: %" PRIu64 "\n#\n", lost);
}

bool report_print(struct out *o, struct ingest *in, const struct report_setup *s,
		  struct hist_options *h, struct diags *d, struct err *err)
{
	const struct profile *p = ingest_profile(in);
	if (hist_fields_sort_by(&h->fields, FIELD_TRACE) && !ingest_by_trace(in, err))
		return false;
	if (!ingest_aggregate(in, err) || !filter_init(&h->filter, p, &s->filter, err))
		return false;
	report_hide_single(o, &s->filter, &h->fields);
	if (!s->quiet)
		print_lost(o, p);
	print_tables(o, in, s, h);
	filter_free(&h->filter);
	if (!p->rows.n)
		diag_add(d, DIAG_NOTE, 1, "the recording has no samples");
	return true;
}

bool report_quality(struct out *o, struct ingest *in, bool json, struct err *err)
{
	const struct profile *p = ingest_profile(in);
	bool any = false;
	if (!any_stacks(p)) {
		err_set(err, ERR_INPUT, "the recording has no call chains to be judged");
		return err_hint(err, "record with -g");
	}
	if (!ingest_aggregate(in, err))
		return false;
	if (json)
		out_cstr(o, "[");
	for (uint32_t i = 1; i < p->events.n; i++) {
		struct quality q;
		if (!p->events.v[i].has_stacks)
			continue;
		quality_measure(p, (event_id){i}, &q);
		if (json)
			out_cstr(o, any ? ",\n" : "\n");
		(json ? quality_json : quality_text)(o, p, (event_id){i}, &q);
		quality_free(&q);
		any = true;
	}
	if (json)
		out_cstr(o, "\n]\n");
	return true;
}
