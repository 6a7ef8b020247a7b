/* Whether this machine, kernel and user can really have an event: it is tried. */
#ifndef KILN_AVAILABLE_H
#define KILN_AVAILABLE_H

#include "base/base.h"
#include "perfdata/attr.h"

struct available {
	bool yes;
	bool user_only; /* yes, but not in the kernel */
	int error;      /* errno of the try that failed; 0 when it was not tried or did not fail */
	char why[128];  /* a few words, when not or not wholly */
};

/* Opens the event, disabled, on this process or, where it belongs to CPUs, on one of these (NULL:
 * CPU 0), and closes it. A tracepoint takes the kernel some hundredths of a second. */
void available_try(const struct attr *attr, const char *cpus, struct available *out);

#endif
