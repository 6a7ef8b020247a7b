/*
 * The histogram behind `report`: samples of one event added up by what the sort keys say, ordered.
 */
#ifndef KILN_HIST_H
#define KILN_HIST_H

#include "analyze/filter.h"
#include "analyze/hist_field.h"
#include "analyze/hist_keys.h"

#define CODE_KINDS (CODE_HYPERVISOR + 1)

struct hist_entry {
	uint64_t weight, count; /* of samples taken here */
	uint64_t children;      /* weight of samples with this anywhere on their stack, each counted
				   once; without children: 0 */
	uint32_t who, place;    /* the key, see hist_keys.h */
	uint32_t sym;           /* one of the place */
	thread_id thread;       /* of the first sample */
	uint32_t depth;         /* longest chain in its call graph; only with children and graphs */
};

/* Weight by enum code_kind, of the samples taken in an entry. */
struct hist_modes {
	uint64_t weight[CODE_KINDS];
};

struct hist_options {
	struct hist_fields fields;
	bool children;
	bool graphs;       /* call graphs will be asked for */
	bool caller_first; /* these begin at the root */
	struct filter filter;
	uint32_t max_depth;      /* frames of a stack that count, from the root; 0: all */
	const char *symbol_part; /* list only entries with this in their symbol's name; NULL: all */
};

struct hist {
	event_id event;
	/* [0] unused; the entries of one who are neighbours, from who_entries[who] on */
	VEC(struct hist_entry) entries;
	VEC(struct hist_modes) modes; /* by entry; empty unless a column asks */
	uint32_t *who_entries;
	uint32_t *order; /* the entries to list, first one first */
	size_t order_count;
	/* The event's rows that the filter leaves; those of one who from who_rows[who] on. */
	uint32_t *rows, *who_rows;
	size_t who_count;
	uint32_t *cut; /* by stack_id: what is left of it with max_depth; NULL: all */
	uint64_t total_weight, total_count; /* of the whole event */
	uint64_t shown_weight, shown_count; /* of what the filter leaves */
	/* Other events of its group, shown beside it: pairs[entry * member_count + i] is the same
	 * entry in members[i], 0 where that has none. */
	struct hist *members;
	size_t member_count;
	uint32_t *pairs;
};

/* Entries of one event. `keys` serves all events of a profile. */
void hist_build(struct hist *h, struct hist_keys *keys, const struct hist_options *opt,
		event_id event);
void hist_free(struct hist *h);

static inline stack_id hist_stack(const struct hist *h, const struct profile_row *row)
{
	return h->cut ? (stack_id){h->cut[row->stack.v]} : row->stack;
}

/* Takes over the histograms of other events, made with the same keys and options, to be shown
 * beside this one. What only they have becomes an entry of this one, too. `members` is freed with
 * h. */
void hist_join(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt,
	       struct hist *members, size_t count);

/* The number that a column shows; entry 0 has none of anything. */
uint64_t hist_number(const struct hist *h, enum hist_field f, uint32_t entry);

/* Fills h->order; called by hist_build() and hist_join(). */
void hist_order(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt);

#endif
