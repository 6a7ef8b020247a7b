/*
 * One file of records: the recording itself, or one of those in a directory. Written from one
 * thread at a time; different streams by different threads at once.
 */
#ifndef KILN_STREAM_H
#define KILN_STREAM_H

#include <sys/uio.h>

#include "base/err.h"
#include "base/out.h"

struct async;
struct packer;

struct perfdata_stream {
	int fd;
	char *name;            /* for messages; owned */
	bool cut;              /* a failed write is cut back to whole records; not for pipes */
	bool failed;           /* a write failed: no more is written */
	uint64_t end;          /* of the records written so far; others may ask while it grows */
	uint64_t marks[2];     /* earlier ends, the older one first: borders between records */
	struct packer *packer; /* NULL: records are not compressed */
	struct out waiting;    /* to be compressed */
	struct async *async;   /* NULL: written at once */
};

void stream_init(struct perfdata_stream *s, int fd, const char *name);
/* What waits is lost; the descriptor is closed. False with errno when that fails. */
MUST_USE bool stream_close(struct perfdata_stream *s);

MUST_USE bool stream_compress(struct perfdata_stream *s, unsigned level, struct err *err);
/* From now on records are written behind; files only. */
void stream_async(struct perfdata_stream *s, unsigned blocks);
MUST_USE bool stream_write(struct perfdata_stream *s, const struct iovec *iov, int count,
			   struct err *err);
MUST_USE bool stream_flush(struct perfdata_stream *s, struct err *err);
/* What was copied to be written behind is on its way. */
MUST_USE bool stream_submit(struct perfdata_stream *s, struct err *err);
/* Nothing is under way any more. */
MUST_USE bool stream_settle(struct perfdata_stream *s, struct err *err);
uint64_t stream_bytes(const struct perfdata_stream *s);

/* Records given up on a full disk so that the features, without which the rest is hard to read,
 * have room. */
#define STREAM_GIVE_UP ((uint64_t)128 << 10)

/* Cuts the last records off, at least STREAM_GIVE_UP of them if there are so many behind `first`,
 * where records begin. */
void stream_give_up(struct perfdata_stream *s, uint64_t first);

#endif
