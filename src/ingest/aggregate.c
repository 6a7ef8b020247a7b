#include "ingest/aggregate.h"

void aggregate_init(struct aggregate *a, struct profile *p)
{
	*a = (struct aggregate){.profile = p};
}

void aggregate_free(struct aggregate *a)
{
	index_free(&a->index);
	*a = (struct aggregate){0};
}

/* What of a thread counts in a row's key. */
static uint32_t thread_key(const struct aggregate *a, thread_id thread)
{
	return a->merge_threads ? a->profile->threads.v[thread.v].comm.v : thread.v;
}

static bool same_key(const struct aggregate *agg, const struct profile_row *a,
		     const struct profile_row *b)
{
	return a->stack.v == b->stack.v && a->leaf.v == b->leaf.v &&
	       thread_key(agg, a->thread) == thread_key(agg, b->thread) &&
	       a->event.v == b->event.v && a->cpu == b->cpu && a->trace.v == b->trace.v;
}

static uint64_t hash_key(const struct aggregate *a, const struct profile_row *row)
{
	uint64_t who = (uint64_t)thread_key(a, row->thread) << 32 | row->event.v;
	uint64_t where = (uint64_t)row->stack.v << 32 | row->leaf.v;
	return hash_mix(hash_mix(where, who), (uint64_t)row->trace.v << 32 | row->cpu);
}

static struct profile_row *find_row(struct aggregate *a, const struct profile_row *row,
				    uint64_t hash)
{
	struct profile *p = a->profile;
	for (struct index_probe i = index_probe(&a->index, hash); index_next(&a->index, &i);)
		if (same_key(a, &p->rows.v[i.value - 1], row))
			return &p->rows.v[i.value - 1];
	struct profile_row empty = *row;
	empty.count = 0;
	empty.weight = 0;
	vec_push(&p->rows, empty);
	index_put(&a->index, hash, (uint32_t)p->rows.n);
	return &p->rows.v[p->rows.n - 1];
}

static void count(struct aggregate *a, const struct profile_row *row, uint64_t hash)
{
	struct profile *p = a->profile;
	struct profile_row *sum = find_row(a, row, hash);
	sum->count += row->count;
	sum->weight += row->weight;
	sum->cut |= row->cut;
	/* The file is not in order of time. */
	if (row->time < sum->time) {
		sum->time = row->time;
		sum->thread = row->thread;
	}
	p->events.v[row->event.v].samples += row->count;
	p->events.v[row->event.v].weight += row->weight;
}

void aggregate_flush(struct aggregate *a)
{
	for (size_t i = 0; i < a->waiting; i++) {
		uint32_t guess = index_guess(&a->index, a->batch[i].hash);
		if (guess)
			__builtin_prefetch(&a->profile->rows.v[guess - 1], 1);
	}
	for (size_t i = 0; i < a->waiting; i++)
		count(a, &a->batch[i].row, a->batch[i].hash);
	a->waiting = 0;
}

void aggregate_add(struct aggregate *a, const struct profile_row *row)
{
	size_t at = a->waiting++;
	a->batch[at].row = *row;
	a->batch[at].hash = hash_key(a, row);
	index_prefetch(&a->index, a->batch[at].hash);
	if (a->waiting == AGGREGATE_BATCH)
		aggregate_flush(a);
}
