/*
 * Stacks as stackcollapse-perf.pl writes them, put together in a profile: root and frames are given
 * as parsed by classic_text.h, their names are made and looked up once.
 */
#ifndef KILN_CLASSIC_STACKS_H
#define KILN_CLASSIC_STACKS_H

#include "base/hash.h"
#include "base/out.h"
#include "ingest/classic_text.h"

/* Of classic_stacks.parts. */
struct classic_range {
	bool known;
	uint32_t first, count;
};

struct classic_stacks {
	struct profile *p;
	const struct classic_options *opt;
	uint64_t total;
	bool java; /* the current root's name begins so */

	/* What a frame stands for, by its text: a range of `parts`, root first. */
	struct strtab keys;
	VEC(struct classic_range) ranges; /* by key */
	VEC(frame_id) parts;
	struct out key, name;
};

void classic_stacks_init(struct classic_stacks *c, struct profile *p,
			 const struct classic_options *opt);
void classic_stacks_free(struct classic_stacks *c);

/* The stack of a root; its name is "COMM", "COMM-PID" or "COMM-PID/TID". Sets `java`. */
stack_id classic_stacks_root(struct classic_stacks *c, const struct classic_head *h);

/* The functions a frame stands for, outermost first: none, one, or several. With `srcline` their
 * source lines are taken from `in`, and the range holds until the next call. */
struct classic_range classic_stacks_frame(struct classic_stacks *c, const struct classic_frame *f,
					  struct lines *in);

stack_id classic_stacks_push(struct classic_stacks *c, stack_id stack, struct classic_range r);

/* False when the weights would exceed 64 bits. */
MUST_USE bool classic_stacks_add(struct classic_stacks *c, stack_id stack, uint64_t weight);

#endif
