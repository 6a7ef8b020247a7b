/*
 * Raw call chains to interned stacks. Each distinct chain of an address space is resolved once:
 * most samples end at a hash look-up.
 *
 * Chains are taken in batches. The tables are far larger than the caches, so every look-up would
 * wait for memory; in a batch all look-ups of one step are prefetched before the first is made.
 */
#ifndef KILN_CHAINS_H
#define KILN_CHAINS_H

#include "base/diag.h"
#include "perfdata/record.h"
#include "profile/profile.h"
#include "session/session.h"

struct chain {
	uint64_t hash;  /* over the addresses, the ip, the process and its epoch */
	uint32_t count; /* of addresses */
	frame_id leaf;  /* of the sampled ip */
	union {
		stack_id stack; /* interned */
		struct {        /* flat: c->frames[first .. first + depth), leaf first */
			uint32_t first, depth;
		};
	};
};

#define CHAIN_BATCH 32

/* One sample's chain, to be looked up; filled by the caller up to the mark. */
struct chain_request {
	const struct sample *sample;
	uint32_t process;
	uint64_t time;
	uint64_t offset; /* of the record, for messages */
	/* by chains_intern() */
	uint32_t chain; /* number in the list */
	uint64_t hash;
	uint64_t user_key, kernel_key; /* equal keys: equal address spaces; never 0 */
};

/* Answers for neighbouring addresses, valid for one address space. */
struct place_cache {
	uint64_t key;
	unsigned next;
	struct session_place place[4];
};

struct frame_slot {
	uint64_t key; /* of the address space; 0: empty */
	uint64_t ip;
	frame_id frame;
};

struct chains {
	const struct session *session;
	struct profile *profile;
	struct diags *diags;
	uint32_t max_stack;
	bool apart; /* it holds for the kernel's and the user's part each, as perf has it for stacks
		       that it unwinds */
	bool skip;  /* only the sampled ip counts */
	/* Timed views want every chain's frames, not equal stacks: they are kept one after the
	 * other, and chain numbers stay valid for good. */
	bool flat;
	VEC(frame_id) frames;
	bool useless;            /* hardly a chain comes twice: no longer looked up */
	size_t looked_up, fixed; /* requests so far; chains that stay when useless */
	VEC(struct chain) list;  /* [0] unused */
	struct index index;
	struct place_cache user, kernel;
	struct frame_slot *recent; /* frames of addresses seen lately */
	VEC(struct raw_frame) raw; /* of the batch: see chains.c */
};

void chains_init(struct chains *c, const struct session *s, struct profile *p, struct diags *d);
void chains_free(struct chains *c);

/* Up to CHAIN_BATCH at a time. The numbers hold until the next call, or for good when flat. */
void chains_intern(struct chains *c, struct chain_request *requests, size_t n);

/* The frame of one more address of a sample, e.g. that of a page fault. */
frame_id chains_address(struct chains *c, const struct chain_request *request, uint64_t addr);

#endif
