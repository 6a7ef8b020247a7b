/*
 * For tests: one small recording of two events and three samples, told in every way the format
 * knows, and what it must read as. cmocka.h comes before this one.
 */
#ifndef KILN_TEST_RECORDING_H
#define KILN_TEST_RECORDING_H

#include <stdio.h>
#include <zstd.h>

#include "perfdata/perfdata.h"
#include "perfdata/test_maker.h"

#define SAMPLES 3
#define SAMPLE_BITS                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CALLCHAIN)

static const struct attr clock_attr = {.type = PERF_TYPE_SOFTWARE,
				       .sample_period = 999,
				       .sample_type = SAMPLE_BITS,
				       .flags = ATTR_FREQ | ATTR_SAMPLE_ID_ALL | ATTR_MMAP2};
static const struct attr trace_attr = {.type = PERF_TYPE_TRACEPOINT,
				       .config = 372,
				       .sample_period = 1,
				       .sample_type = SAMPLE_BITS,
				       .flags = ATTR_SAMPLE_ID_ALL};

static inline void make_trailer(struct maker *m, uint64_t time)
{
	mk_u32(m, 100);
	mk_u32(m, 101);
	mk_u64(m, time);
	mk_u64(m, 11);
}

static inline void make_comm(struct maker *m)
{
	size_t at = mk_record(m, PERF_RECORD_COMM, MISC_COMM_EXEC);
	mk_u32(m, 100);
	mk_u32(m, 101);
	mk_text(m, "work", 8);
	make_trailer(m, 1);
	mk_end(m, at);
}

static inline void make_sample(struct maker *m, uint64_t id, uint64_t ip)
{
	size_t at = mk_record(m, PERF_RECORD_SAMPLE, 2);
	mk_u64(m, id);
	mk_u64(m, ip);
	mk_u32(m, 100);
	mk_u32(m, 101);
	mk_u64(m, ip * 10);
	mk_u64(m, 2);
	mk_u64(m, ip);
	mk_u64(m, 0x9000);
	mk_end(m, at);
}

static inline void make_update(struct maker *m, uint64_t id, const char *name)
{
	size_t at = mk_record(m, RECORD_EVENT_UPDATE, 0);
	mk_u64(m, 2);
	mk_u64(m, id);
	mk_text(m, name, 8);
	mk_end(m, at);
}

static inline void make_records(struct maker *m)
{
	make_update(m, 21, "sched:sched_switch");
	make_comm(m);
	make_sample(m, 11, 1);
	make_sample(m, 21, 2);
	make_sample(m, 12, 3);
	size_t at = mk_record(m, RECORD_FINISHED_ROUND, 0);
	mk_end(m, at);
}

static inline void make_string(struct maker *m, const char *s)
{
	mk_u32(m, (uint32_t)round_up(strlen(s) + 1, 64));
	mk_text(m, s, 64);
}

/* --- as a file --- */

#define ID_OFFSET 104
#define ATTRS_OFFSET (ID_OFFSET + 3 * 8)

static inline void make_entry(struct maker *m, const struct attr *a, uint32_t size, uint64_t ids,
			      uint64_t count)
{
	mk_attr(m, a, size);
	mk_u64(m, ids);
	mk_u64(m, count * 8);
}

/* Up to where the records begin. */
static inline void make_file_start(struct maker *m, uint32_t attr_size)
{
	mk_u64(m, 0x32454c4946524550);
	mk_u64(m, 104);
	mk_u64(m, attr_size + 16);
	mk_u64(m, ATTRS_OFFSET);
	mk_u64(m, (attr_size + 16) * 2);
	mk_u64(m, ATTRS_OFFSET + (attr_size + 16) * 2);
	mk_u64(m, 0);
	mk_zeros(m, 16 + 32);
	mk_u64(m, 11);
	mk_u64(m, 12);
	mk_u64(m, 21);
	make_entry(m, &clock_attr, attr_size, ID_OFFSET, 2);
	make_entry(m, &trace_attr, attr_size, ID_OFFSET + 16, 1);
}

static inline void make_feature(struct maker *m, size_t *table, unsigned bit)
{
	struct maker payload;
	mk_init(&payload, m->swap);
	if (bit == FEAT_HOSTNAME) {
		make_string(&payload, "box");
	} else if (bit == FEAT_NRCPUS) {
		mk_u32(&payload, 8);
		mk_u32(&payload, 6);
	} else if (bit == FEAT_CMDLINE) {
		mk_u32(&payload, 2);
		make_string(&payload, "kiln");
		make_string(&payload, "record");
	} else {
		out_cstr(&payload.o, "what is this");
	}
	mk_put_u64(m, *table, m->o.n);
	mk_put_u64(m, *table + 8, payload.o.n);
	*table += 16;
	out_bytes(&m->o, payload.o.buf, payload.o.n);
	out_finish(&payload.o);
}

static inline void make_file_end(struct maker *m, uint32_t attr_size)
{
	size_t data = ATTRS_OFFSET + (attr_size + 16) * 2, table = m->o.n;
	static const unsigned bits[] = {FEAT_HOSTNAME, FEAT_NRCPUS, FEAT_CMDLINE, 60};
	uint64_t set = 0;
	mk_zeros(m, ARRAY_LEN(bits) * 16);
	mk_put_u64(m, 48, table - data);
	for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
		set |= (uint64_t)1 << bits[i];
		make_feature(m, &table, bits[i]);
	}
	mk_put_u64(m, 72, set);
}

static inline void make_file(struct maker *m, bool swap, uint32_t attr_size)
{
	mk_init(m, swap);
	make_file_start(m, attr_size);
	make_records(m);
	make_file_end(m, attr_size);
}

/* --- as a pipe --- */

static inline void make_pipe_attr(struct maker *m, const struct attr *a, uint64_t id, uint64_t id2)
{
	size_t at = mk_record(m, RECORD_HEADER_ATTR, 0);
	mk_attr(m, a, 128);
	mk_u64(m, id);
	if (id2)
		mk_u64(m, id2);
	mk_end(m, at);
}

static inline void make_pipe(struct maker *m, bool swap)
{
	mk_init(m, swap);
	mk_u64(m, 0x32454c4946524550);
	mk_u64(m, 16);
	/* A feature of a size that puts all that follows off the 8-byte grid. */
	size_t at = mk_record(m, RECORD_HEADER_FEATURE, 0);
	mk_u64(m, FEAT_HOSTNAME);
	make_string(m, "box");
	uint16_t size = (uint16_t)(m->o.n - at);
	mk_end(m, at);
	m->o.n = at + size;
	size = swap ? swap16(size) : size;
	memcpy(m->o.buf + at + 6, &size, 2);
	make_pipe_attr(m, &clock_attr, 11, 12);
	make_pipe_attr(m, &trace_attr, 21, 0);
	at = mk_record(m, RECORD_HEADER_TRACING_DATA, 0);
	mk_u32(m, 16);
	mk_end(m, at);
	out_cstr(&m->o, "not a record at ");
	at = mk_record(m, RECORD_AUXTRACE, 0);
	mk_u64(m, 8);
	mk_zeros(m, 32);
	mk_end(m, at);
	out_cstr(&m->o, "AUX DATA");
	make_records(m);
}

/* --- compressed --- */

/* One flushed piece of the stream in one record. */
static inline void make_compressed(struct maker *m, ZSTD_CCtx *z, const char *p, size_t n, bool v2,
				   bool wrong_size)
{
	char packed[4096];
	ZSTD_inBuffer in = {p, n, 0};
	ZSTD_outBuffer out = {packed, sizeof packed, 0};
	assert_int_equal(ZSTD_compressStream2(z, &out, &in, ZSTD_e_flush), 0);
	size_t at = mk_record(m, v2 ? RECORD_COMPRESSED2 : RECORD_COMPRESSED, 0);
	if (v2)
		mk_u64(m, out.pos);
	out_bytes(&m->o, packed, out.pos);
	uint16_t size = (uint16_t)(m->o.n - at);
	if (v2)
		mk_end(m, at);
	if (!v2 || wrong_size) {
		size = wrong_size ? 0 : m->swap ? swap16(size) : size;
		memcpy(m->o.buf + at + 6, &size, 2);
	}
}

static inline void make_compressed_file(struct maker *m, bool swap, bool v2, bool wrong_size)
{
	struct maker plain;
	mk_init(&plain, swap);
	make_records(&plain);
	mk_init(m, swap);
	make_file_start(m, 128);
	size_t at = mk_record(m, RECORD_FINISHED_INIT, 0);
	mk_end(m, at);
	ZSTD_CCtx *z = ZSTD_createCCtx();
	/* Cut where it hurts: inside headers and bodies, with another record in between. */
	for (size_t from = 0; from < plain.o.n; from += 53) {
		make_compressed(m, z, plain.o.buf + from, MIN(53, plain.o.n - from), v2,
				wrong_size);
		at = mk_record(m, RECORD_FINISHED_ROUND, 0);
		mk_end(m, at);
	}
	ZSTD_freeCCtx(z);
	make_file_end(m, 128);
	out_finish(&plain.o);
}

/* --- reading --- */

struct counts {
	size_t samples, comms, others;
};

static inline void check_sample(struct perfdata *pd, const struct record *r,
				struct sample_scratch *s)
{
	const struct perfdata_event *ev = perfdata_event_of(pd, r);
	struct sample got;
	assert_non_null(ev);
	assert_true(record_sample(r, &ev->attr, s, &got));
	assert_int_equal(perfdata_event_index(pd, ev), got.ip == 2);
	assert_int_equal(got.who.time, got.ip * 10);
	assert_int_equal(got.chain_count, 2);
	assert_int_equal(got.chain[1], 0x9000);
	struct record again;
	assert_true(perfdata_record_at(pd, r->offset, &again));
	assert_ptr_equal(again.body, r->body);
}

static inline struct counts read_all(struct perfdata *pd)
{
	struct counts n = {0};
	struct perfdata_iter it;
	struct record r;
	struct sample_scratch scratch = {0};
	perfdata_iter_init(&it, pd, 0, perfdata_chunk_count(pd));
	while (perfdata_next(&it, &r)) {
		struct sample_id who;
		if (r.type == PERF_RECORD_SAMPLE) {
			check_sample(pd, &r, &scratch);
			n.samples++;
		} else if (r.type == PERF_RECORD_COMM) {
			struct rec_comm comm;
			assert_true(record_comm(&r, &comm));
			assert_true(str_is(comm.comm, "work"));
			assert_true(record_trailer(&r, &clock_attr, &who));
			assert_int_equal(who.time, 1);
			assert_int_equal(who.id, 11);
			assert_int_equal(perfdata_event_index(pd, perfdata_event_of(pd, &r)), 0);
			n.comms++;
		} else {
			n.others++;
		}
	}
	sample_scratch_free(&scratch);
	return n;
}

static inline struct perfdata *open_bytes(const void *p, size_t n, struct diags *d)
{
	char path[64];
	struct err err = {0};
	int fd = mk_path(p, n, path);
	struct perfdata *pd = perfdata_open(path, NULL, d, &err);
	close(fd);
	if (!pd)
		print_error("%s\n", err.text);
	assert_non_null(pd);
	return pd;
}

#endif
