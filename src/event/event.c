/* Lists of events and groups: the text is cut here, each event is parse_word.c's. */
#include "event/event.h"

#include <stdarg.h>
#include <stdio.h>

#include "event/mark.h"
#include "event/parse.h"
#include "event/vendor.h"

#define MAX_EVENTS 4096 /* a glob over every tracepoint of a large kernel stays below */

#define MODIFIER_FLAGS                                                              \
	((uint64_t)ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV |      \
	 ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_IDLE | ATTR_PINNED | \
	 ATTR_EXCLUSIVE | (uint64_t)3 << ATTR_PRECISE_SHIFT)

void event_list_free(struct event_list *list)
{
	vec_free(&list->events);
	vec_free(&list->groups);
	arena_free(&list->arena);
	vendor_close(list->vendor);
	list->vendor = NULL;
}

/* --- errors -------------------------------------------------------------------------------- */

bool parser_fail(struct parser *p, struct str at, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	p->bad = at;
	return err_set(p->err, ERR_USAGE, "%s", text);
}

/* --- events -------------------------------------------------------------------------------- */

static void set_modifiers(struct event *e, const struct modifiers *m)
{
	e->attr.flags = (e->attr.flags & ~MODIFIER_FLAGS) | m->flags |
			(uint64_t)m->precise << ATTR_PRECISE_SHIFT;
	e->max_precise = m->max_precise;
	e->wants_kernel = m->wants_kernel;
	e->sample_read = m->sample_read;
	e->weak = m->weak;
	e->bpf = m->bpf;
	e->retire = m->retire;
}

static bool own_modifiers(struct parser *p, struct str text, struct modifiers *m)
{
	*m = (struct modifiers){.flags = text.n ? 0 : ATTR_EXCLUDE_GUEST};
	return modifiers_add(m, text, &p->bad, p->err);
}

bool parser_push(struct parser *p, const struct word *w, struct event e)
{
	struct arena *a = &p->list->arena;
	struct modifiers m;
	if (p->list->events.n >= MAX_EVENTS)
		return parser_fail(p, w->text, "more than %d events", MAX_EVENTS);
	if (w->modifiers.p && !w->modifiers.n)
		return parser_fail(p, w->text, "modifiers are missing behind the \":\"");
	if (!own_modifiers(p, w->modifiers, &m))
		return false;
	e.attr.size = ATTR_BYTES;
	if (e.terms.aux_output)
		e.attr.flags |= ATTR_AUX_OUTPUT;
	set_modifiers(&e, &m);
	e.scale = e.scale != 0 ? e.scale : 1;
	if (!e.name)
		e.name = arena_str(a, w->text).p;
	if (!e.head)
		e.head = arena_str(a, w->head).p;
	e.term_text = w->terms.p ? arena_str(a, w->terms).p : NULL;
	e.modifiers = w->modifiers.n ? arena_str(a, w->modifiers).p : NULL;
	vec_push(&p->list->events, e);
	return true;
}

/* --- cutting the text ---------------------------------------------------------------------- */

static size_t length_until(struct str s, const char *ends)
{
	size_t i = 0;
	while (i < s.n && !strchr(ends, s.p[i]))
		i++;
	return i;
}

/* From one slash to the next, which may not be in quotes; s begins behind the first. */
static size_t terms_length(struct str s)
{
	bool quoted = false;
	size_t i = 0;
	for (; i < s.n && (quoted || s.p[i] != '/'); i++)
		if (s.p[i] == '\'')
			quoted = !quoted;
	return i;
}

/* Takes one event off the front of *rest, up to the comma or brace behind it. */
static bool cut_word(struct parser *p, struct str *rest, struct word *w)
{
	while (rest->n && (rest->p[0] == ' ' || rest->p[0] == '\t' || rest->p[0] == '\n'))
		*rest = str_skip(*rest, 1);
	struct str start = *rest;
	size_t n = str_starts(start, BREAKPOINT_PREFIX) ? breakpoint_length(start)
							: length_until(start, ",{}/");
	*w = (struct word){.head = str_trim(str_make(start.p, n))};
	if (n < start.n && start.p[n] == '/') {
		struct str terms = str_skip(start, n + 1);
		size_t length = terms_length(terms);
		if (length == terms.n)
			return parser_fail(p, str_make(start.p + n, 1),
					   "the \"/\" that ends the terms is missing");
		w->terms = str_make(terms.p, length);
		struct str after = str_skip(terms, length + 1);
		size_t tail = length_until(after, ",{}/");
		if (tail < after.n && after.p[tail] == '/')
			return parser_fail(p, str_make(after.p + tail, 1),
					   "there is one \"/\" too many");
		w->modifiers = str_trim(str_make(after.p, tail));
		if (!w->modifiers.n)
			w->modifiers.p = NULL;
		else if (w->modifiers.p[0] == ':')
			w->modifiers = str_trim(str_skip(w->modifiers, 1));
		n += 1 + length + 1 + tail;
	}
	w->text = str_trim(str_make(start.p, n));
	*rest = str_skip(start, n);
	return true;
}

/* A group's modifiers come on top of each event's own. Only the leader is pinned or alone. */
static bool add_group_modifiers(struct parser *p, const struct event_group *g, struct str text)
{
	for (uint32_t i = g->first; i < g->first + g->count; i++) {
		struct event *e = &p->list->events.v[i];
		struct modifiers m;
		struct str own = str_of(e->modifiers);
		if (!own_modifiers(p, own, &m))
			return false;
		uint64_t pinned = m.flags & (ATTR_PINNED | ATTR_EXCLUSIVE);
		if (!modifiers_add(&m, text, &p->bad, p->err))
			return false;
		if (i > g->first)
			m.flags = (m.flags & ~(uint64_t)(ATTR_PINNED | ATTR_EXCLUSIVE)) | pinned;
		set_modifiers(e, &m);
	}
	return true;
}

/* *rest begins behind the opening brace. */
static bool parse_group(struct parser *p, struct str name, struct str *rest)
{
	struct arena *a = &p->list->arena;
	struct event_group g = {.first = (uint32_t)p->list->events.n};
	struct str open = str_make(rest->p - 1, 1);
	char end;
	do {
		struct word w;
		if (!cut_word(p, rest, &w))
			return false;
		end = rest->n ? rest->p[0] : '\0';
		if (end == '{')
			return parser_fail(p, str_make(rest->p, 1),
					   "there is no group inside a group");
		if (!end)
			return parser_fail(p, open, "the \"}\" that ends the group is missing");
		if (!parse_word(p, &w))
			return false;
		*rest = str_skip(*rest, 1);
	} while (end == ',');
	g.count = (uint32_t)(p->list->events.n - g.first);
	if (name.n)
		g.name = arena_str(a, name).p;
	size_t n = length_until(*rest, ",");
	struct str tail = str_trim(str_make(rest->p, n));
	*rest = str_skip(*rest, n);
	if (tail.n) {
		struct str modifiers = str_trim(str_skip(tail, 1));
		if (tail.p[0] != ':' || !modifiers.n)
			return parser_fail(p, tail, "behind a group come \":\" and modifiers");
		if (!add_group_modifiers(p, &g, modifiers))
			return false;
		g.modifiers = arena_str(a, modifiers).p;
	}
	vec_push(&p->list->groups, g);
	for (uint32_t i = g.first; i < g.first + g.count; i++)
		p->list->events.v[i].group = (uint32_t)p->list->groups.n;
	return true;
}

static bool parse_item(struct parser *p, struct str *rest)
{
	struct word w;
	if (!cut_word(p, rest, &w))
		return false;
	if (rest->n && rest->p[0] == '{') {
		struct str brace = str_make(rest->p, 1);
		if (w.terms.p || length_until(w.head, ":") < w.head.n)
			return parser_fail(p, brace, "a comma is missing in front of \"{\"");
		*rest = str_skip(*rest, 1);
		return parse_group(p, w.head, rest);
	}
	if (rest->n && rest->p[0] == '}')
		return parser_fail(p, str_make(rest->p, 1), "there is no \"{\" for this \"}\"");
	return parse_word(p, &w);
}

static bool parse_list(struct parser *p)
{
	struct event_list *list = p->list;
	size_t events = list->events.n, groups = list->groups.n;
	struct str rest = p->text;
	bool ok;
	/* A comma at the end promises one more event. */
	for (bool more = (ok = true); ok && more;) {
		ok = parse_item(p, &rest);
		more = ok && rest.n;
		if (more)
			rest = str_skip(rest, 1);
	}
	if (!ok) {
		list->events.n = events;
		list->groups.n = groups;
		/* Not every name comes from the text: a PMU's own files have no place in it. */
		err_mark(p->err, p->text, p->bad);
	}
	return ok;
}

bool event_parse(struct event_list *list, const char *text, const char *tracefs, struct err *err)
{
	struct err unused = {0};
	struct parser p = {
		.list = list,
		.tracefs = tracefs,
		.devices = list->devices ? list->devices : EVENT_DEVICES,
		.text = str_of(text),
		.err = err ? err : &unused,
	};
	return parse_list(&p);
}

bool event_parse_vendor(struct event_list *list, const char *text, struct err *err)
{
	struct err unused = {0};
	struct parser p = {
		.list = list,
		.text = str_of(text),
		.err = err ? err : &unused,
		.vendor_only = true,
	};
	return parse_list(&p);
}

void event_list_group_all(struct event_list *list)
{
	if (list->events.n < 2)
		return;
	vec_clear(&list->groups);
	vec_push(&list->groups, (struct event_group){.count = (uint32_t)list->events.n});
	for (size_t i = 0; i < list->events.n; i++)
		list->events.v[i].group = 1;
}

/* --- printing ------------------------------------------------------------------------------ */

static void print_event(const struct event *e, struct out *o)
{
	out_cstr(o, e->head);
	if (e->term_text)
		out_fmt(o, "/%s/", e->term_text);
	else if (e->modifiers)
		out_char(o, ':');
	if (e->modifiers)
		out_cstr(o, e->modifiers);
}

void event_list_print(const struct event_list *list, struct out *o)
{
	for (size_t i = 0; i < list->events.n; i++) {
		const struct event *e = &list->events.v[i];
		const struct event_group *g = e->group ? &list->groups.v[e->group - 1] : NULL;
		if (i)
			out_char(o, ',');
		if (g && i == g->first)
			out_fmt(o, "%s{", g->name ? g->name : "");
		print_event(e, o);
		if (g && i + 1 == g->first + g->count) {
			out_char(o, '}');
			if (g->modifiers)
				out_fmt(o, ":%s", g->modifiers);
		}
	}
}
