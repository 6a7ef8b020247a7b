/* From sections to a table: functions in order of address, their rows, all in one block. */
#include <stdlib.h>

#include "object/cfi_block.h"
#include "object/cfi_entries.h"
#include "object/cfi_pool.h"
#include "object/cfi_program.h"
#include "object/sort.h"

/* A function reaches up to the next one's start at most; of several that start together the first
 * counts, as it does for the C++ runtime. */
static void run_functions(struct cfi_pool *pool, struct cfi_entries *e, struct cfi_rows *rows)
{
	size_t n = e->fdes.n;
	struct sort_key *order = mem_calloc(n, sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_key){e->fdes.v[i].start, (uint32_t)i};
	sort_keys(order, n);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && order[next].key == order[i].key;)
			next++;
		uint64_t end = next < n ? order[next].key : UINT64_MAX;
		cfi_run(pool, e, &e->fdes.v[order[i].index], end, rows);
	}
	free(order);
}

static void read_section(struct cfi_pool *pool, const struct cfi_input *in,
			 const struct cfi_section *s, struct cfi_rows *rows)
{
	*rows = (struct cfi_rows){0};
	if (!s->data.n)
		return;
	struct cfi_entries e;
	cfi_entries_read(&e, in, s);
	run_functions(pool, &e, rows);
	cfi_entries_free(&e);
}

/* Rows of `a`; where it knows nothing, those of `b`. */
static void merge(struct cfi_rows *out, const struct cfi_rows *a, const struct cfi_rows *b)
{
	size_t i = 0, j = 0;
	uint32_t rule_a = 0, rule_b = 0;
	while (i < a->n || j < b->n) {
		uint64_t at_a = i < a->n ? a->base + a->v[i].pc : UINT64_MAX;
		uint64_t at_b = j < b->n ? b->base + b->v[j].pc : UINT64_MAX;
		uint64_t at = MIN(at_a, at_b);
		if (i < a->n && at_a == at)
			rule_a = a->v[i++].rule;
		if (j < b->n && at_b == at)
			rule_b = b->v[j++].rule;
		cfi_rows_add(out, at, rule_a ? rule_a : rule_b);
	}
}

bool cfi_build(struct cfi_table *t, const struct cfi_input *in)
{
	*t = (struct cfi_table){0};
	struct cfi_pool pool;
	struct cfi_rows rows[2], merged = {0};
	cfi_pool_init(&pool, in->arch);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		read_section(&pool, in, &in->sections[i], &rows[i]);
	if (rows[0].n && rows[1].n)
		merge(&merged, &rows[0], &rows[1]);
	const struct cfi_rows *all = merged.n ? &merged : rows[0].n ? &rows[0] : &rows[1];
	if (all->n)
		cfi_block_make(t, &pool, all);
	free(rows[0].v);
	free(rows[1].v);
	free(merged.v);
	cfi_pool_free(&pool);
	return t->row_count;
}
