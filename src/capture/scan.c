#include "capture/scan.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "perfdata/record.h"

#define HEADER_BYTES 8
#define RECORD_MAX 65536

void scan_init(struct scan *s, struct mapped_files *files, uint64_t sample_type)
{
	const uint64_t before_time = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	*s = (struct scan){
		.files = files,
		.time_word = (size_t)__builtin_popcountll(sample_type & before_time),
		.first_time = UINT64_MAX,
	};
}

void scan_free(struct scan *s)
{
	free(s->scratch);
}

static void scan_mmap(struct scan *s, const struct record *r)
{
	struct rec_mmap m;
	if (record_mmap(r, &m))
		mapped_files_note(s->files, m.path, &m.build_id, false);
}

static void scan_sample(struct scan *s, const struct record *r)
{
	s->samples++;
	if (r->body_size < (s->time_word + 1) * 8)
		return;
	uint64_t time = load64(r->body + s->time_word * 8);
	s->first_time = MIN(s->first_time, time);
	s->last_time = MAX(s->last_time, time);
}

static void scan_record(struct scan *s, const uint8_t *p, size_t size)
{
	struct record r = {
		.type = load32(p),
		.misc = load16(p + 4),
		.size = (uint16_t)size,
		.body = p + HEADER_BYTES,
		.body_size = size - HEADER_BYTES,
	};
	struct rec_lost lost;
	uint64_t n;
	switch (r.type) {
	case PERF_RECORD_SAMPLE:
		scan_sample(s, &r);
		break;
	case PERF_RECORD_MMAP2:
		scan_mmap(s, &r);
		break;
	case PERF_RECORD_LOST:
		if (record_lost(&r, &lost))
			s->lost += lost.lost;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (record_lost_samples(&r, &n))
			s->lost_samples += n;
		break;
	default:
		break;
	}
}

/* Walks one piece; returns how many bytes its last record is short of, 0 when it ends with one.
 * *left gets the bytes of that unfinished record. Records are multiples of 8 bytes, as the ring is,
 * so a header is never cut. */
static size_t walk(struct scan *s, const uint8_t *p, size_t n, size_t *left)
{
	while (n >= HEADER_BYTES) {
		size_t size = load16(p + 6);
		if (size < HEADER_BYTES) /* the kernel writes no such thing; never loop on it */
			return 0;
		if (size > n) {
			*left = n;
			return size - n;
		}
		scan_record(s, p, size);
		p += size;
		n -= size;
	}
	return 0;
}

void scan_records(struct scan *s, const struct iovec iov[2], int count)
{
	size_t skip = 0;
	for (int i = 0; i < count; i++) {
		const uint8_t *p = iov[i].iov_base;
		size_t n = iov[i].iov_len, left = 0;
		if (skip > n)
			return;
		size_t missing = walk(s, p + skip, n - skip, &left);
		skip = 0;
		if (!missing || i + 1 == count || missing > iov[i + 1].iov_len)
			continue;
		if (!s->scratch)
			s->scratch = mem_alloc(RECORD_MAX);
		memcpy(s->scratch, p + n - left, left);
		memcpy(s->scratch + left, iov[i + 1].iov_base, missing);
		scan_record(s, s->scratch, left + missing);
		skip = missing;
	}
}
