#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "base/out.h"
#include "capture/ring.h"
#include "capture/scan.h"
#include "perfdata/record.h"

enum { RING = 4096 };

/* A ring without a kernel: the test writes at the head. */
struct fake {
	struct ring ring;
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING];
};

static void fake_open(struct fake *f, uint64_t at)
{
	*f = (struct fake){0};
	f->ring = (struct ring){.page = &f->page, .data = f->data, .size = RING, .tail = at};
	f->page.data_head = f->page.data_tail = at;
}

static void put(struct fake *f, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->data[f->page.data_head++ & (RING - 1)] = ((const uint8_t *)p)[i];
}

static void put_record(struct fake *f, uint32_t type, uint16_t misc, const void *body, size_t n)
{
	struct perf_event_header h = {.type = type, .misc = misc, .size = (uint16_t)(8 + n)};
	put(f, &h, sizeof h);
	put(f, body, n);
}

/* IP, TID, TIME */
static void put_sample(struct fake *f, uint64_t time)
{
	uint64_t body[3] = {0x1234, 1, time};
	put_record(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, sizeof body);
}

static void put_mmap(struct fake *f, const char *path, uint8_t id)
{
	uint8_t body[64 + 64] = {0};
	body[32] = 20; /* build id size */
	memset(body + 36, id, 20);
	memcpy(body + 64, path, strlen(path));
	put_record(f, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID, body,
		   64 + (size_t)round_up(strlen(path) + 1, 8));
}

static size_t drain(struct fake *f, struct scan *s, size_t limit)
{
	struct iovec iov[2];
	int count = ring_pieces(&f->ring, ring_head(&f->ring), iov);
	if (!count)
		return 0;
	size_t n = scan_records(s, iov, count, limit);
	assert_int_equal(n, iov[0].iov_len + iov[1].iov_len);
	ring_take(&f->ring, n);
	return n;
}

/* Wherever the records lie in the ring, the counts are the same. */
static void counts_wherever_the_ring_ends(void **state)
{
	(void)state;
	for (uint64_t start = RING - 512; start <= RING; start += 8) {
		struct fake f;
		struct mapped_files files = MAPPED_FILES_INIT;
		struct scan s;
		uint64_t lost[2] = {7, 5}, lost_samples = 3;
		fake_open(&f, start);
		scan_init(&s, &files, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
		put_sample(&f, 300);
		put_mmap(&f, "/usr/lib/libfoo.so", 0xaa);
		put_sample(&f, 100);
		put_record(&f, PERF_RECORD_LOST, 0, lost, sizeof lost);
		put_record(&f, PERF_RECORD_LOST_SAMPLES, 0, &lost_samples, sizeof lost_samples);
		put_sample(&f, 200);
		uint64_t end = f.page.data_head;
		assert_int_equal(drain(&f, &s, RING), end - start);
		assert_int_equal(drain(&f, &s, RING), 0);
		assert_int_equal(f.page.data_tail, end);
		assert_int_equal(s.counts.samples, 3);
		assert_int_equal(s.counts.lost, 5);
		assert_int_equal(s.counts.lost_samples, 3);
		assert_int_equal(s.counts.first_time, 100);
		assert_int_equal(s.counts.last_time, 300);
		assert_int_equal(files.v.n, 1);
		assert_int_equal(files.v.v[0].build_id.size, 20);
		assert_int_equal(files.v.v[0].build_id.bytes[19], 0xaa);
		scan_free(&s);
		mapped_files_free(&files);
	}
}

/* A gap begins with the last sample that got in, and ends with the record that tells of it. */
static void gaps_have_a_length(void **state)
{
	(void)state;
	struct fake f;
	struct mapped_files files = MAPPED_FILES_INIT;
	struct scan s;
	uint64_t lost[4] = {7, 5, 0, 1000}; /* id, count; thread and time in the trailer */
	fake_open(&f, 0);
	scan_init(&s, &files, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put_sample(&f, 400);
	put_record(&f, PERF_RECORD_LOST, 0, lost, sizeof lost);
	put_sample(&f, 1001);
	lost[3] = 1200;
	put_record(&f, PERF_RECORD_LOST, 0, lost, sizeof lost);
	(void)drain(&f, &s, RING);
	assert_int_equal(s.counts.lost_times, 2);
	assert_int_equal(s.counts.first_lost, 400);
	assert_int_equal(s.counts.last_lost, 1200);
	assert_int_equal(s.counts.longest_gap, 600);
	/* Another ring: nothing of it was seen before. */
	s.ring_time = 0;
	lost[3] = 9000;
	put_record(&f, PERF_RECORD_LOST, 0, lost, sizeof lost);
	(void)drain(&f, &s, RING);
	assert_int_equal(s.counts.longest_gap, 600);
	scan_free(&s);
	mapped_files_free(&files);
}

/* A limit cuts behind a whole record, and nothing is seen twice or not at all. */
static void pieces_end_with_a_record(void **state)
{
	(void)state;
	for (size_t limit = 1; limit < 200; limit += 13) {
		struct fake f;
		struct mapped_files files = MAPPED_FILES_INIT;
		struct scan s;
		fake_open(&f, RING - 200);
		scan_init(&s, &files, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
		for (uint64_t i = 0; i < 20; i++)
			put_sample(&f, i);
		size_t n, total = 0;
		while ((n = drain(&f, &s, limit)) > 0) {
			assert_int_equal(n % 32, 0);
			assert_true(n < limit + 32);
			total += n;
		}
		assert_int_equal(total, 20 * 32);
		assert_int_equal(s.counts.samples, 20);
		scan_free(&s);
		mapped_files_free(&files);
	}
}

/* A record of size 0 never comes from a kernel, and must not hold us up. */
static void nonsense_ends_the_walk(void **state)
{
	(void)state;
	struct fake f;
	struct mapped_files files = MAPPED_FILES_INIT;
	struct scan s;
	uint64_t zeros[4] = {0};
	fake_open(&f, 0);
	scan_init(&s, &files, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put_sample(&f, 1);
	put(&f, zeros, sizeof zeros);
	assert_int_equal(drain(&f, &s, RING), 64);
	assert_int_equal(s.counts.samples, 1);
	scan_free(&s);
	mapped_files_free(&files);
}

static void time_lies_behind_the_identifier(void **state)
{
	(void)state;
	struct fake f;
	struct mapped_files files = MAPPED_FILES_INIT;
	struct scan s;
	uint64_t body[4] = {99, 0x1234, 1, 4242};
	fake_open(&f, 0);
	scan_init(&s, &files,
		  PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	put_record(&f, PERF_RECORD_SAMPLE, 0, body, sizeof body);
	put_record(&f, PERF_RECORD_SAMPLE, 0, body, 16); /* too short to have a time */
	assert_int_equal(drain(&f, &s, RING), 64);
	assert_int_equal(s.counts.samples, 2);
	assert_int_equal(s.counts.first_time, 4242);
	assert_int_equal(s.counts.last_time, 4242);
	scan_free(&s);
	mapped_files_free(&files);
}

static void files_are_noted_once(void **state)
{
	(void)state;
	struct mapped_files files = MAPPED_FILES_INIT;
	struct build_id a = {.size = 20, .bytes = {1}}, b = {.size = 20, .bytes = {2}};
	mapped_files_note(&files, STR("/bin/x"), &a, false);
	mapped_files_note(&files, STR("/bin/x"), &b, false);
	mapped_files_note(&files, STR("//anon"), &a, false);
	mapped_files_note(&files, STR("[vdso]"), &a, false);
	mapped_files_note(&files, STR("/memfd:jit (deleted)"), &a, false);
	mapped_files_note(&files, STR("[kernel.kallsyms]"), &b, true);
	assert_int_equal(files.v.n, 2);
	struct out o;
	out_memory(&o);
	mapped_files_feature(&files, &o);
	/* Two records of header, pid, build id and a path of 64 bytes, padded to 8. */
	assert_int_equal(o.n, 2 * round_up(8 + 4 + 24 + 64, 8));
	assert_int_equal(o.buf[8 + 4], 1);
	out_finish(&o);
	mapped_files_free(&files);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_wherever_the_ring_ends),
		cmocka_unit_test(gaps_have_a_length),
		cmocka_unit_test(pieces_end_with_a_record),
		cmocka_unit_test(nonsense_ends_the_walk),
		cmocka_unit_test(time_lies_behind_the_identifier),
		cmocka_unit_test(files_are_noted_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
