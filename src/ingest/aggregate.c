#include "ingest/aggregate.h"

/* How many rows of one stack are compared before a new one is begun. The rows of whoever runs now
 * are the newest, in front; and a stack that ten thousand threads wait in does not take quadratic
 * time. The price is a few rows with equal keys. */
#define MAX_STEPS 4

void aggregate_init(struct aggregate *a, struct profile *p)
{
	*a = (struct aggregate){.profile = p};
}

void aggregate_free(struct aggregate *a)
{
	vec_free(&a->by_stack);
	vec_free(&a->by_leaf);
	vec_free(&a->next);
	*a = (struct aggregate){0};
}

void aggregate_prefetch(const struct aggregate *a, stack_id stack)
{
	if (stack.v < a->by_stack.n)
		__builtin_prefetch(&a->by_stack.v[stack.v]);
}

static bool same_thread(const struct aggregate *a, thread_id x, thread_id y)
{
	const struct profile_thread *threads = a->profile->threads.v;
	return x.v == y.v || (a->merge_threads && threads[x.v].comm.v == threads[y.v].comm.v);
}

static bool same_key(const struct aggregate *agg, const struct profile_row *a,
		     const struct profile_row *b)
{
	return a->stack.v == b->stack.v && a->leaf.v == b->leaf.v &&
	       same_thread(agg, a->thread, b->thread) && a->event.v == b->event.v &&
	       a->cpu == b->cpu && a->trace.v == b->trace.v;
}

/* The head of the list that rows of this stack hang on. */
static uint32_t *list_head(struct aggregate *a, const struct profile_row *row)
{
	size_t at = row->stack.v ? row->stack.v : row->leaf.v;
	if (row->stack.v) {
		while (a->by_stack.n <= at)
			vec_push(&a->by_stack, 0);
		return &a->by_stack.v[at];
	}
	while (a->by_leaf.n <= at)
		vec_push(&a->by_leaf, 0);
	return &a->by_leaf.v[at];
}

static uint32_t find_row(struct aggregate *a, const struct profile_row *row)
{
	struct profile *p = a->profile;
	uint32_t *head = list_head(a, row);
	uint32_t at = *head;
	for (int i = 0; at && i < MAX_STEPS; i++) {
		if (same_key(a, &p->rows.v[at - 1], row))
			return at;
		at = a->next.v[at - 1];
	}
	struct profile_row empty = *row;
	empty.count = 0;
	empty.weight = 0;
	vec_push(&p->rows, empty);
	vec_push(&a->next, *head);
	*head = (uint32_t)p->rows.n;
	return *head;
}

uint32_t aggregate_add(struct aggregate *a, const struct profile_row *row, uint32_t hint)
{
	struct profile *p = a->profile;
	if (!hint || !same_key(a, &p->rows.v[hint - 1], row))
		hint = find_row(a, row);
	struct profile_row *sum = &p->rows.v[hint - 1];
	sum->count += row->count;
	sum->weight += row->weight;
	/* The file is not in order of time. */
	if (row->time < sum->time) {
		sum->time = row->time;
		sum->thread = row->thread;
	}
	p->events.v[row->event.v].samples += row->count;
	p->events.v[row->event.v].weight += row->weight;
	return hint;
}
