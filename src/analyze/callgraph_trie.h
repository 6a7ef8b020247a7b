/*
 * The stacks behind call graphs, by function: one trie per `who` (see hist_keys.h), all in one
 * array with parent < child. It holds only what a graph can show. A function below the threshold in
 * all stacks of its who cannot be in a graph, so such frames lose their names and runs of them
 * become one; where hardly a stack is like another, this is most of them.
 */
#ifndef KILN_CALLGRAPH_TRIE_H
#define KILN_CALLGRAPH_TRIE_H

#include "analyze/hist.h"

struct trie_node {
	uint32_t parent; /* 0 for the root of a who, which stands for no frame */
	uint32_t sym;    /* from keys->sym_count on: nameless frames of place sym - sym_count */
	uint32_t entry;  /* 0: none that has a graph */
	uint32_t first_child; /* 0: none */
	uint32_t next;        /* sibling */
	uint32_t outer;       /* nearest node above with the same entry; only with children */
	uint32_t next_of_entry;
	uint32_t end;           /* latest of trie.ends that is here, + 1 */
	uint64_t weight, count; /* of samples at or below */
};

/* Samples of an entry whose stacks end at a node. */
struct trie_end {
	uint32_t entry, node;
	uint64_t weight, count;
};

struct callgraph_trie {
	VEC(struct trie_node) nodes; /* [0] unused */
	VEC(struct trie_end) ends;   /* by entry */
	uint32_t *first_node;        /* by entry: its nodes, linked by next_of_entry; only with
					children */
};

struct trie_options {
	bool children;
	uint64_t threshold; /* weight below which functions and entries have no graph */
	bool everything;    /* there is no such weight */
};

void callgraph_trie_build(struct callgraph_trie *t, const struct hist *h,
			  const struct hist_keys *keys, const struct trie_options *opt);
void callgraph_trie_free(struct callgraph_trie *t);

static inline bool trie_nameless(const struct hist_keys *k, uint32_t sym)
{
	return sym >= k->sym_count;
}

#endif
