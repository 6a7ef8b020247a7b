/* Ordering entries. */
#ifndef KILN_HIST_SORT_H
#define KILN_HIST_SORT_H

#include "analyze/hist.h"

/* Names of an entry as places in the alphabet; UINT32_MAX: unknown, which goes last. */
struct hist_ranks {
	uint64_t addr; /* of the function, or the frame where none is known */
	uint32_t comm, dso, symbol, line, file;
};

struct hist_sorter {
	const struct hist *h;
	const struct hist_keys *keys;
	const struct hist_options *opt;
	uint32_t *rank;           /* of strings, alphabetically */
	struct hist_ranks *ranks; /* by entry */
};

/* h->order becomes all entries, sorted. */
void hist_sort(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt);

/* Smaller is first. With members, those of the other events follow as parts 1, 2, …; */
uint64_t hist_sort_key(const struct hist_sorter *s, enum hist_field f, uint32_t entry, size_t part);
/* how many parts a field has. */
size_t hist_sort_parts(const struct hist_sorter *s, enum hist_field f);

/* Up to so many entries are sorted by hist_sort_in_tree(); with more the order of equal ones is not
 * worth the time. */
#define HIST_TREE_MAX 32768

/* Orders entries, given by their keys, as perf does where call graphs are shown with children. */
void hist_sort_in_tree(const struct hist_sorter *s, uint32_t *order, size_t n);

#endif
