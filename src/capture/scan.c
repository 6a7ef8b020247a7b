#include "capture/scan.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/out.h"
#include "capture/embed.h"
#include "perfdata/record.h"

#define HEADER_BYTES 8
#define RECORD_MAX 65536
#define TASKS_MAX (1u << 20)

void scan_init(struct scan *s, struct mapped_files *files, uint64_t sample_type)
{
	const uint64_t before_time = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	*s = (struct scan){
		.files = files,
		.time_word = sample_type & PERF_SAMPLE_TIME
				     ? (size_t)__builtin_popcountll(sample_type & before_time)
				     : SIZE_MAX,
		.counts = SCAN_COUNTS_NONE,
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
	struct scan_counts *c = &s->counts;
	c->samples++;
	if (s->time_word == SIZE_MAX || r->body_size < (s->time_word + 1) * 8)
		return;
	uint64_t time = load64(r->body + s->time_word * 8);
	s->ring_time = time;
	c->start_time = MIN(c->start_time, time);
	c->first_time = MIN(c->first_time, time);
	c->last_time = MAX(c->last_time, time);
}

/* Behind id and count comes the trailer: thread, time and the rest. The kernel writes it when there
 * is room again. */
static void scan_lost(struct scan *s, const struct record *r, uint64_t lost)
{
	enum { TIME_AT = 24 };
	struct scan_counts *c = &s->counts;
	c->lost += lost;
	c->lost_times++;
	if (r->body_size < TIME_AT + 8)
		return;
	uint64_t time = load64(r->body + TIME_AT);
	uint64_t from = s->ring_time && s->ring_time < time ? s->ring_time : time;
	c->first_lost = MIN(c->first_lost, from);
	c->last_lost = MAX(c->last_lost, time);
	c->longest_gap = MAX(c->longest_gap, time - from);
}

void scan_counts_add(struct scan_counts *sum, const struct scan_counts *more)
{
	sum->samples += more->samples;
	sum->lost += more->lost;
	sum->lost_samples += more->lost_samples;
	sum->first_time = MIN(sum->first_time, more->first_time);
	sum->last_time = MAX(sum->last_time, more->last_time);
	sum->start_time = MIN(sum->start_time, more->start_time);
	sum->lost_times += more->lost_times;
	sum->first_lost = MIN(sum->first_lost, more->first_lost);
	sum->last_lost = MAX(sum->last_lost, more->last_lost);
	sum->longest_gap = MAX(sum->longest_gap, more->longest_gap);
	sum->throttled += more->throttled;
}

static void scan_fork(struct scan_tasks *tasks, const struct record *r)
{
	struct rec_task t;
	if (!record_task(r, &t) || t.pid == t.ppid)
		return;
	pthread_mutex_lock(&tasks->lock);
	if (tasks->pids.n < TASKS_MAX)
		vec_push(&tasks->pids, t.pid);
	pthread_mutex_unlock(&tasks->lock);
}

static bool tells_state(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
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
	if (s->embed)
		embed_see(s->embed, &r);
	if (UNLIKELY(s->keep) && tells_state(r.type))
		out_bytes(s->keep, p, size);
	switch (r.type) {
	case PERF_RECORD_SAMPLE:
		scan_sample(s, &r);
		break;
	case PERF_RECORD_MMAP2:
		scan_mmap(s, &r);
		break;
	case PERF_RECORD_FORK:
		if (s->tasks)
			scan_fork(s->tasks, &r);
		break;
	case PERF_RECORD_LOST:
		if (record_lost(&r, &lost))
			scan_lost(s, &r, lost.lost);
		break;
	case PERF_RECORD_THROTTLE:
		s->counts.throttled++;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (record_lost_samples(&r, &n))
			s->counts.lost_samples += n;
		break;
	default:
		break;
	}
}

/* The record at `at` in both pieces laid end to end; through the scratch when it crosses. The ring
 * is a multiple of 8 bytes as records are, so a header is never cut in two. */
static const uint8_t *record_at(struct scan *s, const struct iovec iov[2], size_t at, size_t *size)
{
	size_t first = iov[0].iov_len, total = first + iov[1].iov_len;
	const uint8_t *p = at < first ? (uint8_t *)iov[0].iov_base + at
				      : (uint8_t *)iov[1].iov_base + (at - first);
	if (total - at < HEADER_BYTES)
		return NULL;
	*size = load16(p + 6);
	/* The kernel writes no such thing; never loop on it. */
	if (*size < HEADER_BYTES || *size > total - at)
		return NULL;
	if (at >= first || *size <= first - at)
		return p;
	if (!s->scratch)
		s->scratch = mem_alloc(RECORD_MAX);
	memcpy(s->scratch, p, first - at);
	memcpy(s->scratch + (first - at), iov[1].iov_base, *size - (first - at));
	return s->scratch;
}

size_t scan_records(struct scan *s, struct iovec iov[2], int count, size_t limit)
{
	if (count < 2)
		iov[1] = (struct iovec){0};
	size_t total = iov[0].iov_len + iov[1].iov_len, at = 0, size;
	while (at < MIN(limit, total)) {
		const uint8_t *p = record_at(s, iov, at, &size);
		if (!p) {
			at = total;
			break;
		}
		scan_record(s, p, size);
		at += size;
	}
	iov[1].iov_len = at > iov[0].iov_len ? at - iov[0].iov_len : 0;
	iov[0].iov_len = MIN(at, iov[0].iov_len);
	return at;
}
