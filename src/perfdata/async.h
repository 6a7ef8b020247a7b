/*
 * Writing behind: records are copied into blocks, and those are written while the caller goes on
 * (POSIX aio). With all blocks under way, a write waits for one.
 */
#ifndef KILN_ASYNC_H
#define KILN_ASYNC_H

#include <sys/uio.h>

#include "base/base.h"

#define ASYNC_BLOCKS_MAX 4

struct async;

/* The descriptor is written at explicit offsets, from `offset` on. */
struct async *async_open(int fd, unsigned blocks, uint64_t offset);
void async_close(struct async *a);

/* Whole records. False with errno when an earlier block could not be written. */
MUST_USE bool async_write(struct async *a, const struct iovec *iov, int count);

/* What was copied is on its way to the file, or all of it is there (settle). False as above. */
MUST_USE bool async_submit(struct async *a);
MUST_USE bool async_settle(struct async *a);

/* After a failure: where the block that failed begins, a border between records, and up to where it
 * was written. */
void async_failure(const struct async *a, uint64_t *from, uint64_t *to);

#endif
