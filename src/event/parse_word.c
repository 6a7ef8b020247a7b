/* One event: which kind its text means, and its attr. */
#include <linux/perf_event.h>

#include "event/catalogue.h"
#include "event/parse.h"
#include "event/tracepoint.h"

#define SHOWN 100 /* of a name, in an error's sentence */

static void add_candidate(void *ctx, struct str name)
{
	nearest_add(ctx, name);
}

/* A tracepoint without its name cannot be written down as one. */
enum event_class parser_class(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return EVENT_HARDWARE;
	case PERF_TYPE_SOFTWARE:
		return EVENT_SOFTWARE;
	case PERF_TYPE_HW_CACHE:
		return EVENT_CACHE;
	case PERF_TYPE_RAW:
		return EVENT_RAW;
	default:
		return EVENT_PMU;
	}
}

/* "r1a8", "r0x1a8": r alone, or a word with other letters in it, is something else. */
static bool parse_raw(struct str name, uint64_t *config)
{
	if (name.n < 2 || name.p[0] != 'r')
		return false;
	struct str digits = str_skip(name, 1);
	if (str_starts(digits, "0x"))
		digits = str_skip(digits, 2);
	for (size_t i = 0; i < digits.n; i++)
		if (!memchr("0123456789abcdefABCDEF", digits.p[i], 22))
			return false;
	return str_to_u64(digits, 16, config);
}

static bool fail_term(struct parser *p, const struct term *t, bool config)
{
	struct arena a = {0};
	struct nearest ne = {.arena = &a, .want = t->key};
	term_each(add_candidate, &ne);
	parser_fail(p, t->key, "there is no term \"%.*s\"%s", (int)MIN(t->key.n, 50), t->key.p,
		    config ? "" : " for this kind of event");
	const char *near = nearest_text(&ne);
	if (near && config)
		err_hint(p->err, "the nearest names: %s", near);
	else
		err_hint(p->err, "terms are %scall-graph stack-size max-stack inherit no-inherit …",
			 config ? "config period freq time name " : "");
	arena_free(&a);
	return false;
}

/* What a tracepoint may not have: its config is its number, and it has a name. */
static bool is_sampling_term(struct str key)
{
	static const char *const names[] = {"name",        "period", "freq",
					    "branch_type", "time",   "percore"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(key, names[i]))
			return true;
	return false;
}

bool parser_plain_terms(struct parser *p, const struct word *w, struct event *e, bool config)
{
	struct str rest = w->terms, bad;
	struct term t;
	if (!rest.n)
		return true;
	while (term_next(&rest, &t, &bad)) {
		if (!config && is_sampling_term(t.key))
			return fail_term(p, &t, config);
		switch (term_apply(e, &t, config, &p->list->arena, &bad, p->err)) {
		case TERM_DONE:
			break;
		case TERM_WRONG:
			p->bad = bad;
			return false;
		case TERM_UNKNOWN:
			return fail_term(p, &t, config);
		}
	}
	return !bad.p || parser_fail(p, bad.n ? bad : w->terms, "a term is missing");
}

static bool push_tracepoints(struct parser *p, const struct word *w,
			     const struct tracepoint_list *found)
{
	for (size_t i = 0; i < found->items.n; i++) {
		const struct tracepoint *tp = &found->items.v[i];
		struct event e = {
			.class = EVENT_TRACEPOINT,
			.attr = {.type = PERF_TYPE_TRACEPOINT, .config = tp->id},
			.scale = 1,
		};
		e.name = e.head = arena_printf(&p->list->arena, "%s:%s", tp->system.p, tp->name.p);
		if (!parser_plain_terms(p, w, &e, false) || !parser_push(p, w, e))
			return false;
	}
	return true;
}

static bool parse_tracepoint(struct parser *p, struct word *w)
{
	struct str rest;
	struct str system = str_split(w->head, ':', &rest);
	struct str name = str_split(rest, ':', &rest);
	if (!system.n || !name.n || (rest.p && (!rest.n || w->terms.p)))
		return parser_fail(p, w->head,
				   "a tracepoint is written SYSTEM:NAME or SYSTEM:NAME:MODIFIERS");
	if (rest.p)
		w->modifiers = rest;
	struct tracepoint_list found = {0};
	bool ok = tracepoint_find(&found, p->tracefs, system, name, p->err);
	if (!ok)
		p->bad = p->err->code == ERR_USAGE ? str_make(system.p, system.n + 1 + name.n)
						   : (struct str){0};
	ok = ok && push_tracepoints(p, w, &found);
	tracepoint_list_free(&found);
	return ok;
}

/* "L2_RQSTS:MISS" looks as a tracepoint does. Its error is kept when it is neither. */
static bool parse_tracepoint_or_vendor(struct parser *p, struct word *w)
{
	const struct word whole = *w;
	size_t before = p->list->events.n;
	if (parse_tracepoint(p, w))
		return true;
	if (p->list->events.n != before)
		return false;
	const struct err err = *p->err;
	const struct str bad = p->bad;
	enum found f = parse_vendor(p, &whole);
	if (f == FOUND_NOT) {
		*p->err = err;
		p->bad = bad;
	}
	return f == FOUND;
}

/* A probe may be called "b": then it was not meant as a modifier. */
static bool is_tracepoint(const struct parser *p, struct str system, struct str name)
{
	struct tracepoint_list found = {0};
	bool ok = p->tracefs && system.n && name.n &&
		  tracepoint_find(&found, p->tracefs, system, name, NULL);
	tracepoint_list_free(&found);
	return ok;
}

static bool fail_unknown(struct parser *p, struct str name)
{
	struct arena a = {0};
	struct str tracepoints[NEAREST_COUNT];
	struct nearest ne = {.arena = &a, .want = name};
	parser_fail(p, name, "there is no event \"%.*s\"", (int)MIN(name.n, SHOWN), name.p);
	size_t n = tracepoint_systems(&a, p->tracefs, name, tracepoints, NEAREST_COUNT);
	catalogue_each(add_candidate, &ne);
	parse_pmu_nearest(p, &ne);
	parse_vendor_nearest(p, &ne);
	const char *near = nearest_text(&ne);
	if (n)
		err_hint(p->err, "the tracepoint of that name is %s", tracepoints[0].p);
	else if (near)
		err_hint(p->err, "the nearest names: %s", near);
	else
		err_hint(p->err, "software events: cpu-clock, task-clock, page-faults, "
				 "context-switches …; hardware: cycles, instructions, cache-misses "
				 "…; tracepoints: sched:sched_switch; `kiln list` shows all");
	arena_free(&a);
	return false;
}

static bool push_numbered(struct parser *p, const struct word *w, enum event_class class,
			  uint32_t type, uint64_t config)
{
	struct event e = {.class = class, .attr = {.type = type, .config = config}, .scale = 1};
	return parser_plain_terms(p, w, &e, true) && parser_push(p, w, e);
}

/* Events that are known by number: the catalogue's, and raw ones. */
static enum found parse_numbered(struct parser *p, const struct word *w)
{
	enum event_class class;
	uint32_t type;
	uint64_t config = 0;
	if (!catalogue_find(w->head, &class, &type, &config)) {
		class = EVENT_RAW;
		type = PERF_TYPE_RAW;
		if (!parse_raw(w->head, &config))
			return FOUND_NOT;
	}
	return push_numbered(p, w, class, type, config) ? FOUND : FOUND_WRONG;
}

static bool parse_number(struct str s, uint64_t *n)
{
	bool hex = str_starts(s, "0x");
	return str_to_u64(str_skip(s, hex ? 2 : 0), hex ? 16 : 10, n);
}

/* "1:3", "4:0x1a8:u", "4:0x1a8/name=x/": type and config as the kernel numbers them. */
static enum found parse_numbers(struct parser *p, const struct word *w)
{
	struct word plain = *w;
	struct str rest;
	uint64_t type, config;
	struct str first = str_split(w->head, ':', &rest);
	if (!rest.p || !parse_number(first, &type) || type > UINT32_MAX)
		return FOUND_NOT;
	struct str second = str_split(rest, ':', &rest);
	if (!parse_number(second, &config) || (rest.p && w->terms.p))
		return FOUND_NOT;
	plain.head.n = (size_t)(second.p + second.n - w->head.p);
	if (rest.p)
		plain.modifiers = rest;
	return push_numbered(p, &plain, parser_class((uint32_t)type), (uint32_t)type, config)
		       ? FOUND
		       : FOUND_WRONG;
}

static enum found parse_known(struct parser *p, const struct word *w)
{
	enum found f = parse_numbered(p, w);
	if (f == FOUND_NOT)
		f = parse_pmu(p, w);
	return f == FOUND_NOT ? parse_pmu_event(p, w) : f;
}

bool parse_word(struct parser *p, struct word *w)
{
	struct word plain = *w;
	struct str rest = {0};
	if (!w->head.n)
		return parser_fail(p, w->text, "an event's name is missing");
	if (p->vendor_only)
		return parse_vendor_only(p, w);
	if (memmem(w->head.p, w->head.n, "::", 2))
		return parse_vendor_only(p, w);
	if (str_starts(w->head, BREAKPOINT_PREFIX))
		return parse_breakpoint(p, w);
	enum found f = parse_numbers(p, w);
	if (f != FOUND_NOT)
		return f == FOUND;
	if (!w->terms.p) {
		plain.head = str_trim(str_split(w->head, ':', &rest));
		rest = rest.p ? str_trim(rest) : rest;
		plain.modifiers = rest;
	}
	if (!plain.head.n)
		return parser_fail(p, w->text, "an event's name is missing");
	/* Two colons are a tracepoint's only; so is a colon in front of terms. */
	bool colons = w->terms.p ? memchr(w->head.p, ':', w->head.n) != NULL
				 : rest.n && memchr(rest.p, ':', rest.n);
	f = colons ? FOUND_NOT : parse_known(p, &plain);
	if (f != FOUND_NOT)
		return f == FOUND;
	if (colons || (rest.p && (!modifiers_like(rest) || is_tracepoint(p, plain.head, rest))))
		return parse_tracepoint_or_vendor(p, w);
	f = parse_vendor(p, w);
	return f == FOUND_NOT ? fail_unknown(p, plain.head) : f == FOUND;
}
