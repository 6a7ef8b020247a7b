/*
 * Is a difference between two recordings larger than chance? A recording is a sample: of the n
 * times the clock ticked, x fell on a function. Counts are compared, not weights, because a count
 * has a known spread. docs/diff.md explains the choice of tests.
 */
#ifndef KILN_SIGNIFICANCE_H
#define KILN_SIGNIFICANCE_H

#include "base/base.h"

/* How often something was seen (x) among all samples (n) of a recording. */
struct share {
	uint64_t x, n;
};

/*
 * Chance that two recordings of the same behaviour differ as much as these, or more (two-sided,
 * exact given a.x + b.x: Fisher's test). *least is the smallest value that any split of a.x + b.x
 * could have had: what only a few samples can say at best.
 */
double chance_of_shares(struct share a, struct share b, double *least);

/* The same for two amounts (binomial test) where a fraction `expected` (0 to 1) of a + b is to be
 * expected in `a`. */
double chance_of_amounts(uint64_t a, uint64_t b, double expected, double *least);

/* Half the width of the 95 % interval of b.x / b.n - a.x / a.n (Newcombe's hybrid of Wilson's). */
double noise_of_difference(struct share a, struct share b);

#define SIGNIFICANT 0.05

/*
 * With many rows some look unusual by chance alone. Makes of every chance the probability that a
 * row as unusual as this is among all these rows (Holm), so that comparing with SIGNIFICANT calls
 * one of them wrongly in at most one of twenty tables. Rows that could not be significant whatever
 * they showed are not counted (Tarone) and become NAN.
 */
void adjust_chances(double *chances, const double *least, size_t n);

#endif
