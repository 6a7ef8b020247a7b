/*
 * Which samples a report shows: by thread (name, pid, tid) and by the place where the sample was
 * taken (object, symbol). The lists are comma separated, as perf has them. Answers are worked out
 * once per thread and per frame, so that asking costs two loads.
 */
#ifndef KILN_FILTER_H
#define KILN_FILTER_H

#include "base/err.h"
#include "profile/profile.h"

struct filter_options {
	const char *comms, *dsos, *symbols; /* NULL: any */
	const char *pids, *tids;
};

struct filter {
	bool *thread_hidden; /* by thread_id; NULL: none is */
	bool *frame_hidden;  /* by frame_id; NULL: none is */
};

MUST_USE bool filter_init(struct filter *f, const struct profile *p,
			  const struct filter_options *opt, struct err *err);
void filter_free(struct filter *f);

/* How many names a list has. */
size_t filter_list_count(const char *list);

static inline bool filter_hides(const struct filter *f, thread_id thread, frame_id leaf)
{
	return (f->thread_hidden && f->thread_hidden[thread.v]) ||
	       (f->frame_hidden && f->frame_hidden[leaf.v]);
}

#endif
