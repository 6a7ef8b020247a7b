#include "render/diff_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/significance.h"

enum diff_column {
	COLUMN_BASELINE,
	COLUMN_BASE_PERIOD,
	COLUMN_DELTA,
	COLUMN_DELTA_ABS,
	COLUMN_RATIO,
	COLUMN_WDIFF,
	COLUMN_NOISE,
	COLUMN_CHANCE,
	COLUMN_FORMULA,
	COLUMN_PERIOD,
};

/* Longest text that perf has room for. */
#define FORMULA_WIDTH 70

static const struct {
	const char *name;
	size_t width;
} infos[] = {
	[COLUMN_BASELINE] = {"Baseline", 0},
	[COLUMN_BASE_PERIOD] = {"Base period", 14},
	[COLUMN_DELTA] = {"Delta", 7},
	[COLUMN_DELTA_ABS] = {"Delta Abs", 7},
	[COLUMN_RATIO] = {"Ratio", 14},
	[COLUMN_WDIFF] = {"Weighted diff", 14},
	[COLUMN_NOISE] = {"Noise", 8},
	[COLUMN_CHANCE] = {"Chance", 9},
	[COLUMN_FORMULA] = {"Formula", FORMULA_WIDTH},
	[COLUMN_PERIOD] = {"Period", 14},
};

struct column {
	enum diff_column kind;
	size_t file;
};

struct table {
	const struct diff *d;
	const struct diff_text_options *opt;
	VEC(struct column) columns;
	VEC(struct report_extra_column) heads; /* by column */
	struct arena names;
};

/* --- columns --------------------------------------------------------------------------------- */

static void add_column(struct table *t, enum diff_column kind, size_t file)
{
	const char *name = infos[kind].name;
	if (t->d->files > 2)
		name = arena_printf(&t->names, "%s/%zu", name, file);
	vec_push(&t->columns, (struct column){kind, file});
	vec_push(&t->heads,
		 (struct report_extra_column){name, MAX(infos[kind].width, strlen(name))});
}

static void choose_columns(struct table *t)
{
	static const enum diff_column computed[] = {
		[DIFF_DELTA] = COLUMN_DELTA,
		[DIFF_DELTA_ABS] = COLUMN_DELTA_ABS,
		[DIFF_RATIO] = COLUMN_RATIO,
		[DIFF_WDIFF] = COLUMN_WDIFF,
	};
	add_column(t, COLUMN_BASELINE, 0);
	if (t->opt->period)
		add_column(t, COLUMN_BASE_PERIOD, 0);
	for (size_t file = 1; file < t->d->files; file++) {
		add_column(t, computed[t->opt->diff->compute], file);
		if (t->opt->diff->test) {
			add_column(t, COLUMN_NOISE, file);
			add_column(t, COLUMN_CHANCE, file);
		}
		if (t->opt->formula)
			add_column(t, COLUMN_FORMULA, file);
		if (t->opt->period)
			add_column(t, COLUMN_PERIOD, file);
	}
}

/* --- cells ----------------------------------------------------------------------------------- */

struct cell {
	char text[FORMULA_WIDTH];
};

static void put_formula(const struct table *t, uint32_t entry, size_t file, struct cell *c)
{
	const struct diff_options *opt = t->opt->diff;
	uint64_t old = diff_weight(t->d, entry, 0), new = diff_weight(t->d, entry, file);
	switch (opt->compute) {
	case DIFF_DELTA:
	case DIFF_DELTA_ABS:
		snprintf(c->text, sizeof c->text,
			 "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64 ")",
			 new, diff_total(t->d, file, opt), old, diff_total(t->d, 0, opt));
		break;
	case DIFF_RATIO:
		snprintf(c->text, sizeof c->text, "%.0F / %.0F", (double)new, (double)old);
		break;
	case DIFF_WDIFF:
		snprintf(c->text, sizeof c->text,
			 "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")", new, opt->w2,
			 old, opt->w1);
		break;
	}
}

/* With a separator perf writes numbers otherwise, and some not at all. */
static void put_value(const struct table *t, uint32_t entry, const struct column *col, size_t width,
		      struct cell *c)
{
	const struct diff_cell *cell = diff_cell(t->d, entry, col->file);
	bool padded = !t->opt->separator, in_base = entry < t->d->own;
	int w = (int)width;
	if (col->kind == COLUMN_DELTA || col->kind == COLUMN_DELTA_ABS)
		snprintf(c->text, sizeof c->text, "%+*.2f%%", padded ? w - 1 : 4, cell->value);
	else if (!in_base)
		snprintf(c->text, sizeof c->text, "%s", "N/A");
	else if (col->kind == COLUMN_WDIFF && (padded || cell->wdiff))
		snprintf(c->text, sizeof c->text, "%14" PRId64, cell->wdiff);
	else if (col->kind == COLUMN_RATIO && (padded || cell->value > 0))
		snprintf(c->text, sizeof c->text, "%*.6f", padded ? w : 14, cell->value);
}

static void put_noise(const struct table *t, const struct diff_cell *cell, struct cell *c)
{
	enum diff_compute compute = t->opt->diff->compute;
	if (!isfinite(cell->noise))
		return;
	if (compute == DIFF_WDIFF)
		snprintf(c->text, sizeof c->text, "+-%.0f", cell->noise);
	else if (compute == DIFF_RATIO)
		snprintf(c->text, sizeof c->text, "+-%.4f", cell->noise);
	else
		snprintf(c->text, sizeof c->text, "+-%.2f%%", cell->noise);
}

static void put_chance(const struct diff_cell *cell, struct cell *c)
{
	const char *mark = cell->chance <= SIGNIFICANT ? " *" : "  ";
	if (isnan(cell->chance))
		snprintf(c->text, sizeof c->text, "few  ");
	else if (cell->chance < 0.0001)
		snprintf(c->text, sizeof c->text, "<0.01%%%s", mark);
	else
		snprintf(c->text, sizeof c->text, "%.2f%%%s", 100 * cell->chance, mark);
}

static void put_baseline(const struct table *t, uint32_t entry, size_t width, struct cell *c)
{
	double percent = 100.0 * (double)diff_weight(t->d, entry, 0) /
			 (double)diff_total(t->d, 0, t->opt->diff);
	if (entry >= t->d->own)
		return;
	if (t->opt->separator)
		snprintf(c->text, sizeof c->text, "%.2f", percent);
	else
		snprintf(c->text, sizeof c->text, "%*.2f%%", (int)width - 1, percent);
}

static void put_cell(const struct table *t, const struct column *col, size_t width, uint32_t entry,
		     struct cell *c)
{
	if (col->kind == COLUMN_BASELINE) {
		put_baseline(t, entry, width, c);
		return;
	}
	if (col->kind == COLUMN_BASE_PERIOD) {
		snprintf(c->text, sizeof c->text, "%" PRIu64, diff_weight(t->d, entry, 0));
		return;
	}
	const struct diff_cell *cell = diff_cell(t->d, entry, col->file);
	if (col->kind == COLUMN_NOISE)
		put_noise(t, cell, c);
	else if (col->kind == COLUMN_CHANCE)
		put_chance(cell, c);
	else if (!cell->entry)
		return;
	else if (col->kind == COLUMN_FORMULA)
		put_formula(t, entry, col->file, c);
	else if (col->kind == COLUMN_PERIOD)
		snprintf(c->text, sizeof c->text, "%" PRIu64, diff_weight(t->d, entry, col->file));
	else
		put_value(t, entry, col, width, c);
}

static void print_cell(struct out *o, const void *ctx, size_t column, uint32_t entry)
{
	const struct table *t = ctx;
	const struct column *col = &t->columns.v[column];
	size_t width = t->heads.v[column].width;
	struct cell c = {" "};
	put_cell(t, col, width, entry, &c);
	/* perf forgets to pad this one: its number is 14 wide whatever the column is. */
	bool unpadded = t->opt->separator || (col->kind == COLUMN_WDIFF && entry < t->d->own &&
					      diff_cell(t->d, entry, col->file)->entry);
	out_fmt(o, "%*s", unpadded ? 0 : (int)width, c.text);
}

/* --- the table ------------------------------------------------------------------------------- */

static void print_files(struct out *o, const struct table *t)
{
	out_cstr(o, "# Data files:\n");
	for (size_t i = 0; i < t->d->files; i++)
		out_fmt(o, "#  [%zu] %s %s\n", i, t->opt->names[i], i ? "" : "(Baseline)");
	out_cstr(o, "#\n");
}

static void print_title(struct out *o, const struct table *t, const struct hist_keys *keys,
			bool first)
{
	const struct profile *p = keys->p;
	struct str name = profile_str(p, p->events.v[t->d->base.event.v].name);
	out_fmt(o, "%s# Event '%.*s'\n#\n", first ? "" : "\n", (int)name.n, name.p);
}

void diff_text_event(struct out *o, const struct diff *d, const struct hist_keys *keys,
		     const struct hist_options *hist, const struct diff_text_options *opt,
		     bool first)
{
	struct table t = {.d = d, .opt = opt};
	choose_columns(&t);
	if (!opt->quiet)
		print_title(o, &t, keys, first);
	if (opt->list_files || (d->files > 2 && !opt->quiet))
		print_files(o, &t);
	struct report_options report = {
		.hist = hist,
		.separator = opt->separator,
		.quiet = opt->quiet,
		.dso_filter = opt->dso_filter,
		.extra = {.count = t.columns.n,
			  .columns = t.heads.v,
			  .cell = print_cell,
			  .ctx = &t},
		.trace_header = opt->stacks ? "Stack" : NULL,
	};
	report_text_table(o, &d->base, keys, &report);
	vec_free(&t.columns);
	vec_free(&t.heads);
	arena_free(&t.names);
}
