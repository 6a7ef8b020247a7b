#include "render/report_text.h"

struct columns {
	struct out *o;
	const struct hist *h;
	const struct hist_keys *keys;
	const struct report_options *opt;
	const struct hist_fields *fields;
	uint64_t total; /* 100 % */
	size_t width[FIELD_COUNT];
	struct out line; /* of one entry */
	struct number {
		uint64_t value;
		size_t n;
		char text[48];
	} last[FIELD_COUNT - FIELD_OVERHEAD]; /* each column's latest number */
};

/* Letters of enum code_kind, as perf prints them. */
static const char kind_letters[] = {'.', 'k', 'g', 'u', 'H'};

#define ADDRESS_DIGITS 16

static struct str dso_name(const struct profile *p, const struct profile_frame *fr)
{
	if (!fr->object.v)
		return STR("[unknown]");
	return profile_str(p, p->objects.v[fr->object.v].name);
}

/* --- widths ---------------------------------------------------------------------------------- */

static const char *header_of(const struct columns *c, enum hist_field f)
{
	if (f == FIELD_TRACE && c->opt->trace_header)
		return c->opt->trace_header;
	return f == FIELD_OVERHEAD && c->fields->self ? "Self" : hist_field_header(f);
}

static void widen(struct columns *c, enum hist_field f, size_t width)
{
	c->width[f] = MAX(c->width[f], width);
}

static void widen_for(struct columns *c, const struct hist_entry *e)
{
	const struct profile *p = c->keys->p;
	const struct profile_frame *fr = profile_frame_at(p, hist_keys_frame(c->keys, e->sym));
	string_id name = p->funcs.v[fr->func.v].name;
	/* "[.] " before names; perf counts the last name of a thread, not the one it shows. */
	widen(c, FIELD_SYMBOL, 4 + (name.v ? profile_str(p, name).n : 2 + ADDRESS_DIGITS));
	size_t in_place = c->keys->place_frame[e->place];
	widen(c, FIELD_SRCLINE, profile_str(p, p->frames.v[in_place].srcline).n);
	if (c->keys->files)
		widen(c, FIELD_SRCFILE, profile_str(p, c->keys->files[in_place]).n);
	widen(c, FIELD_COMM, hist_keys_last_comm(c->keys, e->thread).n);
	if (fr->object.v)
		widen(c, FIELD_DSO, dso_name(p, fr).n);
	if (!name.v && !c->opt->separator && !c->opt->dso_filter)
		widen(c, FIELD_DSO, ADDRESS_DIGITS);
	/* perf forms the texts when it compares samples: not for a single one. */
	if (c->h->total_count > 1 || c->opt->trace_header)
		widen(c, FIELD_TRACE, profile_str(p, c->keys->whos.v[e->who].trace).n);
}

/* The order of entries has nothing to do with where they lie in memory. */
static void prefetch(const struct columns *c, size_t i)
{
	size_t n = c->h->order_count;
	if (i + 16 < n)
		__builtin_prefetch(&c->h->entries.v[c->h->order[i + 16]]);
	if (i + 8 < n) {
		uint32_t sym = c->h->entries.v[c->h->order[i + 8]].sym;
		__builtin_prefetch(profile_frame_at(c->keys->p, hist_keys_frame(c->keys, sym)));
	}
}

static void measure(struct columns *c)
{
	for (size_t i = 0; i < c->h->order_count; i++) {
		prefetch(c, i);
		widen_for(c, &c->h->entries.v[c->h->order[i]]);
	}
	if (c->h->order_count) {
		c->width[FIELD_PID] = c->width[FIELD_TID] = c->width[FIELD_COMM] + 8;
		widen(c, FIELD_CPU, 3);
	}
	for (size_t f = 0; f < FIELD_COUNT; f++) {
		widen(c, (enum hist_field)f,
		      hist_field_width((enum hist_field)f) * (1 + c->h->member_count));
		widen(c, (enum hist_field)f, strlen(header_of(c, (enum hist_field)f)));
	}
}

/* --- heading --------------------------------------------------------------------------------- */

/* "1K", "815 ": perf cuts, it does not round. */
static void print_short(struct out *o, uint64_t n)
{
	static const char units[] = " KMG";
	size_t unit = 0;
	for (; n > 1000 && units[unit + 1]; unit++)
		n /= 1000;
	out_u64(o, n);
	out_char(o, units[unit]);
}

static void print_names(struct columns *c)
{
	const struct profile *p = c->keys->p;
	const struct hist *h = c->h;
	out_cstr(c->o, h->member_count ? " of events '" : " of event '");
	if (h->member_count) {
		out_str(c->o, c->opt->group_name.n ? c->opt->group_name : STR("anon group"));
		out_cstr(c->o, " { ");
	}
	out_str(c->o, profile_str(p, p->events.v[h->event.v].name));
	for (size_t m = 0; m < h->member_count; m++) {
		out_cstr(c->o, ", ");
		out_str(c->o, profile_str(p, p->events.v[h->members[m].event.v].name));
	}
	out_cstr(c->o, h->member_count ? " }'" : "'");
}

static void print_event(struct columns *c)
{
	const struct hist *h = c->h;
	uint64_t count = c->opt->relative ? h->shown_count : h->total_count;
	uint64_t weight = c->total;
	for (size_t m = 0; m < h->member_count; m++) {
		const struct hist *member = &h->members[m];
		count += c->opt->relative ? member->shown_count : member->total_count;
		weight += c->opt->relative ? member->shown_weight : member->total_weight;
	}
	out_cstr(c->o, "# Samples: ");
	print_short(c->o, count);
	print_names(c);
	if (c->opt->times)
		out_fmt(c->o, " (time slices: %s)", c->opt->times);
	out_fmt(c->o, "\n# Event count (approx.): %" PRIu64 "\n#\n", weight);
}

static void put_between(const struct columns *c, struct out *o, bool *first)
{
	if (!*first)
		out_cstr(o, c->opt->separator ? c->opt->separator : "  ");
	*first = false;
}

static void put_dots(struct out *o, size_t n)
{
	while (n--)
		out_char(o, '.');
}

static void print_heading(struct columns *c)
{
	const struct report_extra *extra = &c->opt->extra;
	bool first = true;
	out_cstr(c->o, "# ");
	for (size_t i = 0; i < extra->count; i++) {
		put_between(c, c->o, &first);
		out_spaces(c->o, extra->columns[i].width - strlen(extra->columns[i].header));
		out_cstr(c->o, extra->columns[i].header);
	}
	for (size_t i = 0; i < c->fields->show_count; i++) {
		enum hist_field f = c->fields->show[i];
		if (!hist_field_shown(c->fields, f))
			continue;
		put_between(c, c->o, &first);
		size_t pad = c->width[f] - strlen(header_of(c, f));
		if (!hist_field_is_key(f))
			out_spaces(c->o, pad);
		out_cstr(c->o, header_of(c, f));
		if (hist_field_is_key(f))
			out_spaces(c->o, pad);
	}
	out_char(c->o, '\n');
	if (c->opt->separator)
		return;
	first = true;
	out_cstr(c->o, "# ");
	for (size_t i = 0; i < extra->count; i++) {
		put_between(c, c->o, &first);
		put_dots(c->o, extra->columns[i].width);
	}
	for (size_t i = 0; i < c->fields->show_count; i++) {
		enum hist_field f = c->fields->show[i];
		if (!hist_field_shown(c->fields, f))
			continue;
		put_between(c, c->o, &first);
		put_dots(c->o, c->width[f]);
	}
	out_cstr(c->o, "\n#\n");
}

/* --- cells ----------------------------------------------------------------------------------- */

static uint64_t total_of(const struct columns *c, const struct hist *h)
{
	return c->opt->relative ? h->shown_weight : h->total_weight;
}

static void put_number(struct columns *c, const struct hist *h, enum hist_field f, uint64_t value)
{
	int width = (int)hist_field_width(f);
	bool padded = !c->opt->separator;
	uint64_t total = total_of(c, h);
	if (f == FIELD_CHILDREN && !c->opt->hist->children)
		out_fmt(&c->line, " %*s", width - 1, "N/A");
	else if (f == FIELD_SAMPLES || f == FIELD_PERIOD)
		out_fmt(&c->line, " %*" PRIu64, padded ? width - 1 : 1, value);
	else
		out_fmt(&c->line, " %*.2f%%", padded ? width - 2 : 1,
			total ? 100.0 * (double)value / (double)total : 0.0);
}

static void cell_number(struct columns *c, enum hist_field f, uint32_t entry)
{
	const struct hist *h = c->h;
	/* Entries come by weight: many in a row have the same numbers. */
	uint64_t value = hist_number(h, f, entry);
	struct number *last = &c->last[f - FIELD_OVERHEAD];
	if (!last->n || last->value != value) {
		size_t start = c->line.n;
		put_number(c, h, f, value);
		last->value = value;
		last->n = MIN(c->line.n - start, sizeof last->text);
		memcpy(last->text, c->line.buf + start, last->n);
	} else {
		out_bytes(&c->line, last->text, last->n);
	}
	for (size_t m = 0; m < h->member_count; m++)
		put_number(c, &h->members[m], f,
			   hist_number(&h->members[m], f, h->pairs[entry * h->member_count + m]));
}

/* Text cut and padded to the column. */
static void cell_text(struct columns *c, struct str text, size_t width)
{
	out_bytes(&c->line, text.p, MIN(text.n, width));
	out_spaces(&c->line, width - MIN(text.n, width));
}

/* As %#.16x: nothing before a zero. */
static void cell_address(struct columns *c, uint64_t addr)
{
	char digits[ADDRESS_DIGITS];
	for (size_t i = ADDRESS_DIGITS; i-- > 0;) {
		digits[i] = "0123456789abcdef"[addr & 15];
		addr >>= 4;
	}
	bool zero = digits[0] == '0' && memcmp(digits, digits + 1, sizeof digits - 1) == 0;
	out_cstr(&c->line, zero ? "" : "0x");
	out_bytes(&c->line, digits, sizeof digits);
}

static void cell_symbol(struct columns *c, const struct profile_frame *fr)
{
	const struct profile *p = c->keys->p;
	struct str name = profile_str(p, p->funcs.v[fr->func.v].name);
	const char level[] = {'[', kind_letters[MIN(fr->kind, sizeof kind_letters - 1)], ']', ' '};
	out_bytes(&c->line, level, sizeof level);
	if (name.n)
		out_str(&c->line, name);
	else
		cell_address(c, fr->addr);
	if (name.n && fr->flags & FRAME_INLINED) /* which perf does not count in the width */
		out_cstr(&c->line, " (inlined)");
}

static void cell_trace(struct columns *c, const struct hist_who *who)
{
	const struct profile *p = c->keys->p;
	bool tracepoint = p->events.v[c->h->event.v].tracepoint;
	struct str text = tracepoint ? profile_str(p, who->trace) : STR("N/A");
	out_bytes(&c->line, text.p, MIN(text.n, c->width[FIELD_TRACE]));
}

static void cell_key(struct columns *c, enum hist_field f, const struct hist_entry *e)
{
	const struct profile *p = c->keys->p;
	const struct hist_who *who = &c->keys->whos.v[e->who];
	const struct profile_frame *fr = profile_frame_at(p, hist_keys_frame(c->keys, e->sym));
	size_t start = c->line.n;
	switch (f) {
	case FIELD_PID:
	case FIELD_TID:
		out_fmt(&c->line, "%7" PRId32 ":", p->threads.v[e->thread.v].tid);
		cell_text(c, hist_keys_last_comm(c->keys, e->thread), c->width[f] - 8);
		break;
	case FIELD_COMM:
		cell_text(c, profile_str(p, p->threads.v[e->thread.v].comm), c->width[f]);
		break;
	case FIELD_DSO:
		cell_text(c, dso_name(p, fr), c->width[f]);
		break;
	case FIELD_SYMBOL:
		cell_symbol(c, fr);
		break;
	case FIELD_CPU:
		out_fmt(&c->line, "%3.3" PRId32, (int32_t)who->cpu);
		break;
	case FIELD_SRCLINE:
		out_str(&c->line,
			profile_str(p, p->frames.v[c->keys->place_frame[e->place]].srcline));
		break;
	case FIELD_SRCFILE:
		out_str(&c->line, profile_str(p, c->keys->files[c->keys->place_frame[e->place]]));
		break;
	case FIELD_TRACE:
		cell_trace(c, who);
		break;
	default:
		cell_text(c, STR("-      -"), c->width[f]);
		break;
	}
	/* The separator means nothing else in the line. */
	if (c->opt->separator)
		for (size_t i = start; i < c->line.n; i++)
			if (c->line.buf[i] == c->opt->separator[0])
				c->line.buf[i] = '.';
}

/* --- lines ----------------------------------------------------------------------------------- */

static void print_extra(struct columns *c, uint32_t entry, bool *first)
{
	const struct report_extra *extra = &c->opt->extra;
	for (size_t i = 0; i < extra->count; i++) {
		put_between(c, &c->line, first);
		size_t start = c->line.n;
		extra->cell(&c->line, extra->ctx, i, entry);
		size_t n = c->line.n - start;
		if (n < extra->columns[i].width)
			out_spaces(&c->line, extra->columns[i].width - n);
	}
}

static void print_entry(struct columns *c, uint32_t entry)
{
	bool first = true;
	c->line.n = 0;
	if (!c->opt->separator)
		out_cstr(&c->line, "  ");
	print_extra(c, entry, &first);
	for (size_t i = 0; i < c->fields->show_count; i++) {
		enum hist_field f = c->fields->show[i];
		if (!hist_field_shown(c->fields, f))
			continue;
		put_between(c, &c->line, &first);
		size_t start = c->line.n;
		if (hist_field_is_key(f))
			cell_key(c, f, &c->h->entries.v[entry]);
		else
			cell_number(c, f, entry);
		size_t n = c->line.n - start;
		if (i + 1 < c->fields->show_count && n < c->width[f])
			out_spaces(&c->line, c->width[f] - n);
	}
	out_char(&c->line, '\n');
	out_str(c->o, out_text(&c->line));
}

static uint64_t entry_weight(const struct report_options *opt, const struct hist_entry *e)
{
	return opt->hist->children ? e->children : e->weight;
}

static void print_entries(struct columns *c)
{
	bool graphs = c->opt->hist->graphs && c->keys->p->events.v[c->h->event.v].has_stacks;
	struct callgraph graph = {0};
	if (graphs)
		callgraph_init(&graph, c->h, c->keys, c->opt->graph, c->opt->hist->children,
			       c->total);
	for (size_t i = 0; i < c->h->order_count; i++) {
		prefetch(c, i);
		uint32_t id = c->h->order[i];
		const struct hist_entry *e = &c->h->entries.v[id];
		uint64_t weight = entry_weight(c->opt, e);
		double percent = c->total ? (double)weight * 100.0 / (double)c->total : 0.0;
		if ((float)percent < (float)c->opt->min_percent)
			continue;
		print_entry(c, id);
		if (graphs && callgraph_worth(&graph, weight)) {
			callgraph_of(&graph, id);
			report_text_graph(c->o, &graph, c->opt, c->h->total_weight, weight);
		}
	}
	if (graphs)
		callgraph_free(&graph);
}

static struct columns columns_of(struct out *o, const struct hist *h, const struct hist_keys *keys,
				 const struct report_options *opt)
{
	struct columns c = {.o = o,
			    .h = h,
			    .keys = keys,
			    .opt = opt,
			    .fields = &opt->hist->fields,
			    .total = opt->relative ? h->shown_weight : h->total_weight};
	out_memory(&c.line);
	measure(&c);
	return c;
}

void report_text_table(struct out *o, const struct hist *h, const struct hist_keys *keys,
		       const struct report_options *opt)
{
	struct columns c = columns_of(o, h, keys, opt);
	if (!opt->quiet)
		print_heading(&c);
	for (size_t i = 0; i < h->order_count; i++)
		print_entry(&c, h->order[i]);
	(void)out_finish(&c.line);
}

void report_text_event(struct out *o, const struct hist *h, const struct hist_keys *keys,
		       const struct report_options *opt)
{
	struct columns c = columns_of(o, h, keys, opt);
	if (!opt->quiet) {
		print_event(&c);
		print_heading(&c);
	}
	print_entries(&c);
	out_cstr(o, "\n\n");
	(void)out_finish(&c.line);
}
