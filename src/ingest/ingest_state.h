/* Inside of ingest: its state, and pass 2 up to where samples go to a sink. */
#ifndef KILN_INGEST_STATE_H
#define KILN_INGEST_STATE_H

#include "base/out.h"
#include "ingest/aggregate.h"
#include "ingest/chains.h"
#include "ingest/ingest.h"
#include "ingest/members.h"
#include "ingest/rows.h"
#include "ingest/sample_filter.h"

struct ingest {
	struct ingest_options opt;
	struct diags *diags;
	struct perfdata *pd;
	struct session *session;
	struct profile *profile;
	struct resolver *resolver;
	struct unwound *unwound; /* NULL until a sample needs it */
	struct ingest_jit *jit;
	struct pool *pool;
	struct chains chains;
	struct sample_filter filter;
	struct sample_scratch scratch[CHAIN_BATCH];
	struct aggregate sums;
	struct ingest_rows rows;
	struct rounds rounds;
	struct tracefmt *trace; /* rows differ by it; NULL: they do not */
	struct out trace_text;
	struct members members;
	VEC(struct ingest_split) splits;
	struct expansions expansions; /* of timed views */
	struct u64map addresses;      /* offset of a record -> frame of its data address */
	bool build_ids;               /* mmap records were to hold them */
	bool timeless;                /* no times recorded: the order of the file stands for them */
	bool counters;                /* some samples hold those of a group */
	bool copied;                  /* user stacks are copies of memory, unwound here */
	bool mixed;                   /* some events have times, others have not */

	/* The latest thread asked for: samples come in bursts. */
	struct session_who last_who;
	thread_id last_thread;
};

/* One sample, decoded and placed. */
struct placed {
	struct sample sample;
	size_t event; /* index in perfdata */
	uint64_t time;
	uint64_t weight;
	struct session_who who;
	struct str comm; /* p NULL: it has none yet, */
	char number[16]; /* and is called by this */
	uint64_t offset;
	uint64_t limit; /* the rounds that are over reached up to here */
	bool late;      /* it comes behind all of these */
	bool untimed;   /* has no time, unlike others */
	bool cut;       /* its stack was deeper than what was recorded of it */
	bool split;     /* one of several of its record: `weight` is not in there */
};

static inline struct str placed_comm(const struct placed *p)
{
	return p->comm.p ? p->comm : str_of(p->number);
}

/* A sink. chain: number of the call chain in in->chains. */
typedef void sample_fn(struct ingest *in, struct placed *p, uint32_t chain);

/* Pass 2: every sample that is wanted, in the order of the file. */
void ingest_each_sample(struct ingest *in, sample_fn *fn);

struct expand_options ingest_expand_options(const struct ingest *in);

/* The expansions of all frames that chains hold, for timed views. */
void ingest_expand_chains(struct ingest *in);

#endif
