#include "object/sort.h"

#include <stdlib.h>

#include "base/mem.h"

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static bool sorted(const struct sort_key *k, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (k[i].key < k[i - 1].key)
			return false;
	return true;
}

static void insertion_sort(struct sort_key *k, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_key x = k[i];
		size_t j = i;
		for (; j && k[j - 1].key > x.key; j--)
			k[j] = k[j - 1];
		k[j] = x;
	}
}

/* One stable pass by the digit at `shift`. */
static void radix_pass(const struct sort_key *from, struct sort_key *to, size_t n, unsigned shift)
{
	size_t at[DIGITS] = {0};
	for (size_t i = 0; i < n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	size_t sum = 0;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];
		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void sort_keys(struct sort_key *keys, size_t n)
{
	if (sorted(keys, n))
		return;
	if (n <= 64) {
		insertion_sort(keys, n);
		return;
	}
	uint64_t differ = 0;
	for (size_t i = 1; i < n; i++)
		differ |= keys[i].key ^ keys[0].key;
	struct sort_key *other = mem_calloc(n, sizeof *other);
	struct sort_key *from = keys, *to = other;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		radix_pass(from, to, n, shift);
		struct sort_key *t = from;
		from = to;
		to = t;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof *keys);
	free(other);
}
