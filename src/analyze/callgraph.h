/*
 * Call graphs of a report's entries: who called it (callee first) or what happened from the root
 * on (caller first). Nodes hold a run of frames without a fork; siblings are ordered by weight.
 * What lies below the threshold is left out, but counted.
 */
#ifndef KILN_CALLGRAPH_H
#define KILN_CALLGRAPH_H

#include "analyze/callgraph_trie.h"

enum callgraph_mode {
	CALLGRAPH_GRAPH,   /* shares of the whole event */
	CALLGRAPH_FRACTAL, /* shares of the node above */
	CALLGRAPH_FLAT,    /* one chain after the other */
	CALLGRAPH_FOLDED,  /* the same, each on one line */
	CALLGRAPH_NONE,
};

enum callgraph_value { CALLGRAPH_PERCENT, CALLGRAPH_PERIOD, CALLGRAPH_COUNT };

struct callgraph_options {
	enum callgraph_mode mode;
	enum callgraph_value value;
	double min_percent;
	uint32_t print_limit; /* siblings shown of a node; 0: all */
	bool caller_first;
	bool order_set; /* the direction was asked for */
	enum sym_kind syms;
};

#define CALLGRAPH_MIN_PERCENT 0.5
/* What -g alone means. */
#define CALLGRAPH_TEXT_DEFAULT "graph,0.5,caller,function,percent"

/* "print_type,threshold[,print_limit],order,sort_key,value", every part optional and abbreviable.
 * Parts that are not named keep what *o has. */
MUST_USE bool callgraph_options_parse(struct callgraph_options *o, const char *text,
				      struct err *err);

struct callgraph_node {
	uint32_t parent, first_child, next; /* 0: none */
	uint32_t first_sym, sym_count;      /* its frames, in callgraph.syms */
	uint64_t weight, count;             /* of all that goes through it */
	uint64_t below_weight, below_count; /* of what goes on from it, also where not shown */
};

struct callgraph_end {
	uint32_t node;
	uint32_t found; /* the how manieth */
};

struct callgraph {
	VEC(struct callgraph_node) nodes; /* [0] stands above the first frames */
	VEC(uint32_t) syms;               /* see hist_keys.h */
	/* Flat and folded: the nodes where chains end, heaviest first. */
	VEC(struct callgraph_end) ends;

	const struct hist_keys *keys;
	const struct callgraph_options *opt;
	bool children;
	uint64_t total_weight; /* of the event, for thresholds */
	struct callgraph_trie trie;
	struct callgraph_work *work; /* kept between entries */
};

/* `weight` is what percentages and the threshold refer to. */
void callgraph_init(struct callgraph *g, const struct hist *h, const struct hist_keys *keys,
		    const struct callgraph_options *opt, bool children, uint64_t weight);
void callgraph_free(struct callgraph *g);

/* Whether the graph of an entry of this weight has anything in it. */
bool callgraph_worth(const struct callgraph *g, uint64_t weight);

/* Makes g the call graph of one entry, in place of the one before. */
void callgraph_of(struct callgraph *g, uint32_t entry);

#endif
