#include <linux/perf_event.h>
#include <stdio.h>

#include "event/catalogue.h"
#include "event/parse.h"
#include "event/pmu.h"

static void add_candidates(struct nearest *ne, const struct pmu_names *names)
{
	for (size_t i = 0; i < names->v.n; i++)
		nearest_add(ne, names->v.v[i]);
}

static void add_candidate(void *ctx, struct str name)
{
	nearest_add(ctx, name);
}

static bool fail_term(struct parser *p, const struct pmu *pmu, const struct term *t)
{
	struct arena a = {0};
	struct pmu_names fields = {0}, events = {0};
	struct nearest ne = {.arena = &a, .want = t->key};
	pmu_fields(pmu, &a, &fields);
	pmu_events(pmu, &a, &events);
	add_candidates(&ne, &fields);
	add_candidates(&ne, &events);
	term_each(add_candidate, &ne);
	parser_fail(p, t->key, "PMU %s has no event or term \"%.*s\"", pmu->name.p,
		    (int)MIN(t->key.n, 50), t->key.p);
	const char *near = nearest_text(&ne);
	if (near) {
		err_hint(p->err, "the nearest names: %s", near);
	} else if (fields.v.n) {
		const char *all = fields.v.v[0].p;
		for (size_t i = 1; i < MIN(fields.v.n, (size_t)12); i++)
			all = arena_printf(&a, "%s, %s", all, fields.v.v[i].p);
		err_hint(p->err, "its terms: %s", all);
	} else {
		err_hint(p->err, "it has no terms of its own; all know config=, name=, period= …");
	}
	vec_free(&fields.v);
	vec_free(&events.v);
	arena_free(&a);
	return false;
}

/* A term that stands for a field of the PMU's config words. `place` is where to point at. */
static enum found set_field(struct parser *p, const struct pmu *pmu, struct event *e,
			    const struct term *t, struct str at)
{
	struct str place;
	uint64_t max;
	if (!pmu_field_place(pmu, &p->list->arena, t->key, &place))
		return FOUND_NOT;
	if (t->value.p && !t->is_number) {
		parser_fail(p, at, "%.*s= of PMU %s wants a number", (int)t->key.n, t->key.p,
			    pmu->name.p);
		return FOUND_WRONG;
	}
	if (pmu_place_value(place, &e->attr, t->number, &max))
		return FOUND;
	if (t->number > max)
		parser_fail(p, at, "%.*s= of PMU %s is 0x%" PRIx64 " at most", (int)t->key.n,
			    t->key.p, pmu->name.p, max);
	else
		parser_fail(p, at, "the kernel's format of %.*s in PMU %s is not understood: %.*s",
			    (int)t->key.n, t->key.p, pmu->name.p, (int)place.n, place.p);
	return FOUND_WRONG;
}

/* The terms of an event the kernel names. Those of value "?" are for the user to give. */
static enum found set_named(struct parser *p, const struct pmu *pmu, struct event *e,
			    struct str name)
{
	struct pmu_event named;
	struct term t;
	struct str bad;
	if (!pmu_event_find(pmu, &p->list->arena, name, &named))
		return FOUND_NOT;
	struct str rest = named.terms;
	while (term_next(&rest, &t, &bad)) {
		if (str_is(t.value, "?"))
			continue;
		enum found f = set_field(p, pmu, e, &t, name);
		if (f == FOUND_NOT &&
		    term_apply(e, &t, true, &p->list->arena, &bad, p->err) != TERM_DONE) {
			parser_fail(p, name,
				    "the kernel's event %s of PMU %s has the term \"%.*s\", which "
				    "is not understood",
				    named.name.p, pmu->name.p, (int)MIN(t.text.n, 50), t.text.p);
			f = FOUND_WRONG;
		}
		if (f == FOUND_WRONG)
			return FOUND_WRONG;
	}
	e->scale = named.scale;
	e->unit = named.unit;
	return FOUND;
}

/* "r1a8" or "r0x1a8" between slashes is all of config. */
static bool set_raw(struct event *e, struct str key)
{
	uint64_t config;
	if (key.n < 2 || key.p[0] != 'r')
		return false;
	key = str_skip(key, str_starts(key, "r0x") ? 3 : 1);
	if (!str_to_u64(key, 16, &config))
		return false;
	e->attr.config = config;
	return true;
}

/* "cpu/cycles/": the kernel's own names, on one kind of CPU where a machine has several. */
static bool set_generic(const struct pmu *pmu, struct event *e, struct str name)
{
	enum event_class class;
	uint32_t type;
	uint64_t config;
	if (!catalogue_find(name, &class, &type, &config))
		return false;
	if (type == PERF_TYPE_SOFTWARE ? !str_is(pmu->name, "software") || class == EVENT_TOOL
				       : !pmu->core)
		return false;
	e->attr.type = type;
	e->attr.config = config;
	if (type != PERF_TYPE_SOFTWARE && pmu->type != PERF_TYPE_RAW)
		e->attr.config |= (uint64_t)pmu->type << 32; /* PERF_PMU_TYPE_SHIFT */
	return true;
}

static bool set_term(struct parser *p, const struct pmu *pmu, struct event *e, const struct term *t)
{
	struct str bad, named = {0};
	if (!t->value.p)
		named = t->key;
	else if (str_is(t->key, "event") && !t->is_number)
		named = t->value;
	enum found f = named.p ? set_named(p, pmu, e, named) : FOUND_NOT;
	if (f == FOUND_NOT)
		f = set_field(p, pmu, e, t, t->text);
	if (f != FOUND_NOT)
		return f == FOUND;
	switch (term_apply(e, t, true, &p->list->arena, &bad, p->err)) {
	case TERM_DONE:
		return true;
	case TERM_WRONG:
		p->bad = bad;
		return false;
	case TERM_UNKNOWN:
		break;
	}
	return (!t->value.p && (set_generic(pmu, e, t->key) || set_raw(e, t->key))) ||
	       fail_term(p, pmu, t);
}

static bool push_pmu(struct parser *p, const struct word *w, const struct pmu *pmu)
{
	struct event e = {
		.class = EVENT_PMU,
		.attr = {.type = pmu->type},
		.head = pmu->name.p,
		.scale = 1,
		.cpus = pmu->cpus,
	};
	struct str rest = w->terms, bad;
	struct term t;
	if (!rest.n)
		rest.p = NULL;
	while (term_next(&rest, &t, &bad))
		if (!set_term(p, pmu, &e, &t))
			return false;
	if (bad.p)
		return parser_fail(p, bad, "a term is missing");
	return parser_push(p, w, e);
}

enum found parse_pmu(struct parser *p, const struct word *w)
{
	struct pmu pmu;
	struct arena *a = &p->list->arena;
	if (pmu_open(&pmu, a, p->devices, w->head))
		return push_pmu(p, w, &pmu) ? FOUND : FOUND_WRONG;
	if (!w->terms.p)
		return FOUND_NOT;
	struct pmu_names all = {0};
	enum found f = FOUND_NOT;
	pmu_names(a, p->devices, &all);
	for (size_t i = 0; i < all.v.n && f != FOUND_WRONG; i++)
		if (pmu_matches(all.v.v[i], w->head) && pmu_open(&pmu, a, p->devices, all.v.v[i]))
			f = push_pmu(p, w, &pmu) ? FOUND : FOUND_WRONG;
	vec_free(&all.v);
	return f;
}

enum found parse_pmu_event(struct parser *p, const struct word *w)
{
	struct arena *a = &p->list->arena;
	struct pmu_names all = {0};
	enum found f = FOUND_NOT;
	pmu_names(a, p->devices, &all);
	for (size_t i = 0; i < all.v.n && f != FOUND_WRONG; i++) {
		struct pmu pmu;
		struct event e = {.class = EVENT_PMU, .scale = 1};
		if (!pmu_open(&pmu, a, p->devices, all.v.v[i]))
			continue;
		e.attr.type = pmu.type;
		e.cpus = pmu.cpus;
		enum found one = set_named(p, &pmu, &e, w->head);
		if (one == FOUND && w->terms.p && !parser_plain_terms(p, w, &e, true))
			one = FOUND_WRONG;
		if (one == FOUND) {
			/* The text must say of which PMU: there may be several. */
			struct word exact = *w;
			const char *head = pmu.name.p;
			const char *terms = arena_printf(a, "%.*s%s%.*s", (int)w->head.n, w->head.p,
							 w->terms.n ? "," : "", (int)w->terms.n,
							 w->terms.n ? w->terms.p : "");
			exact.terms = str_of(terms);
			e.head = head;
			one = parser_push(p, &exact, e) ? FOUND : FOUND_WRONG;
		}
		f = one == FOUND_NOT ? f : one;
	}
	vec_free(&all.v);
	return f;
}

void parse_pmu_nearest(struct parser *p, struct nearest *ne)
{
	struct pmu_names all = {0};
	pmu_names(ne->arena, p->devices, &all);
	add_candidates(ne, &all);
	for (size_t i = 0; i < all.v.n; i++) {
		struct pmu pmu;
		struct pmu_names events = {0};
		if (pmu_open(&pmu, ne->arena, p->devices, all.v.v[i]))
			pmu_events(&pmu, ne->arena, &events);
		add_candidates(ne, &events);
		vec_free(&events.v);
	}
	vec_free(&all.v);
}
