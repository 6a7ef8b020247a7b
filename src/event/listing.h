/* Every event this machine has a name for: the catalogue, PMUs in sysfs, tracepoints, libpfm4's. */
#ifndef KILN_LISTING_H
#define KILN_LISTING_H

#include "event/event.h"

struct listed {
	enum event_class class;
	const char *type;     /* as perf has it: "Software event" */
	const char *name;     /* what -e takes; for forms as rNNN a pattern */
	const char *alias;    /* NULL: none */
	const char *what;     /* a description; NULL: none */
	const char *topic;    /* a heading; NULL: none */
	const char *pmu;      /* whose it is; NULL: no PMU's */
	const char *encoding; /* how the kernel is asked; NULL for forms */
	const char *unit;
	double scale;
	const char *cpus;     /* NULL: not bound to CPUs */
	const char *unusable; /* why it is no event by itself, or not here; NULL: it is */
	struct attr attr;     /* type 0 and size 0 for forms and what is unusable */
};

/* Which kinds; bits. */
enum list_kind {
	LIST_HARDWARE = 1 << 0,
	LIST_SOFTWARE = 1 << 1, /* with the tool's own */
	LIST_CACHE = 1 << 2,
	LIST_PMU = 1 << 3,
	LIST_FORMS = 1 << 4, /* rNNN, pmu/…/, mem:… */
	LIST_TRACEPOINT = 1 << 5,
	LIST_SDT = 1 << 6, /* tracepoints of probes in programs: systems sdt_… */
	LIST_PFM = 1 << 7, /* of the CPU, by its vendor's names */
	LIST_ALL = (1 << 8) - 1,
};

struct listing {
	struct arena arena;
	VEC(struct listed) items;
};
void listing_free(struct listing *l);

/* Appends the events of these kinds in perf's order, those that match the glob only (NULL: all;
 * either name may match, case does not matter). A glob "PMU::…" means libpfm4's events of that PMU,
 * of whatever machine. devices, tracefs: as for event_parse(). */
void listing_add(struct listing *l, unsigned kinds, const char *glob, const char *devices,
		 const char *tracefs);

/* Appends the probes of programs (SDT) in perf's cache of files by build id, which are events once
 * somebody defines them; those of the same name that are listed already are left out. */
void listing_add_cached(struct listing *l, const char *glob, const char *dir);

struct trace_decl {
	struct str type, name; /* "char" "prev_comm[16]" */
};
struct trace_decls {
	VEC(struct trace_decl) v;
};

/* The fields of a tracepoint "SYSTEM:NAME", those all have in common left out. Texts in the
 * arena. */
MUST_USE bool listing_fields(const char *tracefs, const char *name, struct arena *a,
			     struct trace_decls *out);

#endif
