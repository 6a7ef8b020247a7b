#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "analyze/significance.h"

static double choose(uint64_t n, uint64_t k)
{
	double v = 1;
	for (uint64_t i = 1; i <= k; i++)
		v = v * (double)(n - k + i) / (double)i;
	return v;
}

/* The definition, added up term by term. */
static double slow_chance(struct share a, struct share b, double *least)
{
	uint64_t n = a.x + b.x, low = n > b.n ? n - b.n : 0, high = MIN(n, a.n);
	double below = 0, above = 0, all = choose(a.n + b.n, n), mean;
	mean = (double)n * (double)a.n / (double)(a.n + b.n);
	double first = choose(a.n, low) * choose(b.n, n - low) / all;
	double last = choose(a.n, high) * choose(b.n, n - high) / all;
	for (uint64_t x = low; x <= high; x++) {
		double p = choose(a.n, x) * choose(b.n, n - x) / all;
		below += x <= a.x ? p : 0;
		above += x >= a.x ? p : 0;
	}
	*least = MIN(1.0, 2 * MIN(first, last));
	return MIN(1.0, 2 * ((double)a.x >= mean ? above : below));
}

static void close_to(double got, double want)
{
	if (fabs(got - want) > 1e-9 + 1e-6 * fabs(want))
		fail_msg("%.12g is not %.12g", got, want);
}

static void shares_follow_the_definition(void **state)
{
	(void)state;
	for (uint64_t n1 = 1; n1 < 14; n1 += 3)
		for (uint64_t n2 = 1; n2 < 20; n2 += 4)
			for (uint64_t x1 = 0; x1 <= n1; x1++)
				for (uint64_t x2 = 0; x2 <= n2; x2++) {
					struct share a = {x1, n1}, b = {x2, n2};
					double least, want_least = 1, want = 1;
					double got = chance_of_shares(a, b, &least);
					if (x1 + x2)
						want = slow_chance(a, b, &want_least);
					close_to(got, want);
					close_to(least, want_least);
					assert_true(got >= least - 1e-12);
				}
}

static void amounts_follow_the_definition(void **state)
{
	(void)state;
	double least;
	close_to(chance_of_amounts(0, 10, 0.5, &least), 2 * pow(0.5, 10));
	close_to(least, 2 * pow(0.5, 10));
	close_to(chance_of_amounts(5, 5, 0.5, &least), 1);
	/* P(X >= 3) of 4 at one in four: 4 * 3/256 + 1/256 */
	close_to(chance_of_amounts(3, 1, 0.25, &least), 2 * 13.0 / 256);
	close_to(chance_of_amounts(0, 0, 0.5, &least), 1);
	close_to(chance_of_amounts(1, 1, 0, &least), 1);
}

static void large_numbers_are_near_the_normal(void **state)
{
	(void)state;
	double least;
	struct share a = {50000, 1000000}, b = {51000, 1000000};
	double z = 1000 / sqrt(101000 * (1 - 0.0505));
	double got = chance_of_shares(a, b, &least);
	assert_true(fabs(got / erfc(z / sqrt(2)) - 1) < 0.02);
	/* So many that they are not added up one by one. */
	a = (struct share){UINT64_C(50000000000000), UINT64_C(1000000000000000)};
	b = (struct share){UINT64_C(50000030000000), UINT64_C(1000000000000000)};
	z = 3e7 / sqrt(1.0000003e14 * 0.95);
	assert_true(fabs(chance_of_shares(a, b, &least) / erfc(z / sqrt(2)) - 1) < 0.02);
	a = (struct share){0, 1000000};
	b = (struct share){900000, 1000000};
	assert_true(chance_of_shares(a, b, &least) == 0);
}

static void nonsense_is_no_difference(void **state)
{
	(void)state;
	double least;
	assert_true(chance_of_shares((struct share){3, 2}, (struct share){1, 2}, &least) == 1);
	assert_true(chance_of_shares((struct share){0, 0}, (struct share){1, 2}, &least) == 1);
	assert_true(noise_of_difference((struct share){0, 0}, (struct share){1, 2}) == 1);
}

static void noise_shrinks_with_the_root_of_the_samples(void **state)
{
	(void)state;
	double few = noise_of_difference((struct share){100, 1000}, (struct share){100, 1000});
	double many = noise_of_difference((struct share){10000, 100000},
					  (struct share){10000, 100000});
	assert_true(fabs(many / (1.96 * sqrt(2 * 0.09 / 100000)) - 1) < 0.01);
	assert_true(fabs(few / many - 10) < 0.2);
	/* Nothing seen is not nothing there. */
	assert_true(noise_of_difference((struct share){0, 100}, (struct share){0, 100}) > 0.01);
}

static void chances_grow_with_the_rows(void **state)
{
	(void)state;
	double p[] = {0.01, 0.04, 0.03, 0.005, 0.5}, least[] = {1e-9, 1e-9, 1e-9, 1e-9, 0.4};
	adjust_chances(p, least, 5);
	close_to(p[3], 0.02); /* 0.005 * 4: the last one cannot be significant and does not count */
	close_to(p[0], 0.03);
	close_to(p[2], 0.06);
	close_to(p[1], 0.06); /* not less than the one before */
	assert_true(isnan(p[4]));
	adjust_chances(NULL, NULL, 0);
}

/* --- simulated profiles ----------------------------------------------------------------------- */

#define ROWS 60

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Shares as programs have them: few large, many small. */
static void make_costs(double *costs)
{
	for (size_t i = 0; i < ROWS; i++)
		costs[i] = 1 / pow((double)(i + 2), 1.2);
}

static void draw(uint64_t *seed, const double *costs, uint64_t samples, uint64_t *counts)
{
	double sums[ROWS], total = 0;
	for (size_t i = 0; i < ROWS; i++) {
		sums[i] = total += costs[i];
		counts[i] = 0;
	}
	for (uint64_t s = 0; s < samples; s++) {
		double at = (double)(random_next(seed) >> 11) * 0x1p-53 * total;
		size_t row = 0;
		while (row < ROWS - 1 && sums[row] < at)
			row++;
		counts[row]++;
	}
}

static size_t count_significant(uint64_t *seed, const double *before, const double *after,
				uint64_t samples, bool *first_row)
{
	uint64_t a[ROWS], b[ROWS];
	double p[ROWS], least[ROWS];
	draw(seed, before, samples, a);
	draw(seed, after, samples, b);
	for (size_t i = 0; i < ROWS; i++)
		p[i] = chance_of_shares((struct share){a[i], samples},
					(struct share){b[i], samples}, &least[i]);
	adjust_chances(p, least, ROWS);
	size_t n = 0;
	for (size_t i = 0; i < ROWS; i++)
		n += p[i] <= SIGNIFICANT;
	*first_row = p[0] <= SIGNIFICANT;
	return n;
}

static void equal_programs_are_seldom_called_different(void **state)
{
	(void)state;
	double costs[ROWS];
	make_costs(costs);
	uint64_t seed = 88172645463325252u;
	size_t tables = 600, wrong = 0;
	bool first;
	for (size_t i = 0; i < tables; i++)
		wrong += count_significant(&seed, costs, costs, i % 2 ? 300 : 6000, &first) > 0;
	/* One in twenty is what is promised; the test itself must not be a game of chance. */
	assert_true(wrong <= tables / 20);
}

static void a_slower_function_is_named(void **state)
{
	(void)state;
	double before[ROWS], after[ROWS];
	make_costs(before);
	memcpy(after, before, sizeof after);
	after[0] *= 1.05;
	uint64_t seed = 2463534242u;
	size_t named = 0;
	for (size_t i = 0; i < 20; i++) {
		bool first;
		size_t n = count_significant(&seed, before, after, 400000, &first);
		named += first;
		assert_true(n <= 4); /* the others' shares fall, but each by little */
	}
	assert_true(named >= 19);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_follow_the_definition),
		cmocka_unit_test(amounts_follow_the_definition),
		cmocka_unit_test(large_numbers_are_near_the_normal),
		cmocka_unit_test(nonsense_is_no_difference),
		cmocka_unit_test(noise_shrinks_with_the_root_of_the_samples),
		cmocka_unit_test(chances_grow_with_the_rows),
		cmocka_unit_test(equal_programs_are_seldom_called_different),
		cmocka_unit_test(a_slower_function_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
