/* What follows the records: features, the final header, the end. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "perfdata/emit.h"
#include "perfdata/pack.h"
#include "perfdata/writer_file.h"

#define PIPE_FEATURE_MAX FEAT_CLOCK_DATA /* older perfs stop at a number they do not know */

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

bool writer_send_feature(struct perfdata_writer *w, unsigned feature, const void *p, size_t n,
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
	ok = writer_put(w, &o, err);
	(void)out_finish(&o);
	return ok;
}

bool perfdata_writer_feature(struct perfdata_writer *w, unsigned feature, const void *p, size_t n,
			     struct err *err)
{
	if (feature >= ARRAY_LEN(w->features))
		return err_set(err, ERR_UNSUPPORTED, "header feature %u does not exist", feature);
	if (w->pipe && w->begun)
		return writer_send_feature(w, feature, p, n, err);
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
	put_features(&o, w, w->main.end, limit, bits);
	bool ok = pwrite_all(w->main.fd, o.buf, o.n, w->main.end);
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
	err_sys(err, errno, "cannot write all of %s", w->main.name);
	err_hint(err, "its last records are missing; record again where there is more room");
	stream_give_up(&w->main, w->data_offset);
	for (size_t i = 0; i < w->file_count; i++) {
		stream_give_up(&w->files[i], 0);
		(void)!ftruncate(w->files[i].fd, (off_t)w->files[i].end);
	}
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (ftruncate(w->main.fd, (off_t)w->main.end) == 0 &&
		    try_features(w, limits[i], bits))
			return false;
	memset(bits, 0, 4 * sizeof *bits);
	return false;
}

/* How well it went, over all streams. */
static void keep_compression(struct perfdata_writer *w)
{
	struct out o;
	uint64_t in = 0, out = 0;
	packer_count(w->main.packer, &in, &out);
	for (size_t i = 0; i < w->file_count; i++)
		packer_count(w->files[i].packer, &in, &out);
	out_memory(&o);
	packer_feature(w->level, in, out, &o);
	(void)!perfdata_writer_feature(w, FEAT_COMPRESSED, o.buf, o.n, NULL);
	(void)out_finish(&o);
}

static bool finish_file(struct perfdata_writer *w, struct err *err)
{
	uint64_t bits[4];
	if (w->level)
		keep_compression(w);
	if (!w->features[FEAT_EVENT_DESC].p &&
	    !perfdata_writer_feature(w, FEAT_EVENT_DESC, w->event_desc.buf, w->event_desc.n, err))
		return false;
	bool whole = write_features(w, bits, err);
	struct out o;
	out_memory(&o);
	writer_put_header(&o, w, w->main.end - w->data_offset, bits);
	bool ok = pwrite_all(w->main.fd, o.buf, o.n, 0) ||
		  err_sys(err, errno, "cannot finish %s", w->main.name);
	(void)out_finish(&o);
	return ok && whole;
}

bool perfdata_writer_close(struct perfdata_writer *w, struct err *err)
{
	bool ok = perfdata_writer_flush(w, err);
	ok = stream_settle(&w->main, ok ? err : NULL) && ok;
	if (w->begun && !w->pipe)
		ok = finish_file(w, ok ? err : NULL) && ok;
	for (size_t i = 0; i < w->file_count; i++)
		if (!stream_close(&w->files[i]) && ok)
			ok = err_sys(err, errno, "cannot finish one of the files beside the data");
	if (!stream_close(&w->main) && ok)
		ok = err_sys(err, errno, "cannot finish the recording");
	for (size_t i = 0; i < ARRAY_LEN(w->features); i++)
		free(w->features[i].p);
	(void)out_finish(&w->event_desc);
	free(w->files);
	free(w);
	return ok;
}
