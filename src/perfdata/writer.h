/*
 * Writing perf.data, to a file or to a pipe, so that perf 5.10 and later opens it (attr size 128
 * or less).
 *
 * A file is readable from the first write on: header, attrs and ids are on disk before the data,
 * and event names are repeated in the data as EVENT_UPDATE records, so a recorder that is killed
 * leaves a file without a data size and without features but with everything else.
 */
#ifndef KILN_WRITER_H
#define KILN_WRITER_H

#include <sys/uio.h>

#include "base/err.h"
#include "perfdata/perfdata.h"

struct perfdata_writer;

struct writer_event {
	struct attr attr;
	const char *name;
	const uint64_t *ids;
	size_t id_count;
};

/* path "-" (or a FIFO) selects pipe mode. The events are copied. Header and attrs are written by
 * the first perfdata_write() or by perfdata_writer_begin(). */
struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err);

/* A directory, which must not exist: the file "data" in it, and `files` more that hold records
 * only.
 */
struct perfdata_writer *perfdata_writer_open_dir(const char *path, size_t files, struct err *err);

MUST_USE bool perfdata_writer_begin(struct perfdata_writer *w, const struct writer_event *events,
				    size_t count, struct err *err);

bool perfdata_writer_is_pipe(const struct perfdata_writer *w);

/* From now on records are compressed. After begin; files only. */
MUST_USE bool perfdata_writer_compress(struct perfdata_writer *w, unsigned level, struct err *err);

/* From now on records are copied into so many blocks and written behind (POSIX aio), so that the
 * caller's memory is free before they are. After begin; one file only. */
#define PERFDATA_BLOCKS_MAX 4
void perfdata_writer_async(struct perfdata_writer *w, unsigned blocks);
/* With that: what has been copied by now is on its way. */
MUST_USE bool perfdata_writer_submit(struct perfdata_writer *w, struct err *err);

/* Compressed records wait for more, because larger pieces compress better; this writes them. */
MUST_USE bool perfdata_writer_flush(struct perfdata_writer *w, struct err *err);

/* Whole records, straight from the caller's memory (one writev). Fails on a full disk with what
 * was written so far still a valid file. */
MUST_USE bool perfdata_write(struct perfdata_writer *w, const struct iovec *iov, int count,
			     struct err *err);

/* Where the records of ring `i` go: a file of its own in a directory, the recording itself
 * otherwise. Different files may be written by different threads, other calls are for one thread.
 */
struct perfdata_stream;
struct perfdata_stream *perfdata_writer_stream(struct perfdata_writer *w, size_t i);
MUST_USE bool perfdata_stream_write(struct perfdata_stream *s, const struct iovec *iov, int count,
				    struct err *err);
MUST_USE bool perfdata_stream_flush(struct perfdata_stream *s, struct err *err);

/* The payload of a feature, kept until the end (file) or sent at once as HEADER_FEATURE (pipe; the
 * features a pipe cannot carry are dropped). Replaces an earlier one of the same number. */
MUST_USE bool perfdata_writer_feature(struct perfdata_writer *w, unsigned feature, const void *p,
				      size_t n, struct err *err);

/* Of all files; also while others write. */
uint64_t perfdata_writer_bytes(const struct perfdata_writer *w);

/* Writes features and the final header, closes. Also after a failed write: what fits is saved.
 * Always frees w. */
MUST_USE bool perfdata_writer_close(struct perfdata_writer *w, struct err *err);

/* --- feature payload builders: append to a byte buffer as perf lays them out -------------- */

struct out;
void feature_string(struct out *o, const char *s); /* u32 length rounded to 64, bytes, padding */
void feature_cmdline(struct out *o, const char *const *argv, size_t argc);
void feature_event_desc(struct out *o, const struct writer_event *events, size_t count);
void feature_build_ids(struct out *o, const struct rec_build_id *ids, const uint16_t *misc,
		       size_t count);

#endif
