/* Looks over records on their way from ring to file: counts, and notes what the header needs. */
#ifndef KILN_SCAN_H
#define KILN_SCAN_H

#include <pthread.h>
#include <sys/uio.h>

#include "capture/mapped_files.h"

struct embed;
struct out;

struct scan_counts {
	uint64_t samples;
	uint64_t lost;                  /* records the ring had no room for */
	uint64_t lost_samples;          /* samples dropped, as the kernel's own records say */
	uint64_t first_time, last_time; /* of samples; UINT64_MAX, 0: none */
	uint64_t start_time;            /* of the first sample of all files; UINT64_MAX: none */
	uint64_t lost_times;            /* LOST records */
	/* When nothing got in for the first time and for the last, and for how long at most (ns):
	 * from the last sample before a LOST record to that record. */
	uint64_t first_lost, last_lost, longest_gap;
	uint64_t throttled; /* times the kernel held an event back */
};

/* The processes that what is recorded has started, some of which have ended. Several threads may
 * add to it at once. */
struct scan_tasks {
	pthread_mutex_t lock;
	VEC(int32_t) pids;
};

struct scan {
	struct embed *embed;      /* NULL: none */
	struct scan_tasks *tasks; /* NULL: nobody asks for them */
	struct mapped_files *files;
	size_t time_word; /* where a sample's time lies, in 8-byte words of its body; SIZE_MAX: it
			     has none */
	struct scan_counts counts;
	struct out *keep;   /* copies of what tells about tasks and code go here; NULL: nowhere */
	uint64_t ring_time; /* of the latest sample of the ring that is looked at; 0: none yet. The
			     * caller keeps it for each ring. */
	uint8_t *scratch;   /* for the one record that goes over the ring's end */
};

#define SCAN_COUNTS_NONE       \
	((struct scan_counts){ \
		.first_time = UINT64_MAX, .start_time = UINT64_MAX, .first_lost = UINT64_MAX})

/* What two scans saw, together. */
void scan_counts_add(struct scan_counts *sum, const struct scan_counts *more);

/* sample_type: of every event alike, up to the time field. */
void scan_init(struct scan *s, struct mapped_files *files, uint64_t sample_type);
void scan_free(struct scan *s);

/* Looks over the pieces of a ring (one or two, as ring_pieces() gives them), up to the first record
 * that ends at or behind `limit` bytes. Cuts the pieces there; returns how many bytes are left in
 * them, all whole records. */
size_t scan_records(struct scan *s, struct iovec iov[2], int count, size_t limit);

#endif
