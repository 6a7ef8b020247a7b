/* The letters behind an event or a group: u k h G H I p P S D W e b R. */
#ifndef KILN_MODIFIER_H
#define KILN_MODIFIER_H

#include "base/err.h"
#include "base/str.h"

struct modifiers {
	uint64_t flags; /* ATTR_EXCLUDE_*, ATTR_PINNED, ATTR_EXCLUSIVE */
	unsigned precise;
	bool max_precise, wants_kernel, sample_read, weak, bpf, retire;
	bool side_named; /* G or H */
};

/* Adds what the letters say to *m, which holds those given before: an event's own come first, its
 * group's then. bad: the letter that is wrong. */
MUST_USE bool modifiers_add(struct modifiers *m, struct str text, struct str *bad, struct err *err);

/* True when `text` could only be meant as modifiers. */
bool modifiers_like(struct str text);

#endif
