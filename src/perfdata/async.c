#include "perfdata/async.h"

#include <aio.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#define BLOCK_BYTES ((size_t)1 << 20)

struct block {
	struct aiocb cb;
	uint8_t *p;
	size_t n, cap;
	bool busy;
};

struct async {
	int fd;
	unsigned count, at; /* at: the block that is being filled */
	uint64_t offset;    /* of the next block in the file */
	int error;          /* of the first block that failed; 0: none */
	uint64_t failed_from, failed_to;
	struct block blocks[ASYNC_BLOCKS_MAX];
};

struct async *async_open(int fd, unsigned blocks, uint64_t offset)
{
	struct async *a = mem_zalloc(sizeof *a);
	a->fd = fd;
	a->count = MIN(MAX(blocks, 1U), (unsigned)ASYNC_BLOCKS_MAX);
	a->offset = offset;
	return a;
}

static void fail(struct async *a, const struct block *b, size_t written, int error)
{
	uint64_t from = (uint64_t)b->cb.aio_offset;
	/* Blocks end in any order; the first in the file is the one that counts. */
	if (a->error && from > a->failed_from)
		return;
	a->error = error;
	a->failed_from = from;
	a->failed_to = from + written;
}

/* What aio left over: it may write less than all, as write(2) does. */
static void finish_block(struct async *a, struct block *b, size_t done)
{
	while (done < b->n) {
		ssize_t n = pwrite(a->fd, b->p + done, b->n - done, b->cb.aio_offset + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(a, b, done, n < 0 ? errno : ENOSPC);
			return;
		}
		done += (size_t)n;
	}
}

static void wait_for(struct async *a, struct block *b)
{
	const struct aiocb *const list[] = {&b->cb};
	if (!b->busy)
		return;
	int error;
	while ((error = aio_error(&b->cb)) == EINPROGRESS)
		(void)aio_suspend(list, 1, NULL);
	ssize_t n = aio_return(&b->cb);
	if (error)
		fail(a, b, 0, error);
	else
		finish_block(a, b, (size_t)MAX(n, 0));
	b->busy = false;
	b->n = 0;
}

bool async_submit(struct async *a)
{
	struct block *b = &a->blocks[a->at];
	if (a->error) {
		errno = a->error;
		return false;
	}
	if (!b->n)
		return true;
	b->cb = (struct aiocb){
		.aio_fildes = a->fd,
		.aio_buf = b->p,
		.aio_nbytes = b->n,
		.aio_offset = (off_t)a->offset,
		.aio_sigevent = {.sigev_notify = SIGEV_NONE},
	};
	a->offset += b->n;
	/* Where nothing can be queued, it is written here and now. */
	if (aio_write(&b->cb) == 0) {
		b->busy = true;
	} else {
		finish_block(a, b, 0);
		b->n = 0;
	}
	a->at = (a->at + 1) % a->count;
	wait_for(a, &a->blocks[a->at]);
	errno = a->error;
	return !a->error;
}

bool async_write(struct async *a, const struct iovec *iov, int count)
{
	size_t total = 0;
	for (int i = 0; i < count; i++)
		total += iov[i].iov_len;
	if (a->blocks[a->at].n + total > BLOCK_BYTES && !async_submit(a))
		return false;
	struct block *b = &a->blocks[a->at];
	if (b->cap < b->n + total) {
		b->cap = MAX(b->n + total, BLOCK_BYTES);
		b->p = mem_realloc(b->p, b->cap);
	}
	for (int i = 0; i < count; i++) {
		if (iov[i].iov_len)
			memcpy(b->p + b->n, iov[i].iov_base, iov[i].iov_len);
		b->n += iov[i].iov_len;
	}
	errno = a->error;
	return !a->error;
}

bool async_settle(struct async *a)
{
	bool ok = async_submit(a);
	for (unsigned i = 0; i < a->count; i++)
		wait_for(a, &a->blocks[i]);
	errno = a->error;
	return ok && !a->error;
}

void async_failure(const struct async *a, uint64_t *from, uint64_t *to)
{
	*from = a->failed_from;
	*to = a->failed_to;
}

void async_close(struct async *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->count; i++) {
		wait_for(a, &a->blocks[i]);
		free(a->blocks[i].p);
	}
	free(a);
}
