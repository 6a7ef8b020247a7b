/* One recording while it runs: shared by the files that make it. */
#ifndef KILN_RUN_H
#define KILN_RUN_H

#include <poll.h>
#include <signal.h>

#include "capture/capture.h"
#include "capture/counters.h"
#include "capture/embed.h"
#include "capture/mapped_files.h"
#include "capture/rings.h"
#include "capture/scan.h"
#include "capture/workload.h"

struct capture {
	const struct capture_plan *plan;
	const volatile int *stop;
	struct diags *diags;
	struct capture_result *result;
	struct workload workload;
	sigset_t wait_mask; /* signals as they were: they come in while we wait */
	struct targets targets;
	struct counters counters;
	struct rings rings;
	struct mapped_files files;
	struct scan scan;
	struct embed embed;
	struct perfdata_writer *writer;
	bool kept_old;             /* an older file was moved out of the way */
	VEC(struct pollfd) polled; /* events, then the command */
	size_t alive;              /* of these events, those whose thread has not ended */
};

/* --- output.c: all that is written but the rings ------------------------------------------- */

/* Opens the file; header and all features known by now. */
MUST_USE bool output_begin(struct capture *c, struct err *err);
/* Side-band records for what exists already. */
MUST_USE bool output_synthesize(struct capture *c, struct err *err);
/* What each event counted as lost. */
MUST_USE bool output_lost_samples(struct capture *c, struct err *err);
/* The last features; closes the file, or takes it back when the command could not be run. ok:
 * whether all went well so far; if not, err is left as it is. */
MUST_USE bool output_end(struct capture *c, bool ok, struct err *err);

#endif
