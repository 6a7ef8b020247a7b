/* Whole stacks as keys: each distinct one becomes a text, "comm;root;…;leaf", as `fold` writes it.
 */
#ifndef KILN_STACK_TEXTS_H
#define KILN_STACK_TEXTS_H

#include "analyze/filter.h"
#include "profile/profile.h"

/* The places of all rows made here: of those that the filter hides, and of the others. */
struct stack_texts {
	frame_id hidden, shown;
};

struct stack_texts stack_texts_begin(struct profile *into);

/*
 * Adds the rows of `from`, each stack as one row with its text as `trace`. Of a text that is longer
 * than 16 KiB the outermost frames become "...". Events as in profile_merge(). verbatim: the names
 * are from folded text.
 */
uint32_t stack_texts_add(const struct stack_texts *t, struct profile *into,
			 const struct profile *from, const struct filter *filter, bool verbatim);

#endif
