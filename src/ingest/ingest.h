/*
 * The way in: stream -> session -> resolve -> sinks. Pass 1 reads the side-band records and seals
 * the session; pass 2 reads samples, interns each raw call chain once per address space, and hands
 * every sample with its ids to a sink. Symbols are looked up after pass 2, once per unique address.
 */
#ifndef KILN_INGEST_H
#define KILN_INGEST_H

#include "base/diag.h"
#include "base/err.h"
#include "base/pool.h"
#include "ingest/expand.h"
#include "ingest/import.h"
#include "perfdata/perfdata.h"
#include "profile/profile.h"
#include "resolve/resolve.h"

struct ingest_options {
	struct perfdata_options input;
	struct resolve_options resolve;
	unsigned threads;   /* 0: one per CPU */
	bool no_symbols;    /* of an aggregated view: objects and addresses are enough */
	bool no_callchains; /* do not read call chains (report -g none) */
	uint32_t max_stack; /* frames kept per stack, from the leaf; 0: all */
	bool reroot;        /* stacks that were cut get the root of longer ones of their thread */
	bool by_cpu;        /* keep CPUs apart in profile rows */
	bool by_thread;     /* keep threads apart; else rows differ by process and comm only */
	bool sampled_names; /* threads are called as they were then, not as they were later */
	bool addresses;     /* name the data addresses of page faults: ingest_address() */
	bool by_comm;       /* keep only comms apart: pid and tid of all rows are 0 */
	enum inline_mode inlines;
	enum line_mode lines;
	bool full_path;     /* source files are shown with their directories */
	bool merge_threads; /* keep only comms apart: rows have the first thread of that name */
	/* Which samples: comma lists as perf has them (cpus also ranges); NULL = all. */
	const char *comms, *pids, *tids, *cpus;
	const char *times;   /* see time_filter.h; NULL = all */
	bool relative_times; /* these count from the first sample */
};

struct ingest;

/* Opens the input and runs pass 1. */
struct ingest *ingest_open(const char *path, const struct ingest_options *opt, struct diags *d,
			   struct err *err);
void ingest_close(struct ingest *in);

struct perfdata *ingest_perfdata(struct ingest *in);
const struct session *ingest_session(struct ingest *in);
const struct profile *ingest_profile(struct ingest *in);
struct pool *ingest_pool(struct ingest *in);
const struct jits *ingest_jits(struct ingest *in);

/* The kernel function at an address, for texts that name addresses (%pS). Load first, once; the
 * look-up itself may be made from any thread. */
void ingest_load_kernel(struct ingest *in);
bool ingest_kernel_symbol(const struct ingest *in, uint64_t addr, struct str *name,
			  uint64_t *start);

/* Rows shall differ by what tracepoints say, too; before ingest_aggregate(). False when the
 * recording's formats cannot be read. */
MUST_USE bool ingest_by_trace(struct ingest *in, struct err *err);

/* Pass 2 for aggregated views: fills the profile's rows, symbolizes. The profile is owned by `in`.
 */
MUST_USE bool ingest_aggregate(struct ingest *in, struct err *err);

/* Pass 2 for timed views: one row per sample, ordered by time (file order among equal times). */
struct ingest_row {
	uint64_t time;
	uint64_t offset : 40; /* of the record: perfdata_record_at(); or see ingest_split() */
	uint64_t split : 1;
	uint64_t event : 23;
	thread_id thread;
	uint32_t chain; /* see ingest_chain() */
};
struct ingest_rows {
	struct ingest_row *v;
	size_t n, cap;
};
MUST_USE bool ingest_timed(struct ingest *in, struct ingest_rows *out, struct err *err);

/* For rows with `split`: one of several made of a record that holds the counters of a group. */
struct ingest_split {
	uint64_t offset; /* of the record, which is of the group's leader */
	uint64_t period;
};
struct ingest_split ingest_split(const struct ingest *in, const struct ingest_row *row);

/* The frame of the data address of the record at an offset; 0: it has none worth a name. */
frame_id ingest_address(const struct ingest *in, uint64_t offset);

/* A row's call chain, and the frame of the sampled ip. */
struct ingest_chain {
	frame_id leaf;
	const frame_id *frames; /* leaf first */
	size_t depth;
};
struct ingest_chain ingest_chain(const struct ingest *in, uint32_t chain);

/* Timed views: whether any frame of any chain stands for more than one, and what the i-th frame of
 * a chain stands for: inlined functions, innermost first, and then the function they are in; depth
 * 0 when it is just itself. */
bool ingest_expands(const struct ingest *in);
struct ingest_chain ingest_expanded(const struct ingest *in, const struct ingest_chain *chain,
				    size_t i);

#endif
