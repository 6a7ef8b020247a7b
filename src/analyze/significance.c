#include "analyze/significance.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

/* Parts of a tail below this share of what is added up already change nothing. */
#define NEGLIGIBLE 1e-17
/* From this spread on the normal distribution is as good, and adding up would take long. */
#define MANY 1e4
#define Z95 1.959963984540054 /* 97.5 % of the normal distribution lie below */

static double ln_factorial(double n)
{
	int sign; /* lgamma() itself writes a global */
	return lgamma_r(n + 1, &sign);
}

static double ln_choose(double n, double k)
{
	return ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
}

/* --- a distribution over low … high, known by neighbouring ratios ----------------------------- */

struct counts {
	double low, high;    /* of x */
	double mean, spread; /* spread: standard deviation */
	double n, n1, n2;    /* hypergeometric: n of n1 + n2 are drawn, x of them from n1 */
	double odds;         /* binomial, when > 0: p / (1 - p), of n draws */
};

static double probability(const struct counts *c, double x)
{
	if (c->odds > 0) {
		double p = c->odds / (1 + c->odds);
		return exp(ln_choose(c->n, x) + x * log(p) - (c->n - x) * log1p(c->odds));
	}
	return exp(ln_choose(c->n1, x) + ln_choose(c->n2, c->n - x) -
		   ln_choose(c->n1 + c->n2, c->n));
}

/* P(x + 1) / P(x). */
static double ratio_up(const struct counts *c, double x)
{
	if (c->odds > 0)
		return (c->n - x) / (x + 1) * c->odds;
	return (c->n1 - x) * (c->n - x) / ((x + 1) * (c->n2 - c->n + x + 1));
}

/* P(X >= x) for an x above the mean, P(X <= x) for one below: terms fall from the first on. */
static double tail(const struct counts *c, double x)
{
	bool up = x >= c->mean;
	if (c->spread > MANY)
		return erfc(fabs(x - c->mean) / c->spread / sqrt(2)) / 2;
	double term = probability(c, x), sum = term;
	while (up ? x < c->high : x > c->low) {
		term *= up ? ratio_up(c, x) : 1 / ratio_up(c, x - 1);
		x += up ? 1 : -1;
		sum += term;
		if (term <= sum * NEGLIGIBLE)
			break;
	}
	return sum;
}

static double two_sided(const struct counts *c, double x, double *least)
{
	double low = probability(c, c->low), high = probability(c, c->high);
	*least = MIN(1.0, 2 * MIN(low, high));
	return MIN(1.0, 2 * tail(c, x));
}

double chance_of_shares(struct share a, struct share b, double *least)
{
	struct counts c = {.n = (double)a.x + (double)b.x, .n1 = (double)a.n, .n2 = (double)b.n};
	*least = 1;
	if (c.n <= 0 || !a.n || !b.n || a.x > a.n || b.x > b.n)
		return 1;
	c.low = c.n > c.n2 ? c.n - c.n2 : 0;
	c.high = MIN(c.n, c.n1);
	double all = c.n1 + c.n2;
	c.mean = c.n * c.n1 / all;
	c.spread = sqrt(c.mean * (c.n2 / all) * ((all - c.n) / MAX(1.0, all - 1)));
	return two_sided(&c, (double)a.x, least);
}

double chance_of_amounts(uint64_t a, uint64_t b, double expected, double *least)
{
	struct counts c = {.n = (double)a + (double)b, .odds = expected / (1 - expected)};
	*least = 1;
	if (c.n <= 0 || !(expected > 0 && expected < 1))
		return 1;
	c.high = c.n;
	c.mean = c.n * expected;
	c.spread = sqrt(c.mean * (1 - expected));
	return two_sided(&c, (double)a, least);
}

/* --- intervals -------------------------------------------------------------------------------- */

static void wilson(struct share s, double *low, double *high)
{
	double n = (double)s.n, p = (double)s.x / n, z2 = Z95 * Z95;
	double middle = p + z2 / (2 * n);
	double half = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	*low = MAX(0.0, (middle - half) / (1 + z2 / n));
	*high = MIN(1.0, (middle + half) / (1 + z2 / n));
}

double noise_of_difference(struct share a, struct share b)
{
	if (!a.n || !b.n || a.x > a.n || b.x > b.n)
		return 1;
	double al, ah, bl, bh;
	wilson(a, &al, &ah);
	wilson(b, &bl, &bh);
	double pa = (double)a.x / (double)a.n, pb = (double)b.x / (double)b.n;
	double below = hypot(pb - bl, ah - pa), above = hypot(bh - pb, pa - al);
	return (below + above) / 2;
}

/* --- many rows -------------------------------------------------------------------------------- */

struct chance {
	double p;
	size_t row;
};

static int compare_chances(const void *x, const void *y)
{
	const struct chance *a = x, *b = y;
	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

/* Tarone's K: the smallest number such that at most K rows can reach SIGNIFICANT / K. Rows that
 * cannot are never significant among K, so they need not be paid for. */
static double least_worth_testing(const double *least, size_t n)
{
	double *sorted = mem_calloc(n + 1, sizeof *sorted);
	memcpy(sorted, least, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, compare_doubles);
	size_t k = 1, able = n;
	for (; k < n; k++) {
		while (able && sorted[able - 1] > SIGNIFICANT / (double)k)
			able--;
		if (able <= k)
			break;
	}
	free(sorted);
	return SIGNIFICANT / (double)k;
}

void adjust_chances(double *chances, const double *least, size_t n)
{
	if (!n)
		return;
	double limit = least_worth_testing(least, n);
	VEC(struct chance) tested = {0};
	for (size_t i = 0; i < n; i++) {
		if (least[i] <= limit)
			vec_push(&tested, (struct chance){chances[i], i});
		chances[i] = NAN;
	}
	if (tested.n)
		qsort(tested.v, tested.n, sizeof *tested.v, compare_chances);
	double highest = 0;
	for (size_t i = 0; i < tested.n; i++) {
		highest = MAX(highest, MIN(1.0, tested.v[i].p * (double)(tested.n - i)));
		chances[tested.v[i].row] = highest;
	}
	vec_free(&tested);
}
