/*
 * PMUs as the kernel shows them in sysfs: a directory each, with its type number, the places of its
 * fields in config words (format/), events by name (events/) and the CPUs it lives on.
 */
#ifndef KILN_PMU_H
#define KILN_PMU_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "perfdata/attr.h"

struct pmu {
	struct str name;
	const char *dir;
	uint32_t type;
	const char *cpus; /* "0,18"; NULL: not bound to CPUs */
	bool core;        /* of the CPUs themselves; a machine may have several kinds of them */
};

struct pmu_names {
	VEC(struct str) v; /* sorted */
};

/* The names of all PMUs; in the arena, but for the vector, which the caller frees. Empty when the
 * directory cannot be read. */
void pmu_names(struct arena *a, const char *devices, struct pmu_names *out);

/* Opens one by its exact name. */
MUST_USE bool pmu_open(struct pmu *pmu, struct arena *a, const char *devices, struct str name);

/* True when PMU `name` is meant by `pattern`: a glob, or the name without "uncore_" in front and
 * the number behind. */
bool pmu_matches(struct str name, struct str pattern);

/* Names in format/ and in events/, without the helper files (.scale, .unit …). */
void pmu_fields(const struct pmu *pmu, struct arena *a, struct pmu_names *out);
void pmu_events(const struct pmu *pmu, struct arena *a, struct pmu_names *out);

/* The text of a field's place ("config:0-7,32"). */
MUST_USE bool pmu_field_place(const struct pmu *pmu, struct arena *a, struct str field,
			      struct str *place);

/* Puts a value at its place, taking away what was there. Fails when the place cannot be understood,
 * or, with *max set, when the value does not fit. */
MUST_USE bool pmu_place_value(struct str place, struct attr *attr, uint64_t value, uint64_t *max);

struct pmu_event {
	struct str name;  /* as the kernel spells it */
	struct str terms; /* "event=0x3c,umask=0x1" */
	double scale;     /* 1 when nothing is said */
	const char *unit; /* NULL when nothing is said */
};

/* Case does not matter. */
MUST_USE bool pmu_event_find(const struct pmu *pmu, struct arena *a, struct str name,
			     struct pmu_event *out);

#endif
