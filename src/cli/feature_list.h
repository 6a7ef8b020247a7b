/* What this kiln can do, by the names of perf's build options. */
#ifndef KILN_FEATURE_LIST_H
#define KILN_FEATURE_LIST_H

#include "base/out.h"

struct feature {
	const char *name;
	const char *macro; /* of perf's build */
	bool on;
};

extern const struct feature features[]; /* ends with {0} */

void feature_print(struct out *o, const struct feature *f);

#endif
