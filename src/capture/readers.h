/*
 * Who empties the rings: the recording's own thread, or one thread for each set of CPUs
 * (--threads), which writes each of its rings to a file of its own.
 *
 * While threads run, their rings, scans and files are theirs; others see what they published at the
 * end of their last round. Everything else that touches those (a switch of files, a snapshot, the
 * end) happens while they stand still.
 */
#ifndef KILN_READERS_H
#define KILN_READERS_H

#include <poll.h>
#include <pthread.h>

#include "base/err.h"
#include "capture/scan.h"

struct capture;

struct reader {
	struct capture *capture;
	size_t index;
	VEC(uint32_t) rings;
	struct scan scan;
	VEC(struct pollfd) polled; /* its rings' events */
	size_t alive;              /* of these, those whose thread has not ended */
	uint64_t wakeups;
	uint64_t flushed; /* when */
	uint32_t near;    /* ring whose CPU this thread was sent to, plus one */
	pthread_t thread;
	bool started, failed;
	struct err err;

	pthread_mutex_t lock; /* over what others may see */
	struct {
		struct scan_counts counts;
		size_t alive;
		uint64_t wakeups;
		bool failed;
	} told;
};

struct readers {
	VEC(struct reader) v;
	bool threads; /* else there is one, and the recording's own thread does its work */
	int stop;     /* eventfd: readable when the threads are to stop */
	int wake;     /* eventfd: a reader has failed, or the last of its threads has ended */
};

/* Gives each ring its reader. sample_fields: as scan_init(). */
void readers_init(struct capture *c, uint64_t sample_fields);
void readers_free(struct readers *r);

/* Threads run, where there are any. */
MUST_USE bool readers_start(struct capture *c, struct err *err);
/* They empty their rings once more and stop. False with the first one's failure. */
MUST_USE bool readers_stop(struct capture *c, struct err *err);

/* From the calling thread, while no others run: one pass over all rings but the backward ones. */
MUST_USE bool readers_drain(struct capture *c, bool all, struct err *err);
/* What the backward rings hold. */
MUST_USE bool readers_snapshot(struct capture *c, struct err *err);
/* Counts what came by poll for the one reader that has no thread. */
void readers_polled(struct capture *c, const struct pollfd *polled);

/* Samples from now on belong to another file. */
void readers_new_file(struct capture *c);

struct scan_counts readers_counts(const struct capture *c);
uint64_t readers_wakeups(const struct capture *c);
size_t readers_alive(const struct capture *c);
bool readers_failed(const struct capture *c);

#endif
