/*
 * Events of particular CPUs by their vendors' names, as libpfm4 has them:
 *
 *   [PMU "::"] EVENT {":" ATTRIBUTE}        skl::INST_RETIRED:ANY_P, RETIRED_INSTRUCTIONS:c=1
 *
 * An attribute is a unit mask of the event, or NAME[=VALUE] as the PMU has it. The library is some
 * megabytes of tables that take 10 ms to be ready, so it is loaded when a name is found nowhere
 * else, and only then.
 */
#ifndef KILN_VENDOR_H
#define KILN_VENDOR_H

#include "base/arena.h"
#include "base/str.h"
#include "perfdata/attr.h"

struct vendor;

/* NULL when kiln was built without libpfm4, or this machine does not have it. */
struct vendor *vendor_open(void);
void vendor_close(struct vendor *v);

enum vendor_error {
	VENDOR_OK,
	VENDOR_NO_EVENT,
	VENDOR_NO_ATTRIBUTE,
	VENDOR_BAD_VALUE,
	VENDOR_NEEDS_MASK, /* or some do not go together */
	VENDOR_FAILED,
};

struct vendor_event {
	/* All that it says: also exclude_*, precise_ip, pinned, exclusive and the period or
	 * frequency, for what there are attributes. */
	struct attr attr;
	int cpu; /* -1: any */
};

enum vendor_error vendor_encode(struct vendor *v, const char *text, struct vendor_event *out);

/* Texts are the library's, and live as long as it does. */
struct vendor_pmu {
	const char *name, *what;
	bool here;    /* this machine has it */
	bool generic; /* not of a vendor: the kernel's own names, and raw numbers */
};
struct vendor_name {
	const struct vendor_pmu *pmu;
	const char *event, *what;
	const char *equal; /* the event it stands for; NULL: none */
	uint64_t code;
	int id; /* for vendor_each_attribute() */
};
struct vendor_attribute {
	const char *name, *what;
	bool mask;  /* else a modifier of the event */
	bool value; /* that wants a number */
	uint64_t code;
};

void vendor_each_pmu(struct vendor *v, void (*fn)(void *ctx, const struct vendor_pmu *p),
		     void *ctx);
/* Of one PMU, or with NULL of all that are here. */
void vendor_each_event(struct vendor *v, struct str pmu,
		       void (*fn)(void *ctx, const struct vendor_name *n), void *ctx);
void vendor_each_attribute(struct vendor *v, int id,
			   void (*fn)(void *ctx, const struct vendor_attribute *a), void *ctx);

#endif
