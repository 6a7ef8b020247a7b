/*
 * Call graphs as perf draws them: a pipe per level, "--12.34%--" before a branch, frames without a
 * fork one below the other.
 */
#include <stdio.h>

#include "render/report_text.h"

#define MARGIN 12
#define LEVEL 11 /* columns per level: a pipe and ten more */

/* A node whose children are being drawn. */
struct level {
	uint32_t node; /* the next one to draw */
	uint32_t mask; /* bit per level: its pipe goes on; perf has 32, and wraps around */
	uint32_t printed;
	uint64_t total; /* what their percentages refer to */
	uint64_t left;  /* of total, not drawn yet */
	uint64_t left_count;
};

struct drawing {
	struct out *o;
	const struct callgraph *g;
	const struct report_options *opt;
	size_t margin;
	uint64_t event_weight;
	VEC(struct level) levels;
};

static const struct callgraph_node *node_at(const struct drawing *d, uint32_t n)
{
	return &d->g->nodes.v[n];
}

static void print_sym(const struct drawing *d, uint32_t sym)
{
	const struct profile *p = d->g->keys->p;
	const struct profile_frame *fr = profile_frame_at(p, hist_keys_frame(d->g->keys, sym));
	const struct profile_func *func = &p->funcs.v[fr->func.v];
	struct str name = profile_str(p, func->name);
	if (!name.n) {
		out_fmt(d->o, "%#" PRIx64, fr->addr);
		return;
	}
	out_str(d->o, name);
	if (d->opt->graph->syms != SYM_FUNCTION) {
		out_char(d->o, ' ');
		if (fr->srcline.v) {
			out_str(d->o, profile_str(p, fr->srcline));
		} else {
			out_str(d->o, name);
			out_fmt(d->o, "+%" PRIu64, fr->addr - func->start);
		}
	}
	if (fr->flags & FRAME_INLINED)
		out_cstr(d->o, " (inlined)");
}

static void print_value(const struct drawing *d, uint64_t weight, uint64_t count, uint64_t total)
{
	switch (d->opt->graph->value) {
	case CALLGRAPH_PERIOD:
		out_u64(d->o, weight);
		break;
	case CALLGRAPH_COUNT:
		out_u64(d->o, count);
		break;
	case CALLGRAPH_PERCENT:
		out_fmt(d->o, "%.2f%%", total ? (double)weight * 100.0 / (double)total : 0.0);
		break;
	}
}

static bool pipe_at(uint32_t mask, size_t level)
{
	return mask >> (level & 31) & 1;
}

/* The line between two branches: pipes only. */
static void print_pipes(const struct drawing *d, size_t depth, uint32_t mask)
{
	out_spaces(d->o, MARGIN + d->margin);
	for (size_t i = 0; i < depth; i++) {
		out_char(d->o, pipe_at(mask, i) ? '|' : ' ');
		out_spaces(d->o, LEVEL - 1);
	}
	out_char(d->o, '\n');
}

/* Pipes up to the last level; there "--VALUE--" goes, or blanks. */
static void print_before(const struct drawing *d, size_t depth, uint32_t mask)
{
	out_spaces(d->o, MARGIN + d->margin);
	for (size_t i = 0; i < depth; i++) {
		out_char(d->o, pipe_at(mask, i) ? '|' : ' ');
		if (i + 1 < depth)
			out_spaces(d->o, LEVEL - 1);
	}
}

static void print_node(const struct drawing *d, const struct callgraph_node *n, size_t depth,
		       uint32_t mask, uint64_t total)
{
	for (uint32_t i = 0; i < n->sym_count; i++) {
		print_before(d, depth, mask);
		if (i == 0) {
			out_cstr(d->o, "--");
			print_value(d, n->weight, n->count, total);
			out_cstr(d->o, "--");
		} else {
			out_spaces(d->o, LEVEL - 1);
		}
		print_sym(d, d->g->syms.v[n->first_sym + i]);
		out_char(d->o, '\n');
	}
}

static bool fractal(const struct drawing *d)
{
	return d->opt->graph->mode == CALLGRAPH_FRACTAL;
}

/* Fractal percentages add up to 100: what is not shown is said to be missing. */
static void print_rest(const struct drawing *d, const struct level *l, size_t depth)
{
	if (!fractal(d) || !l->left || l->left == l->total)
		return;
	if (d->opt->graph->value == CALLGRAPH_COUNT && !l->left_count)
		return;
	print_before(d, depth, l->mask & ~(1u << ((depth - 1) & 31)));
	out_cstr(d->o, "--");
	print_value(d, l->left, l->left_count, l->total);
	out_cstr(d->o, "--[...]\n");
}

static void enter(struct drawing *d, uint32_t above, uint32_t mask, uint64_t total)
{
	const struct callgraph_node *n = node_at(d, above);
	vec_push(&d->levels, (struct level){.node = n->first_child,
					    .mask = mask,
					    .total = total,
					    .left = total,
					    .left_count = n->below_count});
}

static void print_tree(struct drawing *d, uint32_t above, uint64_t total)
{
	uint32_t limit = d->opt->graph->print_limit;
	enter(d, above, 1, total);
	while (d->levels.n) {
		size_t depth = d->levels.n;
		struct level *l = &vec_last(&d->levels);
		if (!l->node || (limit && l->printed == limit)) {
			print_rest(d, l, depth);
			d->levels.n--;
			continue;
		}
		const struct callgraph_node *n = node_at(d, l->node);
		uint32_t id = l->node, pipes = l->mask;
		l->left -= n->weight;
		l->left_count -= n->count;
		l->node = n->next;
		l->printed++;
		/* The last branch ends the pipe, unless a line for the rest follows. */
		if (!n->next && (!fractal(d) || !l->left))
			l->mask &= ~(1u << ((depth - 1) & 31));
		print_pipes(d, depth, pipes);
		print_node(d, n, depth, l->mask, l->total);
		enter(d, id, l->mask | 1u << (depth & 31), fractal(d) ? n->below_weight : l->total);
	}
}

/* A single chain that has all of the entry's weight needs no percentage: its frames hang right
 * below the entry. Returns whether anything was printed. */
static bool print_trunk(struct drawing *d, const struct callgraph_node *n)
{
	bool begun = false;
	uint32_t printed = 0;
	for (uint32_t i = d->opt->skip_first_frame; i < n->sym_count; i++) {
		out_spaces(d->o, MARGIN + d->margin);
		if (!begun) {
			out_cstr(d->o, "|\n");
			out_spaces(d->o, MARGIN + d->margin);
			out_cstr(d->o, "---");
			d->margin += 3;
			begun = true;
		}
		print_sym(d, d->g->syms.v[n->first_sym + i]);
		out_char(d->o, '\n');
		if (++printed == d->opt->graph->print_limit)
			break;
	}
	return begun;
}

static void print_graph(struct drawing *d, uint64_t entry_weight)
{
	uint32_t top = 0;
	uint32_t first = node_at(d, 0)->first_child;
	bool printed = false;
	if (first && !node_at(d, first)->next && node_at(d, first)->weight == entry_weight) {
		printed = print_trunk(d, node_at(d, first));
		top = first;
	}
	bool more = node_at(d, top)->first_child != 0;
	print_tree(d, top, fractal(d) ? entry_weight : d->event_weight);
	if (printed || more)
		out_char(d->o, '\n');
}

/* --- chain by chain -------------------------------------------------------------------------- */

/* The frames from the first one down to those of this node, through d->levels as a stack. */
static void each_frame(struct drawing *d, uint32_t node,
		       void (*fn)(struct drawing *, uint32_t sym, bool first))
{
	vec_clear(&d->levels);
	for (; node; node = node_at(d, node)->parent)
		vec_push(&d->levels, (struct level){.node = node});
	bool first = true;
	while (d->levels.n) {
		const struct callgraph_node *n = node_at(d, vec_last(&d->levels).node);
		d->levels.n--;
		for (uint32_t i = 0; i < n->sym_count; i++, first = false)
			fn(d, d->g->syms.v[n->first_sym + i], first);
	}
}

static void print_flat_frame(struct drawing *d, uint32_t sym, bool first)
{
	(void)first;
	out_spaces(d->o, 16);
	print_sym(d, sym);
	out_char(d->o, '\n');
}

static void print_folded_frame(struct drawing *d, uint32_t sym, bool first)
{
	if (!first)
		out_cstr(d->o, d->opt->separator ? d->opt->separator : ";");
	print_sym(d, sym);
}

static void print_chains(struct drawing *d)
{
	bool folded = d->opt->graph->mode == CALLGRAPH_FOLDED;
	uint32_t limit = d->opt->graph->print_limit;
	for (size_t i = 0; i < d->g->ends.n && !(limit && i == limit); i++) {
		uint32_t id = d->g->ends.v[i].node;
		const struct callgraph_node *n = node_at(d, id);
		if (folded) {
			print_value(d, n->weight - n->below_weight, n->count - n->below_count,
				    d->event_weight);
			out_char(d->o, ' ');
		} else {
			out_spaces(d->o, 11);
			print_value(d, n->weight, n->count, d->event_weight);
			out_char(d->o, '\n');
		}
		each_frame(d, id, folded ? print_folded_frame : print_flat_frame);
		out_char(d->o, '\n');
	}
}

void report_text_graph(struct out *o, const struct callgraph *g, const struct report_options *opt,
		       uint64_t event_weight, uint64_t entry_weight)
{
	struct drawing d = {.o = o, .g = g, .opt = opt, .event_weight = event_weight};
	if (opt->graph->mode == CALLGRAPH_FLAT || opt->graph->mode == CALLGRAPH_FOLDED)
		print_chains(&d);
	else
		print_graph(&d, entry_weight);
	vec_free(&d.levels);
}
