#include "event/event.h"

#include <linux/perf_event.h>

#include "event/catalogue.h"
#include "event/nearest.h"
#include "event/tracepoint.h"

#define MAX_EVENTS 4096 /* a glob over every tracepoint of a large kernel stays below */

struct modifiers {
	struct str text; /* without the ':'; p is NULL when there are none */
	uint64_t flags;
	unsigned precise;
	bool max_precise;
	bool wants_kernel;
};

void event_list_free(struct event_list *list)
{
	vec_free(&list->events);
	arena_free(&list->arena);
}

/*
 * perf's rules. Naming one of u k h excludes the other two levels; G and H do the same among
 * themselves. Guests are left out unless asked for, but naming only k or h drops that, and precise
 * sampling never works in guests.
 */
static bool parse_modifiers(struct modifiers *m, struct err *err)
{
	const uint64_t levels = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	const uint64_t sides = ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST;
	uint64_t level_named = 0, side_named = 0;
	bool guest_out = !m->text.n;
	m->flags = 0;
	for (size_t i = 0; i < m->text.n; i++) {
		char c = m->text.p[i];
		switch (c) {
		case 'u':
			level_named |= ATTR_EXCLUDE_USER;
			guest_out = true;
			break;
		case 'k':
			level_named |= ATTR_EXCLUDE_KERNEL;
			m->wants_kernel = true;
			break;
		case 'h':
			level_named |= ATTR_EXCLUDE_HV;
			m->wants_kernel = true;
			break;
		case 'G':
			side_named |= ATTR_EXCLUDE_GUEST;
			break;
		case 'H':
			side_named |= ATTR_EXCLUDE_HOST;
			break;
		case 'I':
			m->flags |= ATTR_EXCLUDE_IDLE;
			break;
		case 'D':
			m->flags |= ATTR_PINNED;
			break;
		case 'e':
			m->flags |= ATTR_EXCLUSIVE;
			break;
		case 'p':
			m->precise++;
			guest_out = true;
			break;
		case 'P':
			m->max_precise = true;
			break;
		default:
			return err_set(err, ERR_USAGE, "\"%c\" is no event modifier", c);
		}
	}
	if (m->precise > 3)
		return err_set(err, ERR_USAGE, "modifier p may be given three times at most");
	if (level_named)
		m->flags |= levels & ~level_named;
	if (side_named)
		m->flags |= sides & ~side_named;
	else if (guest_out)
		m->flags |= ATTR_EXCLUDE_GUEST;
	return true;
}

static bool push(struct event_list *list, enum event_class class, uint32_t type, uint64_t config,
		 const char *name, const struct modifiers *m, struct err *err)
{
	if (list->events.n >= MAX_EVENTS)
		return err_set(err, ERR_USAGE, "more than %d events", MAX_EVENTS);
	struct event e = {
		.class = class,
		.name = name,
		.attr = {.type = type,
			 .size = ATTR_BYTES,
			 .config = config,
			 .flags = m->flags | (uint64_t)m->precise << ATTR_PRECISE_SHIFT},
		.max_precise = m->max_precise,
		.wants_kernel = m->wants_kernel,
	};
	vec_push(&list->events, e);
	return true;
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

static bool parse_tracepoint(struct event_list *list, struct str system, struct str rest,
			     const char *tracefs, struct err *err)
{
	struct modifiers m = {0};
	struct str name = str_split(rest, ':', &m.text);
	if (!system.n || !name.n || (m.text.p && !m.text.n))
		return err_set(err, ERR_USAGE,
			       "a tracepoint is written SYSTEM:NAME or SYSTEM:NAME:MODIFIERS");
	if (!parse_modifiers(&m, err))
		return false;
	struct tracepoint_list found = {0};
	bool ok = tracepoint_find(&found, tracefs, system, name, err);
	for (size_t i = 0; i < found.items.n && ok; i++) {
		const struct tracepoint *tp = &found.items.v[i];
		const char *full = arena_printf(&list->arena, "%s:%s%s%.*s", tp->system.p,
						tp->name.p, m.text.n ? ":" : "", (int)m.text.n,
						m.text.n ? m.text.p : "");
		ok = push(list, EVENT_TRACEPOINT, PERF_TYPE_TRACEPOINT, tp->id, full, &m, err);
	}
	tracepoint_list_free(&found);
	return ok;
}

static void add_candidate(void *ctx, struct str name)
{
	nearest_add(ctx, name);
}

static bool fail_unknown(struct str name, const char *tracefs, struct err *err)
{
	struct arena a = {0};
	struct str tracepoints[NEAREST_COUNT];
	struct nearest ne = {.arena = &a, .want = name};
	err_set(err, ERR_USAGE, "there is no event \"%.*s\"", (int)MIN(name.n, 100), name.p);
	size_t n = tracepoint_systems(&a, tracefs, name, tracepoints, NEAREST_COUNT);
	catalogue_each(add_candidate, &ne);
	const char *near = nearest_text(&ne);
	if (n)
		err_hint(err, "the tracepoint of that name is %s", tracepoints[0].p);
	else if (near)
		err_hint(err, "the nearest names: %s", near);
	else
		err_hint(err, "software events: cpu-clock, task-clock, page-faults, "
			      "context-switches …; hardware: cycles, instructions, cache-misses …; "
			      "tracepoints: sched:sched_switch");
	arena_free(&a);
	return false;
}

/* True when `text` could only be meant as modifiers. */
static bool looks_like_modifiers(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!memchr("ukhGHIDepP", text.p[i], 10))
			return false;
	return text.n > 0;
}

static bool parse_word(struct event_list *list, struct str word, const char *tracefs,
		       struct err *err)
{
	struct modifiers m = {0};
	uint32_t type;
	uint64_t config = 0;
	struct str name = str_split(word, ':', &m.text);
	if (!name.n)
		return err_set(err, ERR_USAGE, "an event's name is missing");
	bool known = catalogue_find(name, &type, &config);
	enum event_class class = !known                       ? EVENT_RAW
				 : type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE
				 : type == PERF_TYPE_HARDWARE ? EVENT_HARDWARE
							      : EVENT_CACHE;
	if (!known) {
		type = PERF_TYPE_RAW;
		known = parse_raw(name, &config);
	}
	if (known) {
		if (m.text.p && !m.text.n)
			return err_set(err, ERR_USAGE, "modifiers are missing behind the \":\"");
		return parse_modifiers(&m, err) &&
		       push(list, class, type, config, arena_str(&list->arena, word).p, &m, err);
	}
	if (!m.text.p || (looks_like_modifiers(m.text) && !memchr(m.text.p, ':', m.text.n)))
		return fail_unknown(name, tracefs, err);
	return parse_tracepoint(list, name, m.text, tracefs, err);
}

bool event_parse(struct event_list *list, const char *text, const char *tracefs, struct err *err)
{
	struct str rest = str_of(text);
	size_t before = list->events.n;
	bool ok = true;
	if (strpbrk(text, "{}"))
		ok = err_set(err, ERR_UNSUPPORTED,
			     "groups of events ({a,b}) are not supported yet");
	else if (strchr(text, '/'))
		ok = err_set(err, ERR_UNSUPPORTED,
			     "events of a named PMU (pmu/terms/) are not supported yet");
	while (ok && rest.p) {
		struct str word = str_trim(str_split(rest, ',', &rest));
		ok = parse_word(list, word, tracefs, err);
	}
	if (!ok) {
		list->events.n = before;
		err_wrap(err, "event \"%.100s\"", text);
	}
	return ok;
}
