/* Sorting of (key, index) pairs: stable, linear, whatever the keys are. */
#ifndef KILN_OBJECT_SORT_H
#define KILN_OBJECT_SORT_H

#include "base/base.h"

struct sort_key {
	uint64_t key;
	uint32_t index;
};

/* Equal keys keep their order. */
void sort_keys(struct sort_key *keys, size_t n);

#endif
