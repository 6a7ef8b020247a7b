/*
 * A file: header, id arrays, attrs, records, feature table, feature payloads. The header is written
 * twice: first without the size of the records, at the end with it.
 * A pipe: 16 bytes, then records only.
 */
#include "perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/out.h"
#include "perfdata/emit.h"
#include "perfdata/pack.h"

#define HEADER_BYTES 104
#define PIPE_HEADER_BYTES 16
#define PIPE_FEATURE_MAX FEAT_CLOCK_DATA /* older perfs stop at a number they do not know */

/* Records given up on a full disk so that the features, without which the rest is hard to read,
 * have room. */
#define GIVE_UP ((uint64_t)128 << 10)

struct perfdata_writer {
	int fd;
	char *name;
	bool pipe, begun, failed;
	uint64_t end;      /* of the records written so far */
	uint64_t marks[2]; /* earlier ends, the older one first: borders between records */
	uint64_t attrs_offset, attrs_size, attr_entry, data_offset;
	struct out event_desc;
	struct packer *packer; /* NULL: records are not compressed */
	struct out waiting;    /* to be compressed */
	struct {
		uint8_t *p;
		size_t n;
	} features[256];
};

/* --- open, begin --- */

static void fail_create(const char *path, int error, struct err *err)
{
	struct str name = str_basename(str_of(path));
	int dir = (int)(name.p - path);
	err_sys(err, error, "cannot create %s", path);
	if (error == EMFILE)
		err_hint(err, "raise the limit of open files: ulimit -n 1024");
	else if (error == ENOENT && dir > 0)
		err_hint(err, "make the directory first: mkdir -p %.*s", dir, path);
	else
		err_hint(err, "name another file with -o");
}

struct perfdata_writer *perfdata_writer_open(const char *path, struct err *err)
{
	bool to_stdout = !strcmp(path, "-");
	int fd = to_stdout ? dup(STDOUT_FILENO)
			   : open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct stat st;
	if (fd < 0) {
		fail_create(path, errno, err);
		return NULL;
	}
	struct perfdata_writer *w = mem_zalloc(sizeof *w);
	w->fd = fd;
	w->name = mem_strdup(to_stdout ? "standard output" : path);
	w->pipe = to_stdout || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
	out_memory(&w->event_desc);
	out_memory(&w->waiting);
	return w;
}

bool perfdata_writer_is_pipe(const struct perfdata_writer *w)
{
	return w->pipe;
}

uint64_t perfdata_writer_bytes(const struct perfdata_writer *w)
{
	return w->end;
}

bool perfdata_writer_compress(struct perfdata_writer *w, unsigned level, struct err *err)
{
	w->packer = packer_open(level);
	return w->packer || err_set(err, ERR_SYSTEM, "cannot compress with level %u", level);
}

static bool write_out(struct perfdata_writer *w, const struct out *o, struct err *err)
{
	struct iovec v = {.iov_base = o->buf, .iov_len = o->n};
	return perfdata_write(w, &v, 1, err);
}

static void put_names(struct out *o, const struct writer_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct writer_event *ev = &events[i];
		size_t name = strlen(ev->name), size = (size_t)round_up(8 + 16 + name + 1, 8);
		/* Without an id there is no telling whose name it is, unless there is one only. */
		if ((!ev->id_count && count > 1) || size > UINT16_MAX)
			continue;
		put_record_header(o, RECORD_EVENT_UPDATE, 0, size);
		put_u64(o, 2); /* kind: name */
		put_u64(o, ev->id_count ? ev->ids[0] : 0);
		out_bytes(o, ev->name, name);
		put_zeros(o, size - 24 - name);
	}
}

static void put_header(struct out *o, const struct perfdata_writer *w, uint64_t data_size,
		       const uint64_t features[4])
{
	out_cstr(o, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2");
	put_u64(o, HEADER_BYTES);
	put_u64(o, w->attr_entry);
	put_u64(o, w->attrs_offset);
	put_u64(o, w->attrs_size);
	put_u64(o, w->data_offset);
	put_u64(o, data_size);
	put_zeros(o, 16); /* event types, of the first version */
	out_bytes(o, features, 4 * sizeof *features);
}

static void put_file_start(struct out *o, struct perfdata_writer *w,
			   const struct writer_event *events, size_t count)
{
	uint32_t attr_size = attr_size_of(events, count);
	uint64_t ids = HEADER_BYTES;
	w->attrs_offset = HEADER_BYTES;
	for (size_t i = 0; i < count; i++)
		w->attrs_offset += events[i].id_count * 8;
	w->attr_entry = attr_size + 16;
	w->attrs_size = count * w->attr_entry;
	w->data_offset = w->attrs_offset + w->attrs_size;
	put_header(o, w, 0, (const uint64_t[4]){0});
	for (size_t i = 0; i < count; i++)
		out_bytes(o, events[i].ids, events[i].id_count * 8);
	for (size_t i = 0; i < count; i++) {
		put_attr(o, &events[i].attr, attr_size);
		put_u64(o, ids);
		put_u64(o, events[i].id_count * 8);
		ids += events[i].id_count * 8;
	}
}

static bool put_pipe_start(struct out *o, const struct writer_event *events, size_t count,
			   struct err *err)
{
	/* perf before 6.4 looks for the ids behind an attr of its own size: 128 since 5.13. */
	const uint32_t attr_size = ATTR_BYTES;
	out_cstr(o, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2");
	put_u64(o, PIPE_HEADER_BYTES);
	for (size_t i = 0; i < count; i++) {
		size_t size = 8 + attr_size + events[i].id_count * 8;
		if (size > UINT16_MAX)
			return err_set(err, ERR_UNSUPPORTED,
				       "event %s has %zu ids, more than a pipe can carry",
				       events[i].name, events[i].id_count);
		put_record_header(o, RECORD_HEADER_ATTR, 0, size);
		put_attr(o, &events[i].attr, attr_size);
		out_bytes(o, events[i].ids, events[i].id_count * 8);
	}
	return true;
}

static bool send_feature(struct perfdata_writer *w, unsigned feature, const void *p, size_t n,
			 struct err *err);

bool perfdata_writer_begin(struct perfdata_writer *w, const struct writer_event *events,
			   size_t count, struct err *err)
{
	struct out o;
	out_memory(&o);
	bool ok = true;
	if (w->pipe)
		ok = put_pipe_start(&o, events, count, err);
	else
		put_file_start(&o, w, events, count);
	put_names(&o, events, count);
	feature_event_desc(&w->event_desc, events, count);
	ok = ok && write_out(w, &o, err);
	(void)out_finish(&o);
	w->begun = ok;
	for (unsigned i = 0; ok && w->pipe && i < ARRAY_LEN(w->features); i++)
		if (w->features[i].p)
			ok = send_feature(w, i, w->features[i].p, w->features[i].n, err);
	return ok;
}

/* --- records --- */

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

static bool write_batch(struct perfdata_writer *w, const struct iovec *given, int count,
			uint64_t *written, struct err *err)
{
	struct iovec batch[64], *iov = batch;
	memcpy(batch, given, (size_t)count * sizeof *given);
	iov = iov_advance(iov, &count, 0);
	while (count) {
		ssize_t n = writev(w->fd, iov, count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "cannot write %s", w->name);
		*written += (uint64_t)n;
		iov = iov_advance(iov, &count, (size_t)n);
	}
	return true;
}

/* The last border between records up to `limit`, found by reading from an earlier one. */
static uint64_t border_before(const struct perfdata_writer *w, uint64_t from, uint64_t limit)
{
	uint8_t buf[64 << 10];
	uint64_t start = from; /* of what buf holds */
	ssize_t have = 0;
	for (;;) {
		if (from + 8 > start + (uint64_t)have) {
			start = from;
			have = pread(w->fd, buf, sizeof buf, (off_t)start);
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
static bool keep_whole_records(struct perfdata_writer *w, uint64_t written)
{
	w->end = border_before(w, w->end, w->end + written);
	return ftruncate(w->fd, (off_t)w->end) == 0 && lseek(w->fd, (off_t)w->end, SEEK_SET) >= 0;
}

static bool write_plain(struct perfdata_writer *w, const struct iovec *iov, int count,
			struct err *err)
{
	uint64_t written = 0;
	for (int i = 0; i < count; i += 64) {
		if (write_batch(w, iov + i, MIN(count - i, 64), &written, err))
			continue;
		w->failed = true;
		if (!w->pipe && w->begun && !keep_whole_records(w, written))
			err_wrap(err, "%s may end in half a record", w->name);
		return false;
	}
	w->end += written;
	if (w->end - w->marks[1] >= GIVE_UP) {
		w->marks[0] = w->marks[1];
		w->marks[1] = w->end;
	}
	return true;
}

bool perfdata_writer_flush(struct perfdata_writer *w, struct err *err)
{
	struct out records;
	if (!w->packer || !w->waiting.n || w->failed)
		return true;
	out_memory(&records);
	bool ok = packer_pack(w->packer, (const uint8_t *)w->waiting.buf, w->waiting.n, &records,
			      err);
	w->waiting.n = 0;
	w->failed = !ok;
	struct iovec v = {.iov_base = records.buf, .iov_len = records.n};
	ok = ok && write_plain(w, &v, 1, err);
	(void)out_finish(&records);
	return ok;
}

bool perfdata_write(struct perfdata_writer *w, const struct iovec *iov, int count, struct err *err)
{
	if (w->failed)
		return err_set(err, ERR_SYSTEM, "%s: an earlier write failed", w->name);
	if (!w->packer)
		return write_plain(w, iov, count, err);
	for (int i = 0; i < count; i++)
		out_bytes(&w->waiting, iov[i].iov_base, iov[i].iov_len);
	return w->waiting.n < PACK_PIECE || perfdata_writer_flush(w, err);
}

/* --- features --- */

static bool pipe_drops(unsigned feature)
{
	switch (feature) {
	case FEAT_AUXTRACE:
	case FEAT_STAT:
	case FEAT_CACHE:
	case FEAT_DIR_FORMAT:
	case FEAT_BRANCH_STACK:
		return true;
	default:
		return feature > PIPE_FEATURE_MAX;
	}
}

/* The payload is a row of records already, only that perf's own files leave the type empty. */
static void put_build_id_records(struct out *o, const uint8_t *p, size_t n)
{
	while (n >= 8) {
		uint16_t misc = load16(p + 4), size = load16(p + 6);
		if (size < 8 || size > n)
			return;
		size_t padded = (size_t)round_up(size, 8);
		if (padded <= UINT16_MAX) {
			put_record_header(o, RECORD_HEADER_BUILD_ID, misc, padded);
			out_bytes(o, p + 8, size - 8u);
			put_zeros(o, padded - size);
		}
		p += size;
		n -= size;
	}
}

static bool send_feature(struct perfdata_writer *w, unsigned feature, const void *p, size_t n,
			 struct err *err)
{
	struct out o;
	bool ok = true;
	if (pipe_drops(feature))
		return true;
	out_memory(&o);
	if (feature == FEAT_TRACING_DATA) {
		size_t padded = (size_t)round_up(n, 8);
		put_record_header(&o, RECORD_HEADER_TRACING_DATA, 0, 16);
		put_u32(&o, (uint32_t)padded);
		put_u32(&o, 0);
		out_bytes(&o, p, n);
		put_zeros(&o, padded - n);
	} else if (feature == FEAT_BUILD_ID) {
		put_build_id_records(&o, p, n);
	} else if (n <= UINT16_MAX - 24) {
		size_t size = (size_t)round_up(16 + n, 8);
		put_record_header(&o, RECORD_HEADER_FEATURE, 0, size);
		put_u64(&o, feature);
		out_bytes(&o, p, n);
		put_zeros(&o, size - 16 - n);
	}
	ok = write_out(w, &o, err);
	(void)out_finish(&o);
	return ok;
}

bool perfdata_writer_feature(struct perfdata_writer *w, unsigned feature, const void *p, size_t n,
			     struct err *err)
{
	if (feature >= ARRAY_LEN(w->features))
		return err_set(err, ERR_UNSUPPORTED, "header feature %u does not exist", feature);
	if (w->pipe && w->begun)
		return send_feature(w, feature, p, n, err);
	free(w->features[feature].p);
	w->features[feature].p = mem_alloc(n + 1);
	w->features[feature].n = n;
	memcpy(w->features[feature].p, p, n);
	return true;
}

/* --- close --- */

/* Feature table and payloads as they will lie at `offset`; only features up to `limit` bytes. */
static void put_features(struct out *o, const struct perfdata_writer *w, uint64_t offset,
			 size_t limit, uint64_t bits[4])
{
	size_t count = 0;
	memset(bits, 0, 4 * sizeof *bits);
	for (unsigned i = 0; i < ARRAY_LEN(w->features); i++) {
		if (!w->features[i].p || w->features[i].n > limit)
			continue;
		bits[i / 64] |= (uint64_t)1 << (i % 64);
		count++;
	}
	uint64_t at = offset + count * 16;
	for (unsigned i = 0; i < ARRAY_LEN(w->features); i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		put_u64(o, at);
		put_u64(o, w->features[i].n);
		at += w->features[i].n;
	}
	for (unsigned i = 0; i < ARRAY_LEN(w->features); i++)
		if (bits[i / 64] >> (i % 64) & 1)
			out_bytes(o, w->features[i].p, w->features[i].n);
}

static bool pwrite_all(int fd, const void *p, size_t n, uint64_t offset)
{
	const char *at = p;
	while (n) {
		ssize_t r = pwrite(fd, at, n, (off_t)offset);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		at += r;
		n -= (size_t)r;
		offset += (uint64_t)r;
	}
	return true;
}

static bool try_features(struct perfdata_writer *w, size_t limit, uint64_t bits[4])
{
	struct out o;
	out_memory(&o);
	put_features(&o, w, w->end, limit, bits);
	bool ok = pwrite_all(w->fd, o.buf, o.n, w->end);
	int error = errno;
	(void)out_finish(&o);
	errno = error;
	return ok;
}

/* On a full disk: gives up the last records, then the large features, then all of them. */
static bool write_features(struct perfdata_writer *w, uint64_t bits[4], struct err *err)
{
	static const size_t limits[] = {SIZE_MAX, 4096, 512};
	if (try_features(w, SIZE_MAX, bits))
		return true;
	err_sys(err, errno, "cannot write all of %s", w->name);
	err_hint(err, "its last records are missing; record again where there is more room");
	uint64_t mark = MAX(w->marks[0], w->data_offset);
	if (w->end > mark + GIVE_UP)
		w->end = border_before(w, mark, w->end - GIVE_UP);
	else if (mark > w->data_offset)
		w->end = mark;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (ftruncate(w->fd, (off_t)w->end) == 0 && try_features(w, limits[i], bits))
			return false;
	memset(bits, 0, 4 * sizeof *bits);
	return false;
}

static bool finish_file(struct perfdata_writer *w, struct err *err)
{
	uint64_t bits[4];
	struct out packed;
	out_memory(&packed);
	if (w->packer) {
		packer_feature(w->packer, &packed);
		(void)!perfdata_writer_feature(w, FEAT_COMPRESSED, packed.buf, packed.n, NULL);
	}
	(void)out_finish(&packed);
	if (!w->features[FEAT_EVENT_DESC].p &&
	    !perfdata_writer_feature(w, FEAT_EVENT_DESC, w->event_desc.buf, w->event_desc.n, err))
		return false;
	bool whole = write_features(w, bits, err);
	struct out o;
	out_memory(&o);
	put_header(&o, w, w->end - w->data_offset, bits);
	bool ok = pwrite_all(w->fd, o.buf, o.n, 0) ||
		  err_sys(err, errno, "cannot finish %s", w->name);
	(void)out_finish(&o);
	return ok && whole;
}

bool perfdata_writer_close(struct perfdata_writer *w, struct err *err)
{
	bool ok = perfdata_writer_flush(w, err);
	if (w->begun && !w->pipe)
		ok = finish_file(w, ok ? err : NULL) && ok;
	if (close(w->fd) != 0 && ok)
		ok = err_sys(err, errno, "cannot finish %s", w->name);
	for (size_t i = 0; i < ARRAY_LEN(w->features); i++)
		free(w->features[i].p);
	(void)out_finish(&w->event_desc);
	(void)out_finish(&w->waiting);
	packer_close(w->packer);
	free(w->name);
	free(w);
	return ok;
}
