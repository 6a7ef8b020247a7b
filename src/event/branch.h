/* Names of the kinds of branches that can be sampled: for -j and the branch_type term. */
#ifndef KILN_BRANCH_H
#define KILN_BRANCH_H

#include "base/err.h"
#include "base/str.h"

/* The PERF_SAMPLE_BRANCH_* bits of a list like "any,u"; in a term, where ',' parts the terms, ':'
 * may stand for it. */
MUST_USE bool branch_parse(struct str text, uint64_t *bits, struct err *err);

#endif
