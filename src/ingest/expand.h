/*
 * Inlined functions and source lines for the frames of a profile, once per unique address.
 *
 * A frame means one of two places: where a thread was (a sampled address, or the one at which the
 * kernel was entered), or a call, of which the stack holds the address behind it. The same address
 * can be both, so a frame has an expansion for each of these roles.
 */
#ifndef KILN_EXPAND_H
#define KILN_EXPAND_H

#include "profile/profile.h"
#include "resolve/resolve.h"

/* Which stacks show inlined functions. */
enum inline_mode {
	INLINE_UNWOUND, /* user stacks of --call-graph dwarf: as perf up to 6.18 */
	INLINE_ALL,
	INLINE_NONE,
};

/* Whether profile_frame.srcline is filled in, and what stands where no line is known. */
enum line_mode {
	LINES_NONE,
	LINES_SCRIPT, /* "??:0" for a function in a file, else nothing */
	LINES_REPORT, /* that, or "function+offset", or "object[address]" */
};

struct expand_options {
	enum inline_mode inlines;
	enum line_mode lines;
	bool full_path; /* files with their directory */
	bool demangle;
	bool unwound; /* user stacks were unwound: their addresses lie within the calls already */
};

enum frame_role { ROLE_HERE, ROLE_CALLER, FRAME_ROLES };

struct expansion {
	uint32_t first, count; /* in list, innermost first; count 0: the frame itself, as it is */
};

struct expansions {
	struct expansion *of; /* [frame * FRAME_ROLES + role]; NULL: no frame has any */
	VEC(frame_id) list;
	size_t frames; /* frames that were there before */
};

/* Whether anything is to be looked up at all. */
bool expand_wanted(const struct expand_options *opt);

/* The role of a frame that called (or was interrupted by) the frame `inner`. */
enum frame_role expand_role(const struct profile *p, const struct expand_options *opt,
			    frame_id frame, frame_id inner);

/* Looks up the frames that are needed: needed[frame] has a bit for each role. Makes new frames of
 * the profile. */
void expansions_find(struct expansions *e, struct profile *p, struct resolver *r,
		     const uint8_t *needed, const struct expand_options *opt, struct pool *pool);
void expansions_free(struct expansions *e);

static inline struct expansion expansion_of(const struct expansions *e, frame_id frame,
					    enum frame_role role)
{
	if (!e->of || frame.v >= e->frames)
		return (struct expansion){0};
	return e->of[(size_t)frame.v * FRAME_ROLES + role];
}

/* All stacks of an aggregated profile, which are rebuilt when they hold inlined functions. */
void expand_profile(struct profile *p, struct resolver *r, const struct expand_options *opt,
		    struct pool *pool);

#endif
