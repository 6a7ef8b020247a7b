/* Filters in the kernel: loaded once per event, attached to each of its descriptors. */
#ifndef KILN_FILTER_LOAD_H
#define KILN_FILTER_LOAD_H

#include "capture/filter_code.h"

struct filter_loaded {
	int map_fd, program_fd; /* -1: nothing is loaded */
	uint64_t told;          /* of those dropped, as far as written to a file */
};
#define FILTER_UNLOADED ((struct filter_loaded){-1, -1, 0})

/* What the running kernel gives. Without a description of its types: what all kernels have. */
void filter_layout_find(struct filter_layout *l);

/* event: its name, for errors. */
MUST_USE bool filter_load(struct filter_loaded *out, const struct kernel_filter *f,
			  const struct filter_layout *l, const char *event, struct err *err);
MUST_USE bool filter_attach(const struct filter_loaded *f, int event_fd, const char *event,
			    struct err *err);

/* Samples dropped so far. */
uint64_t filter_dropped(const struct filter_loaded *f);

void filter_unload(struct filter_loaded *f);

#endif
