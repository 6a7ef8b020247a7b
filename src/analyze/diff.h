/*
 * What changed between recordings of one program: the histograms of one event, one per recording,
 * joined by what the sort keys say. The first is the baseline that all others are compared with.
 */
#ifndef KILN_DIFF_H
#define KILN_DIFF_H

#include "analyze/hist.h"

enum diff_compute {
	DIFF_DELTA,     /* difference of shares, in percentage points */
	DIFF_DELTA_ABS, /* the same, ordered by how large it is in either direction */
	DIFF_RATIO,     /* new weight / old weight */
	DIFF_WDIFF,     /* new weight * w2 - old weight * w1 */
};

struct diff_options {
	enum diff_compute compute;
	int64_t w1, w2;
	size_t order;       /* the file whose differences order the rows first; 0: none */
	bool baseline_only; /* only rows that the baseline has, too */
	bool relative;      /* shares of what the filter leaves, not of all samples */
	bool test;          /* fill noise and chance of the cells */
	bool significant;   /* only rows with a significant difference; needs test */
};

/* One row in one file other than the baseline. */
struct diff_cell {
	uint32_t entry; /* of the file's own histogram; 0: it has none */
	double value;   /* shares: percentage points; ratio */
	int64_t wdiff;
	double noise;  /* half the width of value's 95 % interval (of wdiff's for DIFF_WDIFF) */
	double chance; /* that two equal runs differ so; NAN: too few samples to tell */
};

struct diff {
	struct hist base;        /* h.order: the rows to show, h.members: the other files */
	size_t files;            /* the baseline counts */
	uint32_t own;            /* entries from here on are not in the baseline */
	struct diff_cell *cells; /* by entry * (files - 1) + file - 1 */
	uint64_t base_total;     /* 100 % of the baseline's column */
};

/* Where a row's samples in one of the files come from. */
struct diff_file {
	event_id event; /* in the keys' profile; 0: this file does not have the event */
	bool seen; /* it was compared with another event of the baseline: adds no rows of its own */
};

/* `keys` are those of a profile that holds all files (profile/merge.h). files[0] is the baseline.
 */
void diff_build(struct diff *d, struct hist_keys *keys, const struct hist_options *hist,
		const struct diff_file *files, size_t count, const struct diff_options *opt);
void diff_free(struct diff *d);

static inline struct diff_cell *diff_cell(const struct diff *d, uint32_t entry, size_t file)
{
	return &d->cells[entry * (d->files - 1) + file - 1];
}

/* 100 % of a file (0: the baseline). */
uint64_t diff_total(const struct diff *d, size_t file, const struct diff_options *opt);

static inline uint64_t diff_weight(const struct diff *d, uint32_t entry, size_t file)
{
	return file ? d->base.members[file - 1].entries.v[diff_cell(d, entry, file)->entry].weight
		    : d->base.entries.v[entry].weight;
}

#endif
