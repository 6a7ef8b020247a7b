/* kiln list: the events this machine has, and which of them can really be opened. */
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "capture/available.h"
#include "capture/capture.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "event/listing.h"

#define NAME_WIDTH 50
#define DESCRIPTION_INDENT 7
/* Closing a tracepoint, the kernel waits for all CPUs: only that many are tried one by one. */
#define TRACEPOINTS_TRIED 20

static struct {
	const char *output, *unit;
	bool json, desc, details, raw, deprecated;
	int verbose;
} opts = {.desc = true};

static const struct option options[] = {
	{OPT_BOOL, 'j', "json", NULL, "one JSON array", .value = &opts.json},
	{OPT_STRING, 'o', "output", "FILE", "write to FILE", .value = &opts.output},
	{OPT_BOOL, 'd', "desc", NULL, "descriptions (the default; --no-desc: names only)",
	 .value = &opts.desc},
	{OPT_BOOL, 0, "details", NULL, "how the kernel is asked; the fields of tracepoints",
	 .value = &opts.details},
	{OPT_COUNT, 'v', "long-desc", NULL, "say more: what the kernel answered, units, CPUs",
	 .value = &opts.verbose},
	{OPT_STRING, 0, "unit", "PMU", "of PMUs' events only those of this one (may be a glob)",
	 .value = &opts.unit},
	{OPT_STRING, 0, "cputype", "PMU", "the same", .value = &opts.unit},
	{OPT_BOOL, 0, "deprecated", NULL, "deprecated events too (none is known)",
	 .value = &opts.deprecated},
	{OPT_BOOL, 0, "raw-dump", NULL, "only names that can be used, between spaces",
	 .value = &opts.raw},
	{0},
};

static const struct example examples[] = {
	{"kiln list", "everything"},
	{"kiln list sw hw", "software and hardware events"},
	{"kiln list 'sched:*wake*' --details", "tracepoints, with their fields and types"},
	{"kiln list fault", "all events with \"fault\" in their name"},
	{"kiln list -j cache", "for programs"},
	{0},
};

/* --- what is asked for --------------------------------------------------------------------- */

#define LIST_METRICS (1U << 31)

static const struct {
	const char *word;
	unsigned kinds;
} groups[] = {
	{"hw", LIST_HARDWARE},           {"hardware", LIST_HARDWARE}, {"sw", LIST_SOFTWARE},
	{"software", LIST_SOFTWARE},     {"cache", LIST_CACHE},       {"hwcache", LIST_CACHE},
	{"tracepoint", LIST_TRACEPOINT}, {"pmu", LIST_PMU},           {"sdt", LIST_SDT},
	{"metric", LIST_METRICS},        {"metrics", LIST_METRICS},   {"metricgroup", LIST_METRICS},
	{"metricgroups", LIST_METRICS},  {"pfm", LIST_PFM},
};

static void say(const char *sentence)
{
	fprintf(stderr, "%s list: %s\n", cli_name(), sentence);
}

/* All of these kinds. */
static void add_kinds(struct listing *l, unsigned kinds, const char *glob, const char *tracefs)
{
	char dir[PATH_MAX];
	listing_add(l, kinds, glob, EVENT_DEVICES, tracefs);
	if (kinds & LIST_SDT && cli_build_id_dir(dir, sizeof dir))
		listing_add_cached(l, glob, dir);
}

/* A word is a group, else a glob: with a colon of tracepoints or unit masks, with two of libpfm4's
 * names, without one of any part of a name. */
static void add_word(struct listing *l, const char *word, const char *tracefs)
{
	size_t before = l->items.n;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (!strcmp(word, groups[i].word)) {
			if (groups[i].kinds == LIST_METRICS)
				say("no metrics are known: they are computed from events of "
				    "particular CPUs");
			else
				add_kinds(l, groups[i].kinds, NULL, tracefs);
			if (groups[i].kinds == LIST_SDT && l->items.n == before)
				say("no probe of a program (SDT) is defined in tracefs, and none "
				    "is in the build-id cache");
			if (groups[i].kinds == LIST_PFM && l->items.n == before)
				say("libpfm4 is not there, or does not know this CPU");
			return;
		}
	bool colon = strchr(word, ':'), pfm = strstr(word, "::");
	const char *glob = colon ? word : arena_printf(&l->arena, "*%s*", word);
	unsigned kinds = pfm ? LIST_PFM : colon ? LIST_TRACEPOINT | LIST_SDT : LIST_ALL;
	add_kinds(l, kinds, glob, tracefs);
	if (l->items.n == before)
		say(arena_printf(&l->arena, "no event matches %s", word));
}

static bool wants_tracepoints(const struct parsed *args)
{
	for (size_t i = 0; i < args->count; i++)
		if ((strchr(args->args[i], ':') && !strstr(args->args[i], "::")) ||
		    !strcmp(args->args[i], "tracepoint"))
			return true;
	return !args->count;
}

static void tell_unreadable(const char *tracefs)
{
	char path[256];
	snprintf(path, sizeof path, "%s/events", tracefs ? tracefs : "");
	if (!tracefs)
		say("no tracepoints: tracefs is not mounted (sudo mount -t tracefs tracefs "
		    "/sys/kernel/tracing)");
	else if (access(path, R_OK | X_OK) != 0)
		say("no tracepoints: only root may read tracefs here");
}

/* --- what can be opened -------------------------------------------------------------------- */

struct tried {
	VEC(struct available) v; /* by index of the listing */
};

/* Of many tracepoints the first speaks for all, unless it alone is strange; and one that this user
 * may not have means none. */
static void try_all(const struct listing *l, struct tried *tried)
{
	size_t tracepoints = 0;
	for (size_t i = 0; i < l->items.n; i++)
		tracepoints += l->items.v[i].class == EVENT_TRACEPOINT;
	bool sure = false; /* the next tracepoint need not be tried */
	struct available known = {.yes = true};
	for (size_t i = 0; i < l->items.n; i++) {
		const struct listed *e = &l->items.v[i];
		struct available a = {.yes = true};
		bool tracepoint = e->class == EVENT_TRACEPOINT;
		if (tracepoint && sure)
			a = known;
		else if (e->attr.size && e->class != EVENT_TOOL)
			available_try(&e->attr, e->cpus, &a);
		if (e->unusable) {
			a.yes = false;
			snprintf(a.why, sizeof a.why, "%s", e->unusable);
		}
		if (tracepoint && !sure) {
			bool denied = a.error == EACCES;
			sure = denied || tracepoints > TRACEPOINTS_TRIED;
			if (denied)
				known = a;
		}
		vec_push(&tried->v, a);
	}
}

/* --- text ---------------------------------------------------------------------------------- */

static void print_details(struct out *o, const struct listed *e, const char *tracefs)
{
	struct arena a = {0};
	struct trace_decls fields = {0};
	if (e->encoding) {
		out_spaces(o, DESCRIPTION_INDENT);
		out_fmt(o, "%s\n", e->encoding);
	}
	if (e->class == EVENT_TRACEPOINT && listing_fields(tracefs, e->name, &a, &fields))
		for (size_t i = 0; i < fields.v.n; i++) {
			out_spaces(o, DESCRIPTION_INDENT);
			out_str(o, fields.v.v[i].type);
			out_char(o, ' ');
			out_str(o, fields.v.v[i].name);
			out_char(o, '\n');
		}
	vec_free(&fields.v);
	arena_free(&a);
}

static void print_more(struct out *o, const struct listed *e, const struct available *a)
{
	if (e->unit) {
		out_spaces(o, DESCRIPTION_INDENT);
		out_fmt(o, "[Unit: %s, one count is %g of it]\n", e->unit, e->scale);
	}
	if (e->cpus) {
		out_spaces(o, DESCRIPTION_INDENT);
		out_fmt(o, "[on CPUs %s only]\n", e->cpus);
	}
	if (a->error) {
		out_spaces(o, DESCRIPTION_INDENT);
		out_fmt(o, "[perf_event_open: %s]\n", strerror(a->error));
	}
}

static void print_text(struct out *o, const struct listed *e, const struct available *a,
		       const char *tracefs)
{
	char name[256];
	bool alias = e->alias && e->class != EVENT_PMU;
	snprintf(name, sizeof name, "%s%s%s", e->name, alias ? " OR " : "", alias ? e->alias : "");
	out_fmt(o, "  %-*s [%s]", NAME_WIDTH, name, e->type);
	if (!a->yes)
		out_fmt(o, " [not available here: %s]", a->why);
	else if (a->user_only)
		out_fmt(o, " [user space only: %s]", a->why);
	out_char(o, '\n');
	if (e->what && opts.desc) {
		out_spaces(o, DESCRIPTION_INDENT);
		out_fmt(o, "[%s]\n", e->what);
	}
	if (opts.verbose)
		print_more(o, e, a);
	if (opts.details)
		print_details(o, e, tracefs);
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_member(struct out *o, const char *key, const char *value)
{
	if (!value)
		return;
	out_fmt(o, ",\n\t\"%s\": ", key);
	json_string(o, str_of(value));
}

static void json_fields(struct out *o, const char *tracefs, const char *name)
{
	struct arena a = {0};
	struct trace_decls fields = {0};
	if (listing_fields(tracefs, name, &a, &fields)) {
		out_cstr(o, ",\n\t\"Fields\": [");
		for (size_t i = 0; i < fields.v.n; i++) {
			out_cstr(o, i ? ", {\"Name\": " : "{\"Name\": ");
			json_string(o, fields.v.v[i].name);
			out_cstr(o, ", \"Type\": ");
			json_string(o, fields.v.v[i].type);
			out_char(o, '}');
		}
		out_char(o, ']');
	}
	vec_free(&fields.v);
	arena_free(&a);
}

static void print_json(struct out *o, const struct listed *e, const struct available *a,
		       const char *tracefs)
{
	/* perf's keys in perf's order, then what perf does not tell. */
	out_cstr(o, "{\n\t");
	if (e->pmu) {
		out_cstr(o, "\"Unit\": ");
		json_string(o, str_of(e->pmu));
		out_cstr(o, ",\n\t");
	}
	if (e->topic) {
		out_cstr(o, "\"Topic\": ");
		json_string(o, str_of(e->topic));
		out_cstr(o, ",\n\t");
	}
	out_cstr(o, "\"EventName\": ");
	json_string(o, str_of(e->name));
	json_member(o, "EventAlias", e->alias);
	if (e->unit)
		out_fmt(o, ",\n\t\"ScaleUnit\": \"%.6G%s\"", e->scale, e->unit);
	json_member(o, "EventType", e->type);
	json_member(o, "BriefDescription", opts.desc ? e->what : NULL);
	json_member(o, "Encoding", e->encoding);
	json_member(o, "Cpus", e->cpus);
	out_fmt(o, ",\n\t\"Available\": %s", a->yes ? "true" : "false");
	if (!a->yes || a->user_only)
		json_member(o, a->yes ? "Limit" : "Reason", a->why);
	if (opts.details && e->class == EVENT_TRACEPOINT)
		json_fields(o, tracefs, e->name);
	out_cstr(o, "\n}");
}

/* --- the command --------------------------------------------------------------------------- */

static void print_all(struct out *o, const struct listing *l, const struct tried *tried,
		      const char *tracefs)
{
	bool any = false;
	if (opts.json)
		out_cstr(o, "[\n");
	for (size_t i = 0; i < l->items.n; i++) {
		const struct listed *e = &l->items.v[i];
		const struct available *a = &tried->v.v[i];
		if (opts.raw) {
			if (a->yes && e->attr.size)
				out_fmt(o, "%s ", e->name);
		} else if (opts.json) {
			if (e->encoding) {
				out_cstr(o, any ? ",\n" : "");
				print_json(o, e, a, tracefs);
				any = true;
			}
		} else {
			print_text(o, e, a, tracefs);
		}
	}
	out_cstr(o, opts.json ? any ? "\n]\n" : "]\n" : opts.raw ? "\n" : "");
}

static bool write_listing(const struct listing *l, const struct tried *tried, const char *tracefs,
			  struct err *err)
{
	struct out o;
	if (!output_open(&o, opts.output, err))
		return false;
	print_all(&o, l, tried, tracefs);
	return output_close(&o, opts.output, err);
}

/* --unit: events that belong to no PMU stay, as in perf. */
static void keep_unit(struct listing *l)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->items.n; i++)
		if (!l->items.v[i].pmu || fnmatch(opts.unit, l->items.v[i].pmu, FNM_CASEFOLD) == 0)
			l->items.v[kept++] = l->items.v[i];
	l->items.n = kept;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct listing l = {0};
	struct tried tried = {0};
	const char *tracefs = capture_tracefs(false);
	if (opts.raw && opts.json) {
		err_set(&err, ERR_USAGE, "--raw-dump and --json exclude each other");
		return cli_fail(cmd, &err);
	}
	if (wants_tracepoints(args))
		tell_unreadable(tracefs);
	for (size_t i = 0; i < args->count; i++)
		add_word(&l, args->args[i], tracefs);
	if (!args->count)
		add_kinds(&l, LIST_ALL, NULL, tracefs);
	if (opts.unit)
		keep_unit(&l);
	try_all(&l, &tried);
	int code = write_listing(&l, &tried, tracefs, &err) ? EXIT_OK : cli_fail(cmd, &err);
	vec_free(&tried.v);
	listing_free(&l);
	return code;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "List the events that can be recorded",
	.usage =
		"kiln list [OPTIONS] [hw|sw|cache|tracepoint|pmu|sdt|metric|metricgroup|pfm|GLOB]…",
	.describe =
		"Everything -e takes by name, with a few words about each. Every event is tried: what "
		"this machine, its kernel or your rights do not allow is marked with the reason. "
		"Of more than 20 tracepoints only the first is tried.\n\n"
		"A GLOB with a colon means tracepoints; with two of them events of a CPU by the "
		"vendor's names, as libpfm4 has them; without one, events with such a part in their "
		"name.",
	.examples = examples,
	.options = options,
	.run = run,
};
