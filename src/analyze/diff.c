#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/significance.h"

#define Z95 1.959963984540054

uint64_t diff_total(const struct diff *d, size_t file, const struct diff_options *opt)
{
	if (!file)
		return d->base_total;
	const struct hist *h = &d->base.members[file - 1];
	return opt->relative ? h->shown_weight : h->total_weight;
}

static uint64_t diff_count(const struct diff *d, uint32_t entry, size_t file)
{
	return file ? d->base.members[file - 1].entries.v[diff_cell(d, entry, file)->entry].count
		    : d->base.entries.v[entry].count;
}

static const struct hist *file_hist(const struct diff *d, size_t file)
{
	return file ? &d->base.members[file - 1] : &d->base;
}

/* --- values ---------------------------------------------------------------------------------- */

/* A division by zero is perf's, too: what has no samples at all has no shares. */
static double percent(uint64_t weight, uint64_t total)
{
	return (double)weight * 100.0 / (double)total;
}

static void compute(const struct diff *d, const struct diff_options *opt, uint32_t entry,
		    size_t file)
{
	struct diff_cell *c = diff_cell(d, entry, file);
	uint64_t old = diff_weight(d, entry, 0), new = diff_weight(d, entry, file);
	switch (opt->compute) {
	case DIFF_DELTA:
	case DIFF_DELTA_ABS:
		c->value = percent(new, diff_total(d, file, opt)) -
			   percent(old, diff_total(d, 0, opt));
		break;
	case DIFF_RATIO:
		c->value = (double)new / (double)(old ? old : 1);
		break;
	case DIFF_WDIFF:
		c->wdiff = (int64_t)(new *(uint64_t)opt->w2 - old *(uint64_t)opt->w1);
		break;
	}
}

/* --- significance ---------------------------------------------------------------------------- */

static struct share share_of(const struct diff *d, const struct diff_options *opt, uint32_t entry,
			     size_t file)
{
	const struct hist *h = file_hist(d, file);
	return (struct share){diff_count(d, entry, file),
			      opt->relative ? h->shown_count : h->total_count};
}

/* Weight of one sample, on average. */
static double mean_weight(const struct hist *h)
{
	return h->total_count && h->total_weight ? (double)h->total_weight / (double)h->total_count
						 : 1;
}

/* Counts are taken to vary by their square root. */
static double noise_of_amounts(const struct diff_options *opt, const struct diff_cell *c, double x1,
			       double weight1, double x2, double weight2)
{
	if (opt->compute == DIFF_WDIFF)
		return Z95 * hypot((double)opt->w1 * weight1 * sqrt(x1),
				   (double)opt->w2 * weight2 * sqrt(x2));
	if (x1 <= 0 || x2 <= 0)
		return INFINITY;
	return c->value * sinh(Z95 * sqrt(1 / x1 + 1 / x2)); /* the interval is even in log scale */
}

static double test_cell(const struct diff *d, const struct diff_options *opt, uint32_t entry,
			size_t file, double *least)
{
	struct diff_cell *c = diff_cell(d, entry, file);
	struct share a = share_of(d, opt, entry, 0), b = share_of(d, opt, entry, file);
	if (opt->compute == DIFF_DELTA || opt->compute == DIFF_DELTA_ABS) {
		c->noise = 100 * noise_of_difference(a, b);
		return chance_of_shares(a, b, least);
	}
	double weight1 = mean_weight(file_hist(d, 0)), weight2 = mean_weight(file_hist(d, file));
	c->noise = noise_of_amounts(opt, c, (double)a.x, weight1, (double)b.x, weight2);
	double old = weight1, new = weight2;
	if (opt->compute == DIFF_WDIFF) {
		old *= fabs((double)opt->w1);
		new *= fabs((double)opt->w2);
	}
	return chance_of_amounts(a.x, b.x, new / (old + new), least);
}

/* All rows and files of an event are one family of questions. */
static void test_all(struct diff *d, const struct diff_options *opt)
{
	size_t n = d->base.entries.n * (d->files - 1);
	double *chances = mem_calloc(n, sizeof *chances), *least = mem_calloc(n, sizeof *least);
	size_t *cells = mem_calloc(n, sizeof *cells);
	size_t tested = 0;
	for (size_t file = 1; file < d->files; file++) {
		bool empty = !file_hist(d, file)->total_count || !d->base.total_count;
		for (uint32_t entry = 1; entry < d->base.entries.n; entry++) {
			struct diff_cell *c = diff_cell(d, entry, file);
			c->chance = NAN;
			if (empty)
				continue;
			chances[tested] = test_cell(d, opt, entry, file, &least[tested]);
			cells[tested++] = (size_t)(c - d->cells);
		}
	}
	adjust_chances(chances, least, tested);
	for (size_t i = 0; i < tested; i++)
		d->cells[cells[i]].chance = chances[i];
	free(chances);
	free(least);
	free(cells);
}

/* --- which rows ------------------------------------------------------------------------------ */

static bool has_pair(const struct diff *d, uint32_t entry)
{
	for (size_t file = 1; file < d->files; file++)
		if (diff_cell(d, entry, file)->entry)
			return true;
	return false;
}

static bool is_significant(const struct diff *d, uint32_t entry)
{
	for (size_t file = 1; file < d->files; file++)
		if (diff_cell(d, entry, file)->chance <= SIGNIFICANT)
			return true;
	return false;
}

/* Rows of the others alone: not where a file's event was compared before. */
static bool is_new(const struct diff *d, uint32_t entry, const struct diff_file *files)
{
	for (size_t file = 1; file < d->files; file++)
		if (diff_cell(d, entry, file)->entry && !files[file].seen)
			return true;
	return false;
}

static bool compared(const struct diff *d, uint32_t entry, const struct diff_file *files,
		     const struct diff_options *opt)
{
	if (entry >= d->own)
		return !opt->baseline_only && is_new(d, entry, files);
	return !opt->baseline_only || has_pair(d, entry);
}

static void choose_rows(struct diff *d, const struct diff_file *files,
			const struct diff_options *opt)
{
	struct hist *h = &d->base;
	size_t n = 0;
	uint64_t left = 0;
	for (size_t i = 0; i < h->order_count; i++) {
		uint32_t entry = h->order[i];
		if (!compared(d, entry, files, opt))
			continue;
		left += diff_weight(d, entry, 0);
		if (!opt->significant || is_significant(d, entry))
			h->order[n++] = entry;
	}
	h->order_count = n;
	/* perf forgets the rows that -b leaves out before it prints shares, after comparing them.
	 */
	if (opt->baseline_only)
		d->base_total = left;
}

/* --- order ----------------------------------------------------------------------------------- */

struct sorter {
	const struct diff *d;
	const struct diff_options *opt;
};

struct sorted_row {
	uint32_t entry, place; /* place: by its keys */
};

static int compare_values(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_computed(const struct diff_options *opt, const struct diff_cell *a,
			    const struct diff_cell *b)
{
	switch (opt->compute) {
	case DIFF_DELTA_ABS:
		return compare_values(fabs(a->value), fabs(b->value));
	case DIFF_WDIFF:
		return a->wdiff > b->wdiff ? -1 : a->wdiff < b->wdiff;
	default:
		return compare_values(a->value, b->value);
	}
}

/* Those that have a thing come before those that have not; *both: the values decide. */
static int compare_presence(bool a, bool b, bool *both)
{
	*both = a && b;
	return a == b ? 0 : a ? -1 : 1;
}

/* By the file that -o names. */
static int compare_ordered(const struct sorter *s, uint32_t x, uint32_t y)
{
	const struct diff_cell *a = diff_cell(s->d, x, s->opt->order);
	const struct diff_cell *b = diff_cell(s->d, y, s->opt->order);
	bool both;
	int first = compare_presence(a->entry != 0, b->entry != 0, &both);
	if (!both)
		return first;
	/* Only differences of shares mean something where the baseline has nothing. */
	if (s->opt->compute == DIFF_RATIO || s->opt->compute == DIFF_WDIFF) {
		first = compare_presence(x < s->d->own, y < s->d->own, &both);
		if (!both)
			return first;
	}
	return compare_computed(s->opt, a, b);
}

static int compare_file(const struct sorter *s, uint32_t x, uint32_t y, size_t file)
{
	bool both;
	int first = compare_presence(has_pair(s->d, x), has_pair(s->d, y), &both);
	if (!both)
		return first;
	const struct diff_cell *a = diff_cell(s->d, x, file), *b = diff_cell(s->d, y, file);
	first = compare_presence(a->entry != 0, b->entry != 0, &both);
	return both ? compare_computed(s->opt, a, b) : first;
}

static int compare_rows(const void *x, const void *y, void *ctx)
{
	const struct sorter *s = ctx;
	const struct sorted_row *a = x, *b = y;
	int c = s->opt->order ? compare_ordered(s, a->entry, b->entry) : 0;
	if (!c) {
		uint64_t old = diff_weight(s->d, a->entry, 0),
			 other = diff_weight(s->d, b->entry, 0);
		c = old > other ? -1 : old < other;
	}
	for (size_t file = 1; !c && file < s->d->files; file++)
		c = compare_file(s, a->entry, b->entry, file);
	return c ? c : a->place < b->place ? -1 : 1;
}

static void sort_rows(struct diff *d, const struct diff_options *opt)
{
	struct hist *h = &d->base;
	struct sorted_row *rows = mem_calloc(h->order_count + 1, sizeof *rows);
	for (uint32_t i = 0; i < h->order_count; i++)
		rows[i] = (struct sorted_row){h->order[i], i};
	struct sorter s = {d, opt};
	qsort_r(rows, h->order_count, sizeof *rows, compare_rows, &s);
	for (size_t i = 0; i < h->order_count; i++)
		h->order[i] = rows[i].entry;
	free(rows);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void join(struct diff *d, struct hist_keys *keys, const struct hist_options *hist,
		 const struct diff_file *files)
{
	size_t others = d->files - 1;
	hist_build(&d->base, keys, hist, files[0].event);
	d->own = (uint32_t)d->base.entries.n;
	struct hist *members = mem_calloc(others, sizeof *members);
	for (size_t i = 0; i < others; i++)
		hist_build(&members[i], keys, hist, files[i + 1].event);
	hist_join(&d->base, keys, hist, members, others);
	d->cells = mem_calloc(d->base.entries.n * others, sizeof *d->cells);
	for (size_t i = others; i < d->base.entries.n * others; i++)
		d->cells[i].entry = d->base.pairs[i];
}

void diff_build(struct diff *d, struct hist_keys *keys, const struct hist_options *hist,
		const struct diff_file *files, size_t count, const struct diff_options *opt)
{
	*d = (struct diff){.files = count};
	join(d, keys, hist, files);
	struct hist *h = &d->base;
	d->base_total = opt->relative ? h->shown_weight : h->total_weight;
	for (uint32_t entry = 1; entry < h->entries.n; entry++)
		for (size_t file = 1; file < count; file++)
			if (diff_cell(d, entry, file)->entry)
				compute(d, opt, entry, file);
	if (opt->test)
		test_all(d, opt);
	choose_rows(d, files, opt);
	sort_rows(d, opt);
}

void diff_free(struct diff *d)
{
	hist_free(&d->base);
	free(d->cells);
	*d = (struct diff){0};
}
