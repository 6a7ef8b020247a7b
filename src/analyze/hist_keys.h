/*
 * What makes two samples the same, as small integers worked out once per profile:
 *
 *   sym    the function a frame lies in, or the frame itself where no function is known
 *          (or where call graphs tell addresses apart): equal syms are one call graph node
 *   place  what the keys say of a frame (object, symbol, source line): the frames of a sym have
 *          one place, unless lines are a key and call graphs do not tell them apart
 *   who    what the keys say of a row besides the place (command, thread, CPU, trace text)
 *
 * An entry of a report is one (who, place).
 */
#ifndef KILN_HIST_KEYS_H
#define KILN_HIST_KEYS_H

#include "analyze/hist_field.h"
#include "profile/profile.h"

/* What is one node of a call graph. */
enum sym_kind { SYM_FUNCTION, SYM_LINE, SYM_ADDRESS };

struct hist_who {
	uint32_t thread_key; /* of the part that the thread decides */
	uint32_t cpu;
	string_id trace;
};

struct hist_keys {
	const struct profile *p;
	const struct hist_fields *fields;
	uint32_t *frame_sym;   /* by frame_id */
	uint32_t *func_frame;  /* by func_id: one frame in it */
	uint32_t *sym_place;   /* by sym: that of its first frame */
	uint32_t *frame_place; /* by frame_id */
	uint32_t *place_frame; /* by place: one of its frames */
	string_id *files;      /* by frame_id, of its source file; NULL: no key */
	uint32_t sym_count, place_count;
	bool by_cpu, by_trace;
	uint32_t *thread_key; /* by thread_id; where CPU and trace text do not count, its who */
	const struct str *last_comms; /* by thread_id: what the thread was called at last; borrowed,
					 NULL: as in the profile */
	VEC(struct hist_who) whos;
	struct index who_index;
};

void hist_keys_init(struct hist_keys *k, const struct profile *p, const struct hist_fields *fields,
		    enum sym_kind syms, const struct str *last_comms);
void hist_keys_free(struct hist_keys *k);

/* From 1. */
uint32_t hist_keys_find_who(struct hist_keys *k, const struct profile_row *row);

static inline uint32_t hist_keys_who(struct hist_keys *k, const struct profile_row *row)
{
	if (!k->by_cpu && !k->by_trace)
		return k->thread_key[row->thread.v];
	return hist_keys_find_who(k, row);
}

static inline struct str hist_keys_last_comm(const struct hist_keys *k, thread_id thread)
{
	return k->last_comms ? k->last_comms[thread.v]
			     : profile_str(k->p, k->p->threads.v[thread.v].comm);
}

/* A frame that has this sym. */
static inline frame_id hist_keys_frame(const struct hist_keys *k, uint32_t sym)
{
	uint32_t funcs = (uint32_t)k->p->funcs.n;
	return (frame_id){sym < funcs ? k->func_frame[sym] : sym - funcs};
}

#endif
