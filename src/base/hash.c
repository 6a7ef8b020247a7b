#include "base/hash.h"

#include <stdlib.h>

#include "base/mem.h"

uint64_t hash_words(const uint64_t *p, size_t n, uint64_t seed)
{
	/* Two lanes so that consecutive multiplications overlap. */
	uint64_t a = seed, b = n;
	size_t i = 0;
	for (; i + 2 <= n; i += 2) {
		a = hash_mix(a + load64(p + i), 0xa0761d6478bd642fu);
		b = hash_mix(b + load64(p + i + 1), 0xe7037ed1a0b428dbu);
	}
	if (i < n)
		a = hash_mix(a + load64(p + i), 0x8ebc6af09c88c6e3u);
	return hash_mix(a, b);
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
	const uint8_t *p = data;
	uint64_t h = seed ^ n;
	while (n >= 8) {
		h = hash_mix(h + load64(p), 0xa0761d6478bd642fu);
		p += 8;
		n -= 8;
	}
	uint64_t tail = 0;
	for (size_t i = 0; i < n; i++)
		tail |= (uint64_t)p[i] << (8 * i);
	return hash_mix(h + tail, 0xe7037ed1a0b428dbu);
}

void index_free(struct index *ix)
{
	free(ix->slots);
	*ix = (struct index){0};
}

static void index_insert(struct index *ix, uint64_t slot)
{
	size_t at = (size_t)(slot >> 32) & ix->mask;
	while (ix->slots[at])
		at = (at + 1) & ix->mask;
	ix->slots[at] = slot;
}

static void index_resize(struct index *ix, size_t slots)
{
	struct index old = *ix;
	ix->slots = mem_table(slots, sizeof *ix->slots);
	ix->mask = slots - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i])
			index_insert(ix, old.slots[i]);
	free(old.slots);
}

void index_reserve(struct index *ix, size_t n)
{
	size_t slots = ix->slots ? ix->mask + 1 : 16;
	while (slots - slots / 4 < n)
		slots *= 2;
	if (!ix->slots || slots != ix->mask + 1)
		index_resize(ix, slots);
}

void index_put(struct index *ix, uint64_t hash, uint32_t value)
{
	index_reserve(ix, ix->n + 1);
	index_insert(ix, (hash >> 32 << 32) | value);
	ix->n++;
}

void u64map_free(struct u64map *m)
{
	free(m->slots);
	*m = (struct u64map){0};
}

static struct u64map_slot *u64map_slot(const struct u64map *m, uint64_t key)
{
	size_t at = (size_t)hash_mix(key, 1) & m->mask;
	while (m->slots[at].used && m->slots[at].key != key)
		at = (at + 1) & m->mask;
	return &m->slots[at];
}

static void u64map_resize(struct u64map *m, size_t slots)
{
	struct u64map old = *m;
	m->slots = mem_calloc(slots, sizeof *m->slots);
	m->mask = slots - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].used)
			*u64map_slot(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

void u64map_put(struct u64map *m, uint64_t key, uint32_t value)
{
	if (!m->slots)
		u64map_resize(m, 16);
	else if (m->n + 1 > (m->mask + 1) / 4 * 3)
		u64map_resize(m, (m->mask + 1) * 2);
	struct u64map_slot *s = u64map_slot(m, key);
	if (!s->used)
		m->n++;
	*s = (struct u64map_slot){.key = key, .value = value, .used = 1};
}

uint32_t *u64map_get(const struct u64map *m, uint64_t key)
{
	if (!m->slots)
		return NULL;
	struct u64map_slot *s = u64map_slot(m, key);
	return s->used ? &s->value : NULL;
}

void strtab_free(struct strtab *t)
{
	arena_free(&t->arena);
	vec_free(&t->items);
	index_free(&t->index);
}

string_id strtab_find(const struct strtab *t, struct str s)
{
	if (!s.n)
		return (string_id){0};
	for (struct index_probe p = index_probe(&t->index, hash_str(s)); index_next(&t->index, &p);)
		if (str_eq(t->items.v[p.value], s))
			return (string_id){p.value};
	return (string_id){0};
}

string_id strtab_intern(struct strtab *t, struct str s)
{
	if (!t->items.n)
		vec_push(&t->items, STR(""));
	string_id found = strtab_find(t, s);
	if (found.v || !s.n)
		return found;
	uint32_t id = (uint32_t)t->items.n;
	vec_push(&t->items, arena_str(&t->arena, s));
	index_put(&t->index, hash_str(s), id);
	return (string_id){id};
}
