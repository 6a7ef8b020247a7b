/* One ring buffer shared with the kernel: it writes at the head, we take at the tail. */
#ifndef KILN_RING_H
#define KILN_RING_H

#include <sys/uio.h>

#include "base/base.h"
#include "base/err.h"

struct perf_event_mmap_page;

struct ring {
	int fd;      /* the event that owns it; borrowed */
	int32_t cpu; /* -1: a thread's, on any */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size;   /* of data: a power of two */
	uint64_t tail; /* all before is taken; backward: all from here on is */
	/* The kernel writes downwards from the end and over the oldest: the latest records can be
	 * had at any time, the latest first. */
	bool backward;
	uint64_t last_time; /* of the latest sample taken; 0: none */
};

/* Maps `pages` (a power of two) of data. False with errno on failure. */
MUST_USE bool ring_map(struct ring *r, int fd, size_t pages);
void ring_unmap(struct ring *r);

/* How far the kernel has got. */
uint64_t ring_head(const struct ring *r);

/* What lies between tail and head, in place: one or two pieces (0: nothing). Whole records; one may
 * cross from the first piece to the second. */
int ring_pieces(const struct ring *r, uint64_t head, struct iovec iov[2]);

/* Of a backward ring whose output is paused: what has come since the last call and was not written
 * over. */
int ring_take_backward(struct ring *r, struct iovec iov[2]);

/* The first `n` bytes are used; the kernel may write there again. */
void ring_take(struct ring *r, size_t n);

#endif
