/*
 * Raw call chains to interned stacks. Each distinct chain of an address space is resolved once:
 * most samples end at a hash look-up.
 */
#ifndef KILN_CHAINS_H
#define KILN_CHAINS_H

#include "base/diag.h"
#include "ingest/ingest.h"
#include "session/session.h"

struct chain {
	uint64_t hash; /* over the addresses, the process and its epoch */
	uint64_t ip;
	uint32_t count; /* of addresses */
	uint32_t row;   /* the profile row it was last counted in; 0: none */
	stack_id stack;
	frame_id leaf;
};

/* Answers for neighbouring addresses, valid for one process at one epoch. */
struct place_cache {
	uint64_t key;
	unsigned next;
	struct session_place place[4];
};

/* Frames of addresses seen lately: hot code is hit again and again, by new chains too. */
struct frame_cache {
	struct {
		uint64_t key; /* hash of process, epoch, kind; 0: empty */
		uint64_t ip;
		frame_id frame;
	} slot[4096];
};

struct chains {
	const struct session *session;
	struct profile *profile;
	struct diags *diags;
	uint32_t max_stack;
	bool skip;              /* only the sampled ip counts */
	VEC(struct chain) list; /* [0] unused */
	struct index index;
	struct place_cache user, kernel;
	struct frame_cache *frames;
	VEC(frame_id) scratch;    /* the chain being resolved, leaf first */
	VEC(frame_id) path;       /* the chain before it, root first … */
	VEC(stack_id) path_stack; /* … and its stacks: new chains often share the way to the root */
};

void chains_init(struct chains *c, const struct session *s, struct profile *p, struct diags *d);
void chains_free(struct chains *c);

/* The number of the sample's chain in c->list. */
uint32_t chains_intern(struct chains *c, const struct sample *s, uint32_t process, uint64_t time,
		       uint64_t offset);

#endif
