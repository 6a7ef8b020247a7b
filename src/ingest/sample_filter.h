/* Which samples are wanted, by who ran them, where and when. */
#ifndef KILN_SAMPLE_FILTER_H
#define KILN_SAMPLE_FILTER_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ingest/time_filter.h"

struct sample_filter {
	VEC(struct str) comms; /* borrowed from the option's text */
	VEC(uint64_t) pids, tids, cpus;
	struct time_filter times; /* filled by the caller */
	bool any;                 /* at least one list is not empty */
};

/* Comma lists; cpus may hold ranges ("0-3"). NULL = no restriction. */
MUST_USE bool sample_filter_parse(struct sample_filter *f, const char *comms, const char *pids,
				  const char *tids, const char *cpus, struct err *err);
void sample_filter_free(struct sample_filter *f);

bool sample_filter_accepts(const struct sample_filter *f, struct str comm, int32_t pid, int32_t tid,
			   uint32_t cpu, uint64_t time);

#endif
