/* One recording while it runs: shared by the files that make it. */
#ifndef KILN_RUN_H
#define KILN_RUN_H

#include <poll.h>
#include <signal.h>

#include "capture/capture.h"
#include "capture/control.h"
#include "capture/counters.h"
#include "capture/embed.h"
#include "capture/mapped_files.h"
#include "capture/readers.h"
#include "capture/rings.h"
#include "capture/schedule.h"
#include "capture/stack_depth.h"
#include "capture/thread_masks.h"
#include "capture/triggers.h"
#include "capture/workload.h"

/* Times are nanoseconds of the monotonic clock. */
struct capture {
	const struct capture_plan *plan;
	const volatile int *stop;
	struct diags *diags;
	struct capture_result *result;
	struct workload workload;
	sigset_t wait_mask; /* signals as they were: they come in while we wait */
	struct targets targets;
	struct counters counters;
	struct stack_depth depth;
	struct rings rings;
	struct mapped_files files;
	struct thread_masks masks; /* of --threads; none: one reader, our own thread */
	struct readers readers;
	struct scan_tasks tasks; /* kept where a file begins in the middle of it all */
	struct triggers triggers;
	struct schedule schedule;
	struct control control;
	bool fired;   /* an event of --switch-output-event has happened */
	bool ordered; /* something has come from the control file */
	int dumps;    /* of *plan->dump, those done */
	uint64_t began, file_began, told;

	struct embed embed;
	struct perfdata_writer *writer;
	bool kept_old;                         /* an older file was moved out of the way */
	VEC(char *) files_written;             /* with a time in their name, the oldest first */
	uint64_t lost_samples;                 /* as the events counted them */
	uint64_t filtered;                     /* samples dropped by filters */
	uint64_t bytes_before, samples_before; /* in files that are finished */
	VEC(struct pollfd)
	polled; /* the command, control, readers; the reader's own events, triggers */
};

/* --- output.c: all that is written but the rings ------------------------------------------- */

/* Opens the file; header and all features known by now. */
MUST_USE bool output_begin(struct capture *c, struct err *err);
/* Side-band records for what exists already, unless they are to come last. */
MUST_USE bool output_synthesize(struct capture *c, struct err *err);
/* The same as bytes, to be written later. */
MUST_USE bool output_state(struct capture *c, struct out *state, struct err *err);
/* What each event counted as lost. */
MUST_USE bool output_lost_samples(struct capture *c, struct err *err);
/* The last features; closes the file and gives it its name, or takes it back when the command could
 * not be run. ok: whether all went well so far; if not, err is left as it is. */
MUST_USE bool output_end(struct capture *c, bool ok, struct err *err);

/* --- switch.c ------------------------------------------------------------------------------ */

/* The finished file's last name; removes the oldest when there are too many. */
MUST_USE bool output_rename(struct capture *c, struct err *err);
/* Ends the file and begins the next. The reader threads stand still. */
MUST_USE bool output_switch(struct capture *c, struct err *err);

/* --- loop.c -------------------------------------------------------------------------------- */

MUST_USE bool loop_run(struct capture *c, struct err *err);
/* What SIGUSR2 asks for: a snapshot, a new file, or both. */
MUST_USE bool loop_dump(struct capture *c, struct err *err);

uint64_t capture_clock(void);

#define FLUSH_INTERVAL_MS 500 /* how much a killed recorder may take with it */

/* True when what is recorded can come to an end by itself, other than by the command's. */
bool capture_attached(const struct capture *c);
/* Milliseconds after which a reader looks into its rings, whatever they hold. */
uint64_t capture_patience(const struct capture *c);

/* --- orders.c ------------------------------------------------------------------------------ */

/* Does what has come from the control file. */
MUST_USE bool orders_obey(struct capture *c, bool *over, struct err *err);

/* --- losses.c ------------------------------------------------------------------------------ */

/* Notes about what was lost, if anything; after the last output_lost_samples(). */
void losses_tell(const struct capture *c);

/* --- capture.c ----------------------------------------------------------------------------- */

uint64_t capture_bytes(const struct capture *c);
void capture_fill_result(struct capture *c);

#endif
