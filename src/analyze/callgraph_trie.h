/*
 * The stacks of one event by function: one trie per `who` (see hist_keys.h), all in one array with
 * parent < child. Where the profile has a node per return address, this has one per function, and
 * each knows the weight of all samples at or below it; children's shares and call graphs are read
 * off it, without a copy of any chain.
 */
#ifndef KILN_CALLGRAPH_TRIE_H
#define KILN_CALLGRAPH_TRIE_H

#include "analyze/hist_keys.h"
#include "profile/profile.h"

struct trie_node {
	uint32_t parent;      /* 0 for the root of a who, which stands for no frame */
	uint32_t sym;         /* 0 for roots */
	uint32_t entry;       /* see hist.h; 0: none */
	uint32_t first_child; /* 0: none */
	uint32_t next;        /* sibling */
	uint32_t outer;       /* nearest node above with the same entry */
	uint32_t next_of_entry;
	uint32_t depth;                   /* root 0 */
	uint64_t weight, count;           /* of samples at or below */
	uint64_t self_weight, self_count; /* of those of `entry` that end here */
};

/* Samples whose stack ends at a node that is not their entry's: the sampled address was not on top
 * of the recorded stack. */
struct trie_loose {
	uint32_t entry, node;
	uint64_t weight, count;
};

struct callgraph_trie {
	VEC(struct trie_node) nodes; /* [0] unused */
	VEC(struct trie_loose) loose;

	/* while building */
	struct index index;
	struct {
		uint32_t root, node;
	} * memo; /* by stack_id: its node in the trie of `root` */
	VEC(uint32_t) path;
	uint32_t root;
};

void callgraph_trie_init(struct callgraph_trie *t, const struct profile *p);
void callgraph_trie_free(struct callgraph_trie *t);

/* Begins the trie of another who. */
void callgraph_trie_root(struct callgraph_trie *t);

/* The node of a stack in the current trie (the root for the empty stack). New nodes are appended,
 * callers before callees. */
uint32_t callgraph_trie_add(struct callgraph_trie *t, const struct hist_keys *k, stack_id stack);

/* All stacks are in: adds up weights, frees what only building needed. */
void callgraph_trie_sum(struct callgraph_trie *t);

/* Fills `outer`, once all entries are set; entry_count as in hist.h. */
void callgraph_trie_link(struct callgraph_trie *t, size_t entry_count);

#endif
