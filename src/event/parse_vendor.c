/* Events of particular CPUs: which of the words behind colons are the library's, which are
 * modifiers, and what is wrong with a name. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <strings.h>

#include "event/parse.h"
#include "event/vendor.h"

#define MASKS_TOLD 12

static struct vendor *library(struct parser *p)
{
	struct event_list *list = p->list;
	if (!list->vendor && !list->no_vendor) {
		list->vendor = vendor_open();
		list->no_vendor = !list->vendor; /* asked once */
	}
	return list->vendor;
}

static bool same_name(struct str a, const char *b)
{
	return a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0;
}

/* --- an event that is known ---------------------------------------------------------------- */

/* What the library's attributes (u=1, precise=2 …) say about the flags that modifiers are for. */
static const char *modifiers_of(struct arena *a, uint64_t flags)
{
	bool user = flags & ATTR_EXCLUDE_USER, kernel = flags & ATTR_EXCLUDE_KERNEL;
	bool hypervisor = user && kernel && !(flags & ATTR_EXCLUDE_HV);
	return arena_printf(a, "%s%s%s%s%.*s", user != kernel ? user ? "k" : "u" : "",
			    hypervisor ? "h" : "", flags & ATTR_PINNED ? "D" : "",
			    flags & ATTR_EXCLUSIVE ? "e" : "",
			    (int)(flags >> ATTR_PRECISE_SHIFT & 3), "ppp");
}

static bool push(struct parser *p, struct word *w, const struct vendor_event *ve)
{
	const struct attr *a = &ve->attr;
	struct event e = {
		.class = parser_class(a->type),
		.attr =
			{
				.type = a->type,
				.config = a->config,
				.config1 = a->config1,
				.config2 = a->config2,
				.bp_type = a->bp_type,
			},
		.scale = 1,
	};
	if (a->sample_period) {
		bool freq = a->flags & ATTR_FREQ;
		*(freq ? &e.terms.frequency : &e.terms.period) = a->sample_period;
		e.terms.set |= freq ? TERM_FREQ : TERM_PERIOD;
	}
	if (ve->cpu >= 0)
		e.cpus = arena_printf(&p->list->arena, "%d", ve->cpu);
	if (!w->modifiers.p) {
		w->modifiers = str_of(modifiers_of(&p->list->arena, a->flags));
		if (!w->modifiers.n)
			w->modifiers.p = NULL;
	}
	return parser_plain_terms(p, w, &e, true) && parser_push(p, w, e);
}

/* Takes what may be modifiers off the end. */
static bool split_modifiers(const struct word *w, struct word *out)
{
	const char *colon = w->head.n ? memrchr(w->head.p, ':', w->head.n) : NULL;
	if (w->modifiers.p || !colon || colon == w->head.p || colon[-1] == ':')
		return false;
	*out = *w;
	out->head.n = (size_t)(colon - w->head.p);
	out->modifiers = str_skip(w->head, out->head.n + 1);
	return modifiers_like(out->modifiers);
}

static enum vendor_error encode(struct parser *p, const struct word *w, struct vendor_event *out)
{
	struct arena a = {0};
	enum vendor_error error = vendor_encode(p->list->vendor, arena_str(&a, w->head).p, out);
	arena_free(&a);
	return error;
}

/* Where both have a letter and mean the same, it is a modifier; "e" and "i" are the library's. */
static enum vendor_error find(struct parser *p, const struct word *w, struct word *found,
			      struct vendor_event *out)
{
	struct word cut;
	bool can_cut = split_modifiers(w, &cut);
	bool first = can_cut && !memchr(cut.modifiers.p, 'e', cut.modifiers.n) &&
		     !memchr(cut.modifiers.p, 'I', cut.modifiers.n);
	*found = first ? cut : *w;
	enum vendor_error error = encode(p, found, out);
	if (error == VENDOR_OK || !can_cut)
		return error;
	struct word other = first ? *w : cut;
	if (encode(p, &other, out) != VENDOR_OK)
		return error;
	*found = other;
	return VENDOR_OK;
}

/* --- one that is not ----------------------------------------------------------------------- */

/* What is known about "PMU::EVENT:ATTRIBUTE…". */
struct look {
	struct str pmu, event, attributes; /* of the text; p is NULL where there is none */
	struct vendor_pmu pmu_found;       /* name is NULL: none */
	int id;                            /* of the event; -1: none */
	bool here;
	struct nearest ne;
	struct str attribute; /* that is looked for */
	bool known;
	char masks[200];
	size_t masks_n, masks_told;
};

static void see_pmu(void *ctx, const struct vendor_pmu *pmu)
{
	struct look *l = ctx;
	nearest_add(&l->ne, str_of(pmu->name));
	if (same_name(l->pmu, pmu->name))
		l->pmu_found = *pmu;
}

static void see_event(void *ctx, const struct vendor_name *n)
{
	struct look *l = ctx;
	nearest_add(&l->ne, str_of(n->event));
	if (same_name(l->event, n->event)) {
		l->id = n->id;
		l->here = n->pmu->here;
		l->pmu_found = *n->pmu;
	}
}

static void see_attribute(void *ctx, const struct vendor_attribute *at)
{
	struct look *l = ctx;
	nearest_add(&l->ne, str_of(at->name));
	l->known |= same_name(l->attribute, at->name);
	if (!at->mask || l->masks_n + strlen(at->name) + 3 > sizeof l->masks)
		return;
	if (l->masks_told++ < MASKS_TOLD)
		l->masks_n += (size_t)snprintf(l->masks + l->masks_n, sizeof l->masks - l->masks_n,
					       " %s", at->name);
}

static void hint_nearest(struct parser *p, const struct look *l, const char *else_hint)
{
	const char *near = nearest_text(&l->ne);
	if (near)
		err_hint(p->err, "the nearest names: %s", near);
	else
		err_hint(p->err, "%s", else_hint);
}

static bool fail_pmu(struct parser *p, struct look *l)
{
	parser_fail(p, l->pmu, "no CPU or PMU \"%.*s\" is known to libpfm4", (int)MIN(l->pmu.n, 50),
		    l->pmu.p);
	hint_nearest(p, l, "`kiln list pfm` shows the events of this machine");
	return false;
}

static bool fail_event(struct parser *p, struct look *l)
{
	parser_fail(p, l->event.n ? l->event : l->pmu, "%s (%s) has no event \"%.*s\"",
		    l->pmu_found.name, l->pmu_found.what, (int)MIN(l->event.n, 60), l->event.p);
	hint_nearest(p, l, "`kiln list 'PMU::*'` shows the events of a PMU");
	return false;
}

static bool fail_elsewhere(struct parser *p, struct look *l)
{
	parser_fail(p, l->pmu, "%.*s is an event of %s (%s), which this machine does not have",
		    (int)MIN(l->event.n, 60), l->event.p, l->pmu_found.name, l->pmu_found.what);
	return err_hint(p->err, "`kiln list pfm` shows the events of this machine");
}

/* The library does not tell which attribute it means. */
static bool fail_attribute(struct parser *p, struct look *l, enum vendor_error error)
{
	struct vendor *v = p->list->vendor;
	struct str rest = l->attributes;
	while (rest.p) {
		struct str value, at = str_split(rest, ':', &rest);
		l->attribute = str_split(at, '=', &value);
		l->known = false;
		l->ne = (struct nearest){.arena = l->ne.arena, .want = l->attribute};
		l->masks_n = l->masks_told = 0;
		vendor_each_attribute(v, l->id, see_attribute, l);
		if (l->known || (!value.p && modifiers_like(at)))
			continue;
		parser_fail(p, at.n ? at : l->event,
			    "event %.*s has no unit mask or attribute "
			    "\"%.*s\"",
			    (int)MIN(l->event.n, 60), l->event.p, (int)MIN(at.n, 50), at.p);
		char all[240];
		snprintf(all, sizeof all, "its unit masks:%.*s%s", (int)l->masks_n, l->masks,
			 l->masks_told > MASKS_TOLD ? " …" : "");
		hint_nearest(p, l, l->masks_n ? all : "it has no unit masks");
		return false;
	}
	l->attribute = STR("");
	l->masks_n = l->masks_told = 0;
	vendor_each_attribute(v, l->id, see_attribute, l);
	if (error == VENDOR_BAD_VALUE)
		return parser_fail(p, l->attributes.n ? l->attributes : l->event,
				   "a value is too large for event %.*s, or given twice",
				   (int)MIN(l->event.n, 60), l->event.p);
	parser_fail(p, l->attributes.n ? l->attributes : l->event,
		    error == VENDOR_NEEDS_MASK && !l->attributes.n
			    ? "event %.*s wants one of its unit masks"
			    : "event %.*s cannot have these unit masks together",
		    (int)MIN(l->event.n, 60), l->event.p);
	return err_hint(p->err, "its unit masks:%.*s%s", (int)l->masks_n, l->masks,
			l->masks_told > MASKS_TOLD ? " …" : "");
}

static void split_name(struct look *l, struct str head)
{
	const char *colons = head.n ? memmem(head.p, head.n, "::", 2) : NULL;
	if (colons) {
		l->pmu = str_make(head.p, (size_t)(colons - head.p));
		head = str_skip(head, l->pmu.n + 2);
	}
	l->event = str_split(head, ':', &l->attributes);
}

/* FOUND_NOT when it may be something else altogether. */
static enum found explain(struct parser *p, const struct word *w, enum vendor_error error)
{
	struct arena a = {0};
	struct look l = {.id = -1};
	struct vendor *v = p->list->vendor;
	enum found f = FOUND_WRONG;
	split_name(&l, w->head);
	l.ne = (struct nearest){.arena = &a, .want = l.pmu};
	if (l.pmu.p)
		vendor_each_pmu(v, see_pmu, &l);
	if (l.pmu.p && !l.pmu_found.name) {
		fail_pmu(p, &l);
	} else {
		l.ne = (struct nearest){.arena = &a, .want = l.event};
		vendor_each_event(v, l.pmu.p ? str_of(l.pmu_found.name) : l.pmu, see_event, &l);
		if (l.id < 0 && !l.pmu.p)
			f = FOUND_NOT;
		else if (l.id < 0)
			fail_event(p, &l);
		else if (error == VENDOR_NO_EVENT && !l.here)
			fail_elsewhere(p, &l);
		else
			fail_attribute(p, &l, error);
	}
	arena_free(&a);
	return f;
}

enum found parse_vendor(struct parser *p, const struct word *w)
{
	struct word found;
	struct vendor_event ve;
	if (!w->head.n || !library(p))
		return FOUND_NOT;
	enum vendor_error error = find(p, w, &found, &ve);
	/* The library has the kernel's events, too, and does not mind case. They are meant only
	 * when its name for them is asked for: a name must not depend on whether there is a
	 * library. */
	bool named = p->vendor_only || memmem(w->head.p, w->head.n, "::", 2);
	if (error == VENDOR_OK && !named && ve.attr.type < PERF_TYPE_RAW)
		return FOUND_NOT;
	if (error == VENDOR_OK)
		return push(p, &found, &ve) ? FOUND : FOUND_WRONG;
	return explain(p, w, error);
}

bool parse_vendor_only(struct parser *p, const struct word *w)
{
	enum found f = parse_vendor(p, w);
	if (f == FOUND_NOT && !p->list->vendor) {
		err_set(p->err, ERR_UNSUPPORTED,
			"names of events of particular CPUs need the library libpfm4, which is "
			"not there");
		p->bad = (struct str){0};
		err_hint(p->err, "install libpfm4 (libpfm4-dev for building kiln), or give the "
				 "event's number: rNNN");
	} else if (f == FOUND_NOT) {
		struct arena a = {0};
		struct look l = {0};
		split_name(&l, w->head);
		l.ne = (struct nearest){.arena = &a, .want = l.event};
		parser_fail(p, w->head, "this machine has no event \"%.*s\" in libpfm4",
			    (int)MIN(w->head.n, 60), w->head.p);
		parse_vendor_nearest(p, &l.ne);
		hint_nearest(p, &l, "`kiln list pfm` shows them");
		arena_free(&a);
	}
	return f == FOUND;
}

static void add_candidate(void *ctx, const struct vendor_name *n)
{
	nearest_add(ctx, str_of(n->event));
}

void parse_vendor_nearest(struct parser *p, struct nearest *ne)
{
	if (p->list->vendor)
		vendor_each_event(p->list->vendor, (struct str){0}, add_candidate, ne);
}
