#include "event/listing.h"

#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/file.h"
#include "event/catalogue.h"
#include "event/pmu.h"
#include "event/tracepoint.h"
#include "event/vendor.h"

#define FORMAT_LIMIT (1 << 20) /* bytes of a tracepoint's format file */

void listing_free(struct listing *l)
{
	vec_free(&l->items);
	arena_free(&l->arena);
}

struct adder {
	struct listing *l;
	const char *glob;
	enum event_class class; /* of the catalogue */
};

static void add(struct adder *a, struct listed item)
{
	if (a->glob && fnmatch(a->glob, item.name, FNM_CASEFOLD) != 0 &&
	    (!item.alias || fnmatch(a->glob, item.alias, FNM_CASEFOLD) != 0))
		return;
	vec_push(&a->l->items, item);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

/* --- the catalogue ------------------------------------------------------------------------- */

static void add_entry(void *ctx, const struct catalogue_entry *e)
{
	static const char *const types[] = {
		[EVENT_SOFTWARE] = "Software event",
		[EVENT_HARDWARE] = "Hardware event",
		[EVENT_CACHE] = "Hardware cache event",
		[EVENT_TOOL] = "Tool event",
	};
	static const char *const topics[] = {[EVENT_CACHE] = "cache", [EVENT_TOOL] = "tool"};
	struct adder *a = ctx;
	struct arena *arena = &a->l->arena;
	if (e->class != a->class)
		return;
	/* perf puts the longer name first. */
	bool swap = e->alias && strlen(e->alias) > strlen(e->name);
	const char *alias = swap ? e->name : e->alias;
	add(a, (struct listed){
		       .class = e->class,
		       .type = types[e->class],
		       .name = arena_strdup(arena, swap ? e->alias : e->name),
		       .alias = alias ? arena_strdup(arena, alias) : NULL,
		       .what = arena_strdup(arena, e->what),
		       .topic = topics[e->class],
		       .encoding = arena_printf(arena, "type=%u,config=0x%" PRIx64, e->type,
						e->config),
		       .scale = 1,
		       .attr = {.type = e->type, .size = ATTR_BYTES, .config = e->config},
	       });
}

static void add_catalogue(struct adder *a, enum event_class class, bool sort)
{
	size_t first = a->l->items.n;
	a->class = class;
	catalogue_each_entry(add_entry, a);
	if (sort && a->l->items.n > first)
		qsort(a->l->items.v + first, a->l->items.n - first, sizeof a->l->items.v[0],
		      by_name);
}

/* --- PMUs ---------------------------------------------------------------------------------- */

static void add_pmu_event(struct adder *a, const struct pmu *pmu, struct str name,
			  const char *devices)
{
	struct arena *arena = &a->l->arena;
	struct pmu_event pe;
	struct event_list parsed = {.devices = devices};
	const char *full = arena_printf(arena, "%s/%s/", pmu->name.p, name.p);
	if (pmu_event_find(pmu, arena, name, &pe) && event_parse(&parsed, full, NULL, NULL))
		add(a, (struct listed){
			       .class = EVENT_PMU,
			       .type = "Kernel PMU event",
			       .name = full,
			       .alias = pe.name.p,
			       .pmu = pmu->name.p,
			       .encoding = arena_printf(arena, "%s/%.*s/", pmu->name.p,
							(int)pe.terms.n, pe.terms.p),
			       .unit = pe.unit,
			       .scale = pe.scale,
			       .cpus = pmu->cpus,
			       .attr = parsed.events.v[0].attr,
		       });
	event_list_free(&parsed);
}

static void add_pmus(struct adder *a, const char *devices)
{
	struct arena *arena = &a->l->arena;
	struct pmu_names pmus = {0};
	pmu_names(arena, devices, &pmus);
	for (size_t i = 0; i < pmus.v.n; i++) {
		struct pmu pmu;
		struct pmu_names events = {0};
		if (!pmu_open(&pmu, arena, devices, pmus.v.v[i]))
			continue;
		pmu_events(&pmu, arena, &events);
		for (size_t k = 0; k < events.v.n; k++)
			add_pmu_event(a, &pmu, events.v.v[k], devices);
		vec_free(&events.v);
	}
	vec_free(&pmus.v);
}

static void add_forms(struct adder *a)
{
	static const struct listed forms[] = {
		{.class = EVENT_RAW,
		 .type = "Raw hardware event descriptor",
		 .name = "rNNN",
		 .what = "the CPU's own event number, in hexadecimal"},
		{.class = EVENT_PMU,
		 .type = "Raw hardware event descriptor",
		 .name = "cpu/t1=v1[,t2=v2,t3 ...]/modifier",
		 .what = "terms are the files in format/ of the PMU in sysfs"},
		{.class = EVENT_BREAKPOINT,
		 .type = "Hardware breakpoint",
		 .name = "mem:<addr>[/len][:access]",
		 .what = "access: r, w, x or several; len: 1 to 8 bytes"},
	};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		add(a, forms[i]);
}

/* --- tracepoints --------------------------------------------------------------------------- */

static void add_tracepoints(struct adder *a, unsigned kinds, const char *tracefs)
{
	struct tracepoint_list found = {0};
	if (tracepoint_find(&found, tracefs, STR("*"), STR("*"), NULL))
		for (size_t i = 0; i < found.items.n; i++) {
			const struct tracepoint *tp = &found.items.v[i];
			bool sdt = str_starts(tp->system, "sdt_");
			if (!(kinds & (sdt ? LIST_SDT : LIST_TRACEPOINT)))
				continue;
			add(a, (struct listed){
				       .class = EVENT_TRACEPOINT,
				       .type = sdt ? "SDT event" : "Tracepoint event",
				       .name = arena_printf(&a->l->arena, "%s:%s", tp->system.p,
							    tp->name.p),
				       .encoding = arena_printf(&a->l->arena,
								"type=2,config=0x%" PRIx64, tp->id),
				       .scale = 1,
				       .attr = {.type = PERF_TYPE_TRACEPOINT,
						.size = ATTR_BYTES,
						.config = tp->id},
			       });
		}
	tracepoint_list_free(&found);
}

/* --- libpfm4 -------------------------------------------------------------------------------- */

struct vendor_adder {
	struct adder a;
	struct vendor *v;
	const struct vendor_name *event; /* whose attributes are seen */
	bool asked;                      /* for this PMU by its name */
};

/* Without an encoding: the library has none for PMUs of other machines. */
static void add_vendor(struct vendor_adder *va, const char *mask, const char *what, uint64_t code)
{
	struct arena *arena = &va->a.l->arena;
	const struct vendor_name *n = va->event;
	struct vendor_event ve;
	struct listed item = {
		.class = EVENT_PMU,
		.type = "PFM event",
		.name = arena_printf(arena, "%s::%s%s%s", n->pmu->name, n->event, mask ? ":" : "",
				     mask ? mask : ""),
		.what = what ? arena_strdup(arena, what) : NULL,
		.topic = arena_printf(arena, "pfm %s", n->pmu->name),
		.pmu = arena_strdup(arena, n->pmu->name),
		.scale = 1,
	};
	if (!mask && n->equal && *n->equal)
		item.alias = arena_strdup(arena, n->equal);
	enum vendor_error error = vendor_encode(va->v, item.name, &ve);
	if (error == VENDOR_OK) {
		item.attr = (struct attr){
			.type = ve.attr.type,
			.size = ATTR_BYTES,
			.config = ve.attr.config,
			.config1 = ve.attr.config1,
			.config2 = ve.attr.config2,
		};
		item.encoding = arena_printf(arena, "type=%u,config=0x%" PRIx64, ve.attr.type,
					     ve.attr.config);
	} else {
		item.encoding = arena_printf(arena, "%s=0x%" PRIx64, mask ? "umask" : "event",
					     code);
		item.unusable = error == VENDOR_NO_EVENT && !n->pmu->here ? "another machine's"
				: mask                                    ? "not without others"
									  : "it wants a unit mask";
	}
	add(&va->a, item);
}

static void add_mask(void *ctx, const struct vendor_attribute *at)
{
	if (at->mask)
		add_vendor(ctx, at->name, at->what, at->code);
}

static void add_vendor_event(void *ctx, const struct vendor_name *n)
{
	struct vendor_adder *va = ctx;
	if (n->pmu->generic && !va->asked) /* the kernel's own names are in the catalogue */
		return;
	va->event = n;
	add_vendor(va, NULL, n->what, n->code);
	vendor_each_attribute(va->v, n->id, add_mask, va);
}

static void add_vendor_pmu(void *ctx, const struct vendor_pmu *p)
{
	struct vendor_adder *va = ctx;
	struct str rest, glob = str_split(str_of(va->a.glob), ':', &rest);
	const char *pattern = arena_str(&va->a.l->arena, glob).p;
	if (fnmatch(pattern, p->name, FNM_CASEFOLD) == 0)
		vendor_each_event(va->v, str_of(p->name), add_vendor_event, va);
}

static void add_vendors(struct adder *a)
{
	struct vendor_adder va = {.a = *a, .v = vendor_open()};
	if (!va.v)
		return;
	va.asked = a->glob && strstr(a->glob, "::");
	if (va.asked)
		vendor_each_pmu(va.v, add_vendor_pmu, &va);
	else
		vendor_each_event(va.v, (struct str){0}, add_vendor_event, &va);
	vendor_close(va.v);
}

void listing_add(struct listing *l, unsigned kinds, const char *glob, const char *devices,
		 const char *tracefs)
{
	struct adder a = {.l = l, .glob = glob};
	if (kinds & LIST_HARDWARE)
		add_catalogue(&a, EVENT_HARDWARE, true);
	if (kinds & LIST_SOFTWARE) {
		add_catalogue(&a, EVENT_SOFTWARE, true);
		add_catalogue(&a, EVENT_TOOL, false);
	}
	if (kinds & LIST_CACHE)
		add_catalogue(&a, EVENT_CACHE, false);
	if (kinds & LIST_PMU)
		add_pmus(&a, devices);
	if (kinds & LIST_FORMS && !glob)
		add_forms(&a);
	if (kinds & (LIST_TRACEPOINT | LIST_SDT))
		add_tracepoints(&a, kinds, tracefs);
	if (kinds & LIST_PFM)
		add_vendors(&a);
}

/* "char prev_comm[16]" or "__data_loc char[] name": the name is the last word. */
static struct trace_decl split_declaration(struct str s)
{
	size_t at = s.n;
	while (at > 0 && s.p[at - 1] != ' ')
		at--;
	return (struct trace_decl){.type = str_trim(str_make(s.p, at)), .name = str_skip(s, at)};
}

bool listing_fields(const char *tracefs, const char *name, struct arena *a, struct trace_decls *out)
{
	struct str event, text, line;
	struct str system = str_split(str_of(name), ':', &event);
	const char *path = arena_printf(a, "%s/events/%.*s/%.*s/format", tracefs, (int)system.n,
					system.p, (int)event.n, event.p);
	if (!tracefs || !event.p || !file_read(path, FORMAT_LIMIT, &text, NULL))
		return false;
	struct str rest = text;
	while (str_line(&rest, &line)) {
		struct str unused;
		line = str_trim(line);
		if (!str_starts(line, "field:"))
			continue;
		struct trace_decl d = split_declaration(
			arena_str(a, str_split(str_skip(line, strlen("field:")), ';', &unused)));
		if (d.name.n && !str_starts(d.name, "common_"))
			vec_push(&out->v, d);
	}
	free((void *)text.p);
	return true;
}
