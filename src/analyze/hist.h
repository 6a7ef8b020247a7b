/*
 * The histogram behind `report`: samples of one event added up by what the sort keys say, ordered.
 */
#ifndef KILN_HIST_H
#define KILN_HIST_H

#include "analyze/callgraph_trie.h"
#include "analyze/filter.h"
#include "analyze/hist_field.h"
#include "analyze/hist_keys.h"

#define CODE_KINDS (CODE_HYPERVISOR + 1)

struct hist_entry {
	uint64_t weight, count;       /* of samples taken here */
	uint64_t by_kind[CODE_KINDS]; /* weight, by enum code_kind */
	uint64_t children;            /* weight of samples with this anywhere on their stack,
					 each counted once; without children: 0 */
	uint32_t who, place;          /* the key, see hist_keys.h */
	uint32_t sym;                 /* one of the place */
	thread_id thread;             /* of the first sample */
	uint32_t cpu;
	string_id trace;
	uint32_t depth;      /* longest chain in its call graph */
	uint32_t first_node; /* its nodes in the trie, linked by next_of_entry */
};

struct hist_options {
	struct hist_fields fields;
	bool children;
	bool graphs;       /* call graphs will be asked for */
	bool caller_first; /* these begin at the root */
	struct filter filter;
};

struct hist {
	event_id event;
	VEC(struct hist_entry) entries;     /* [0] unused */
	uint32_t *order;                    /* entries.n - 1 of them, first one first */
	uint64_t total_weight, total_count; /* of the whole event */
	uint64_t shown_weight, shown_count; /* of what the filter leaves */
	struct callgraph_trie trie;         /* empty unless needed */
};

/* Entries of one event. `keys` serves all events of a profile. */
void hist_build(struct hist *h, struct hist_keys *keys, const struct hist_options *opt,
		event_id event);
void hist_free(struct hist *h);

/* Fills h->order; called by hist_build(). */
void hist_sort(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt);

#endif
