/* The rows of a timed view: filled in file order, then put in order of time. */
#ifndef KILN_ROWS_H
#define KILN_ROWS_H

#include "base/vec.h"
#include "ingest/ingest.h"

void rows_push(struct ingest_rows *rows, const struct ingest_row *row);

/* Stable. The input is a handful of runs that are in order already (one per CPU and flush), so this
 * merges runs instead of sorting. */
void rows_sort(struct ingest_rows *rows);

/*
 * Rounds. A recorder reads its rings in turn and ends each round with a FINISHED_ROUND record; what
 * comes after is not older than the newest record of the round before, so perf prints up to there.
 * Now and then a record comes late all the same. perf prints it when it sees it, behind what was
 * printed already; so do we.
 */
struct rounds {
	uint64_t newest;            /* time seen so far */
	uint64_t next_limit, limit; /* printed up to here at the end of this round, and before */
	VEC(struct late_row) late;
};

struct late_row {
	uint64_t limit; /* comes behind all rows up to this time */
	struct ingest_row row;
};

static inline void rounds_see(struct rounds *r, uint64_t time)
{
	r->newest = MAX(r->newest, time);
}

static inline void rounds_end(struct rounds *r)
{
	r->limit = r->next_limit;
	r->next_limit = r->newest;
}

/* A record with this time should have come in a round that is over. */
static inline bool rounds_late(const struct rounds *r, uint64_t time)
{
	return time <= r->limit;
}

/* Puts the late rows where they belong among the sorted ones. */
void rounds_merge(struct rounds *r, struct ingest_rows *rows);
void rounds_free(struct rounds *r);

#endif
