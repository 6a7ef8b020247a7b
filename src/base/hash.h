/* Hashing, and the two tables built on it: u64 -> u32, and interned strings. */
#ifndef KILN_HASH_H
#define KILN_HASH_H

#include "base/arena.h"
#include "base/base.h"
#include "base/str.h"
#include "base/vec.h"

/* Mixes two words by a 64x64->128 multiplication folded in half. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t hash_words(const uint64_t *p, size_t n, uint64_t seed);

static inline uint64_t hash_str(struct str s)
{
	return hash_bytes(s.p, s.n, 0);
}

/*
 * Open-addressing index: hash -> u32 value (never 0). It keeps no keys: the caller compares through
 * its own tables, so one index serves any key. Zero-initialised is empty.
 *
 *   for (struct index_probe p = index_probe(&ix, h); index_next(&ix, &p);)
 *           if (same(key, items[p.value])) return p.value;
 *   index_put(&ix, h, new_value);
 */
struct index {
	uint64_t *slots; /* high half: tag = high half of the hash; low half: value */
	size_t mask;     /* slots - 1, or 0 when empty */
	size_t n;
};

/* A slot's place is the low bits of its tag, so that growing needs no keys; the other bits of the
 * tag spare nearly every comparison of unequal keys. */

struct index_probe {
	size_t at;
	uint32_t tag;
	uint32_t value;
};

void index_free(struct index *ix);
void index_reserve(struct index *ix, size_t n);
void index_put(struct index *ix, uint64_t hash, uint32_t value);

static inline struct index_probe index_probe(const struct index *ix, uint64_t hash)
{
	uint32_t tag = (uint32_t)(hash >> 32);
	return (struct index_probe){.at = tag & ix->mask, .tag = tag};
}

static inline bool index_next(const struct index *ix, struct index_probe *p)
{
	if (!ix->slots)
		return false;
	for (;;) {
		uint64_t s = ix->slots[p->at];
		if (!s)
			return false;
		p->at = (p->at + 1) & ix->mask;
		if ((uint32_t)(s >> 32) == p->tag) {
			p->value = (uint32_t)s;
			return true;
		}
	}
}

/* For look-ups made in batches: fetch the slots of all first, then the items they lead to. */
static inline void index_prefetch(const struct index *ix, uint64_t hash)
{
	if (ix->slots)
		__builtin_prefetch(&ix->slots[(uint32_t)(hash >> 32) & ix->mask]);
}

/* The value a look-up will most probably compare with first; 0 when there is none. */
static inline uint32_t index_guess(const struct index *ix, uint64_t hash)
{
	struct index_probe p = index_probe(ix, hash);
	return index_next(ix, &p) ? p.value : 0;
}

/* u64 -> u32 map. Any key; value as given. Zero-initialised is empty. */
struct u64map {
	struct u64map_slot {
		uint64_t key;
		uint32_t value;
		uint32_t used;
	} * slots;
	size_t mask;
	size_t n;
};

void u64map_free(struct u64map *m);
void u64map_put(struct u64map *m, uint64_t key, uint32_t value);
/* NULL when absent; valid until the next put. */
uint32_t *u64map_get(const struct u64map *m, uint64_t key);

/* Interned strings: equal text <=> equal id. Id 0 is the empty string. */
struct strtab {
	struct arena arena;
	VEC(struct str) items; /* NUL-terminated copies */
	struct index index;
};

void strtab_free(struct strtab *t);
string_id strtab_intern(struct strtab *t, struct str s);
string_id strtab_find(const struct strtab *t, struct str s); /* 0 when absent (or empty) */

static inline struct str strtab_get(const struct strtab *t, string_id id)
{
	return id.v < t->items.n ? t->items.v[id.v] : (struct str){"", 0};
}

#endif
