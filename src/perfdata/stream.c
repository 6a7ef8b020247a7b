#include "perfdata/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "perfdata/async.h"
#include "perfdata/pack.h"

#define BATCH 64 /* pieces of one writev */

void stream_init(struct perfdata_stream *s, int fd, const char *name)
{
	*s = (struct perfdata_stream){.fd = fd, .name = mem_strdup(name)};
	out_memory(&s->waiting);
}

bool stream_close(struct perfdata_stream *s)
{
	async_close(s->async);
	int result = close(s->fd), error = errno;
	packer_close(s->packer);
	(void)out_finish(&s->waiting);
	free(s->name);
	errno = error;
	return result == 0;
}

bool stream_compress(struct perfdata_stream *s, unsigned level, struct err *err)
{
	s->packer = packer_open(level);
	return s->packer || err_set(err, ERR_SYSTEM, "cannot compress with level %u", level);
}

void stream_async(struct perfdata_stream *s, unsigned blocks)
{
	s->async = async_open(s->fd, blocks, s->end);
}

uint64_t stream_bytes(const struct perfdata_stream *s)
{
	return __atomic_load_n(&s->end, __ATOMIC_RELAXED);
}

static void set_end(struct perfdata_stream *s, uint64_t end)
{
	__atomic_store_n(&s->end, end, __ATOMIC_RELAXED);
}

/* Skips what has been written. */
static struct iovec *iov_advance(struct iovec *iov, int *count, size_t n)
{
	while (*count && n >= iov->iov_len) {
		n -= iov->iov_len;
		iov++;
		(*count)--;
	}
	if (*count) {
		iov->iov_base = (char *)iov->iov_base + n;
		iov->iov_len -= n;
	}
	return iov;
}

static bool write_batch(struct perfdata_stream *s, const struct iovec *given, int count,
			uint64_t *written, struct err *err)
{
	struct iovec batch[BATCH], *iov = batch;
	memcpy(batch, given, (size_t)count * sizeof *given);
	iov = iov_advance(iov, &count, 0);
	while (count) {
		ssize_t n = writev(s->fd, iov, count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot write %s", s->name);
		*written += (uint64_t)n;
		iov = iov_advance(iov, &count, (size_t)n);
	}
	return true;
}

/* The last border between records up to `limit`, found by reading from an earlier one. */
static uint64_t border_before(const struct perfdata_stream *s, uint64_t from, uint64_t limit)
{
	uint8_t buf[64 << 10];
	uint64_t start = from; /* of what buf holds */
	ssize_t have = 0;
	for (;;) {
		if (from + 8 > start + (uint64_t)have) {
			start = from;
			have = pread(s->fd, buf, sizeof buf, (off_t)start);
			if (have < 8)
				return from;
		}
		uint16_t size = load16(buf + (from - start) + 6);
		if (size < 8 || from + size > limit)
			return from;
		from += size;
	}
}

/* After a failed write: keeps the whole records of it, which is what a full disk leaves. */
static bool keep_whole_records(struct perfdata_stream *s, uint64_t written)
{
	set_end(s, border_before(s, s->end, s->end + written));
	return ftruncate(s->fd, (off_t)s->end) == 0 && lseek(s->fd, (off_t)s->end, SEEK_SET) >= 0;
}

/* After a block could not be written: all others are done with, and what follows it is cut off. */
static bool fail_async(struct perfdata_stream *s, int error, struct err *err)
{
	uint64_t from, to;
	s->failed = true;
	(void)!async_settle(s->async);
	err_sys(err, error, "cannot write %s", s->name);
	async_failure(s->async, &from, &to);
	set_end(s, from);
	s->marks[0] = MIN(s->marks[0], from);
	s->marks[1] = MIN(s->marks[1], from);
	if (!keep_whole_records(s, to - from))
		err_wrap(err, "%s may end in half a record", s->name);
	return false;
}

static bool write_plain(struct perfdata_stream *s, const struct iovec *iov, int count,
			struct err *err)
{
	uint64_t written = 0;
	if (s->async) {
		for (int i = 0; i < count; i++)
			written += iov[i].iov_len;
		if (!async_write(s->async, iov, count))
			return fail_async(s, errno, err);
	}
	for (int i = 0; !s->async && i < count; i += BATCH) {
		if (write_batch(s, iov + i, MIN(count - i, BATCH), &written, err))
			continue;
		s->failed = true;
		if (s->cut && !keep_whole_records(s, written))
			err_wrap(err, "%s may end in half a record", s->name);
		return false;
	}
	set_end(s, s->end + written);
	if (s->end - s->marks[1] >= STREAM_GIVE_UP) {
		s->marks[0] = s->marks[1];
		s->marks[1] = s->end;
	}
	return true;
}

static bool pack_waiting(struct perfdata_stream *s, struct err *err)
{
	struct out records;
	out_memory(&records);
	bool ok = packer_pack(s->packer, (const uint8_t *)s->waiting.buf, s->waiting.n, &records,
			      err);
	s->waiting.n = 0;
	s->failed = !ok;
	struct iovec v = {.iov_base = records.buf, .iov_len = records.n};
	ok = ok && write_plain(s, &v, 1, err);
	(void)out_finish(&records);
	return ok;
}

bool stream_submit(struct perfdata_stream *s, struct err *err)
{
	if (!s->async || s->failed || async_submit(s->async))
		return true;
	return fail_async(s, errno, err);
}

bool stream_flush(struct perfdata_stream *s, struct err *err)
{
	if (s->failed)
		return true;
	return (!s->waiting.n || pack_waiting(s, err)) && stream_submit(s, err);
}

bool stream_settle(struct perfdata_stream *s, struct err *err)
{
	if (!stream_flush(s, err))
		return false;
	return !s->async || s->failed || async_settle(s->async) || fail_async(s, errno, err);
}

bool stream_write(struct perfdata_stream *s, const struct iovec *iov, int count, struct err *err)
{
	if (s->failed)
		return err_set(err, ERR_SYSTEM, "%s: an earlier write failed", s->name);
	if (!s->packer)
		return write_plain(s, iov, count, err);
	for (int i = 0; i < count; i++)
		out_bytes(&s->waiting, iov[i].iov_base, iov[i].iov_len);
	return s->waiting.n < PACK_PIECE || pack_waiting(s, err);
}

void stream_give_up(struct perfdata_stream *s, uint64_t first)
{
	uint64_t mark = MAX(s->marks[0], first);
	if (s->end > mark + STREAM_GIVE_UP)
		set_end(s, border_before(s, mark, s->end - STREAM_GIVE_UP));
	else if (mark > first)
		set_end(s, mark);
}
