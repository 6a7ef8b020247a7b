#include <stdlib.h>

#include "analyze/hist.h"

static uint64_t key_hash(const struct hist_entry *e)
{
	return hash_mix((uint64_t)e->who << 32 | e->place, 0);
}

static uint32_t find(const struct hist *h, const struct index *index, const struct hist_entry *e)
{
	for (struct index_probe at = index_probe(index, key_hash(e)); index_next(index, &at);) {
		const struct hist_entry *known = &h->entries.v[at.value];
		if (known->who == e->who && known->place == e->place)
			return at.value;
	}
	return 0;
}

/* Every key of a member becomes one of h, without weight there. */
static void add_missing(struct hist *h, struct index *index, const struct hist *member)
{
	for (size_t i = 1; i < member->entries.n; i++) {
		const struct hist_entry *e = &member->entries.v[i];
		if (find(h, index, e))
			continue;
		index_put(index, key_hash(e), (uint32_t)h->entries.n);
		vec_push(&h->entries, (struct hist_entry){.who = e->who,
							  .place = e->place,
							  .sym = e->sym,
							  .thread = e->thread});
		if (h->modes.n)
			vec_push(&h->modes, (struct hist_modes){0});
	}
}

void hist_join(struct hist *h, const struct hist_keys *keys, const struct hist_options *opt,
	       struct hist *members, size_t count)
{
	struct index index = {0};
	for (uint32_t i = 1; i < h->entries.n; i++)
		index_put(&index, key_hash(&h->entries.v[i]), i);
	for (size_t m = 0; m < count; m++)
		add_missing(h, &index, &members[m]);
	h->members = members;
	h->member_count = count;
	h->pairs = mem_calloc(h->entries.n * count, sizeof *h->pairs);
	for (size_t m = 0; m < count; m++)
		for (uint32_t i = 1; i < members[m].entries.n; i++) {
			uint32_t entry = find(h, &index, &members[m].entries.v[i]);
			h->pairs[entry * count + m] = i;
		}
	index_free(&index);
	free(h->order);
	hist_order(h, keys, opt);
}
