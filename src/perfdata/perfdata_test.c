/* The recording of test_recording.h must read the same however it is told. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "perfdata/test_recording.h"

static void check_whole(struct perfdata *pd, const struct diags *d)
{
	assert_false(diags_partial(d));
	assert_int_equal(perfdata_event_count(pd), 2);
	const struct perfdata_event *clock = perfdata_event(pd, 0);
	assert_true(str_is(clock->name, "cpu-clock:HG")); /* from the attr */
	assert_true(str_is(perfdata_event(pd, 1)->name, "sched:sched_switch"));
	assert_int_equal(clock->id_count, 2);
	assert_int_equal(clock->ids[1], 12);
	assert_int_equal(clock->attr.flags, clock_attr.flags);
	/* Twice, as passes do. */
	for (unsigned i = 0; i < 2; i++) {
		struct counts n = read_all(pd);
		assert_int_equal(n.samples, SAMPLES);
		assert_int_equal(n.comms, 1);
	}
}

static void check_bytes(const struct maker *m)
{
	struct diags d = {0};
	struct perfdata *pd = open_bytes(m->o.buf, m->o.n, &d);
	check_whole(pd, &d);
	perfdata_close(pd);
}

static void files_of_both_orders_and_all_attr_sizes(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144};
	for (size_t i = 0; i < 2 * ARRAY_LEN(sizes); i++) {
		struct maker m;
		make_file(&m, i % 2, sizes[i / 2]);
		check_bytes(&m);
		out_finish(&m.o);
	}
}

static void header_of_both_orders(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		struct maker m;
		struct diags d = {0};
		make_file(&m, swap, 128);
		struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
		const struct perfdata_header *h = perfdata_header(pd);
		assert_string_equal(h->hostname, "box");
		assert_int_equal(h->cpus_available, 8);
		assert_int_equal(h->cpus_online, 6);
		assert_int_equal(h->cmdline_count, 2);
		assert_string_equal(h->cmdline[1], "record");
		assert_int_equal(h->swapped, swap);
		assert_false(h->pipe);
		assert_null(h->version);
		assert_true(perfdata_has(h, FEAT_HOSTNAME));
		assert_false(perfdata_has(h, FEAT_VERSION));
		/* Nobody knows feature 60: kept, counted, no error. */
		assert_int_equal(d.of[DIAG_UNKNOWN_FEATURE].count, 1);
		assert_true(str_is(perfdata_feature(pd, 60), "what is this"));
		perfdata_close(pd);
		out_finish(&m.o);
	}
}

static void saved_pipes(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		struct maker m;
		struct diags d = {0};
		make_pipe(&m, swap);
		struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
		check_whole(pd, &d);
		const struct perfdata_header *h = perfdata_header(pd);
		assert_true(h->pipe);
		assert_string_equal(h->hostname, "box");
		assert_true(str_is(h->tracing_data, "not a record at "));
		perfdata_close(pd);
		out_finish(&m.o);
	}
}

static void real_pipe(void **state)
{
	(void)state;
	struct maker m;
	struct diags d = {0};
	struct err err = {0};
	char path[64];
	int ends[2];
	make_pipe(&m, false);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], m.o.buf, m.o.n), m.o.n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	/* The write end closes first, or the reader would wait for more. */
	int kept = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	close(ends[1]);
	struct perfdata *pd = perfdata_open(path, NULL, &d, &err);
	close(kept);
	close(ends[0]);
	assert_non_null(pd);
	check_whole(pd, &d);
	perfdata_close(pd);
	out_finish(&m.o);
}

static void compressed_files(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct maker m;
		make_compressed_file(&m, i % 2, i / 2 > 0, i / 2 > 1);
		check_bytes(&m);
		out_finish(&m.o);
	}
}

static void one_event_needs_no_ids(void **state)
{
	(void)state;
	struct maker m;
	struct diags d = {0};
	make_file(&m, false, 128);
	mk_put_u64(&m, 32, 144); /* only the first attr */
	struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
	struct record r = {.type = PERF_RECORD_SAMPLE, .body = (const uint8_t *)"", .body_size = 0};
	assert_int_equal(perfdata_event_count(pd), 1);
	assert_ptr_equal(perfdata_event_of(pd, &r), perfdata_event(pd, 0));
	perfdata_close(pd);
	out_finish(&m.o);
}

static void ids_nobody_knows(void **state)
{
	(void)state;
	struct maker m, body;
	struct diags d = {0};
	make_file(&m, false, 128);
	struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
	mk_init(&body, false);
	mk_u64(&body, 4711);
	struct record r = mk_view(&body, PERF_RECORD_SAMPLE, 0);
	assert_null(perfdata_event_of(pd, &r));
	r.body_size = 0;
	assert_null(perfdata_event_of(pd, &r));
	r.type = PERF_RECORD_COMM;
	assert_null(perfdata_event_of(pd, &r));
	/* Records the recorder made itself have the id 0: the first event's. */
	mk_put_u64(&body, 0, 0);
	r.body_size = 8;
	assert_ptr_equal(perfdata_event_of(pd, &r), perfdata_event(pd, 0));
	perfdata_close(pd);
	out_finish(&m.o);
	out_finish(&body.o);
}

static void directories(void **state)
{
	(void)state;
	char dir[] = "/tmp/kiln-test-XXXXXX", path[64];
	struct maker m, more;
	struct diags d = {0};
	struct err err = {0};
	assert_non_null(mkdtemp(dir));
	make_file(&m, false, 128);
	mk_init(&more, false);
	make_sample(&more, 12, 3);
	static const char *const names[] = {"data", "data.0", "data.1"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct out *o = i ? &more.o : &m.o;
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		int fd = open(path, O_WRONLY | O_CREAT, 0600);
		assert_int_equal(write(fd, o->buf, o->n), o->n);
		close(fd);
	}
	struct perfdata *pd = perfdata_open(dir, NULL, &d, &err);
	assert_non_null(pd);
	assert_int_equal(read_all(pd).samples, SAMPLES + 2);
	perfdata_close(pd);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
	out_finish(&m.o);
	out_finish(&more.o);
}

static void killed_recorder(void **state)
{
	(void)state;
	struct maker m;
	mk_init(&m, false);
	make_file_start(&m, 128);
	make_records(&m);
	size_t whole = m.o.n;
	make_sample(&m, 11, 1);
	for (size_t n = whole; n < m.o.n; n++) {
		struct diags d = {0};
		struct perfdata *pd = open_bytes(m.o.buf, n, &d);
		check_whole(pd, &d);
		assert_true(perfdata_header(pd)->unfinished);
		assert_int_equal(d.of[DIAG_UNFINISHED].count, 1);
		perfdata_close(pd);
	}
	out_finish(&m.o);
}

static void unknown_records_are_counted(void **state)
{
	(void)state;
	struct maker m;
	struct diags d = {0};
	mk_init(&m, false);
	make_file_start(&m, 128);
	static const uint32_t types[] = {40, 200, 0xffffffff};
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		size_t at = mk_record(&m, types[i], 0);
		mk_u64(&m, 1);
		mk_end(&m, at);
	}
	make_records(&m);
	make_file_end(&m, 128);
	struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
	check_whole(pd, &d);
	assert_int_equal(d.of[DIAG_UNKNOWN_RECORD].count, ARRAY_LEN(types));
	perfdata_close(pd);
	out_finish(&m.o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_both_orders_and_all_attr_sizes),
		cmocka_unit_test(header_of_both_orders),
		cmocka_unit_test(saved_pipes),
		cmocka_unit_test(real_pipe),
		cmocka_unit_test(compressed_files),
		cmocka_unit_test(one_event_needs_no_ids),
		cmocka_unit_test(ids_nobody_knows),
		cmocka_unit_test(directories),
		cmocka_unit_test(killed_recorder),
		cmocka_unit_test(unknown_records_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
