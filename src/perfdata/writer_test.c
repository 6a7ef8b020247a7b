#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "perfdata/test_maker.h"
#include "perfdata/writer.h"

static const uint64_t clock_ids[] = {11, 12}, fault_ids[] = {21};

static const struct writer_event events[] = {
	{.attr = {.type = PERF_TYPE_SOFTWARE,
		  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
		  .flags = ATTR_FREQ | ATTR_SAMPLE_ID_ALL},
	 .name = "my-clock",
	 .ids = clock_ids,
	 .id_count = 2},
	{.attr = {.type = PERF_TYPE_SOFTWARE,
		  .config = 2,
		  .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
		  .sig_data = 7,
		  .flags = ATTR_SAMPLE_ID_ALL},
	 .name = "my-faults",
	 .ids = fault_ids,
	 .id_count = 1},
};

struct paths {
	char dir[32], file[64];
};

static int make_dir(void **state)
{
	struct paths *p = calloc(1, sizeof *p);
	strcpy(p->dir, "/tmp/kiln-test-XXXXXX");
	if (!p || !mkdtemp(p->dir))
		return -1;
	snprintf(p->file, sizeof p->file, "%s/perf.data", p->dir);
	*state = p;
	return 0;
}

static int remove_dir(void **state)
{
	struct paths *p = *state;
	unlink(p->file);
	rmdir(p->dir);
	free(p);
	return 0;
}

static bool write_sample_to(struct perfdata_stream *s, uint64_t id, uint64_t ip, struct err *err)
{
	struct maker m;
	mk_init(&m, false);
	size_t at = mk_record(&m, PERF_RECORD_SAMPLE, 2);
	mk_u64(&m, id);
	mk_u64(&m, ip);
	mk_end(&m, at);
	/* In two pieces, as from the end and the start of a ring. */
	struct iovec v[] = {{m.o.buf, 13}, {m.o.buf + 13, m.o.n - 13}, {m.o.buf, 0}};
	bool ok = perfdata_stream_write(s, v, 3, err);
	out_finish(&m.o);
	return ok;
}

static bool write_sample(struct perfdata_writer *w, uint64_t id, uint64_t ip, struct err *err)
{
	return write_sample_to(perfdata_writer_stream(w, 0), id, ip, err);
}

static void add_features(struct perfdata_writer *w, struct err *err)
{
	static const char *const argv[] = {"kiln", "record", "it's"};
	static const struct rec_build_id ids[] = {
		{.pid = -1,
		 .build_id = {.size = 20, .bytes = {0xab}},
		 .path = {"[kernel.kallsyms]", 17}},
		{.pid = 5, .build_id = {.size = 16, .bytes = {0xcd}}, .path = {"/bin/x", 6}},
	};
	static const uint16_t misc[] = {1, 2};
	struct out o;
	out_memory(&o);
	feature_string(&o, "old name");
	assert_true(perfdata_writer_feature(w, FEAT_HOSTNAME, o.buf, o.n, err));
	o.n = 0;
	feature_string(&o, "box");
	assert_true(perfdata_writer_feature(w, FEAT_HOSTNAME, o.buf, o.n, err));
	o.n = 0;
	feature_cmdline(&o, argv, ARRAY_LEN(argv));
	assert_true(perfdata_writer_feature(w, FEAT_CMDLINE, o.buf, o.n, err));
	o.n = 0;
	feature_build_ids(&o, ids, misc, ARRAY_LEN(ids));
	assert_true(perfdata_writer_feature(w, FEAT_BUILD_ID, o.buf, o.n, err));
	assert_true(perfdata_writer_feature(w, FEAT_TRACING_DATA, "tracing!", 8, err));
	out_finish(&o);
}

static void check_features(const struct perfdata *pd)
{
	const struct perfdata_header *h = perfdata_header(pd);
	assert_string_equal(h->hostname, "box");
	assert_int_equal(h->cmdline_count, 3);
	assert_string_equal(h->cmdline[2], "it's");
	assert_true(str_is(h->tracing_data, "tracing!"));
	assert_int_equal(perfdata_build_id_count(pd), 2);
	const struct rec_build_id *id = perfdata_build_id(pd, 1);
	assert_int_equal(id->pid, 5);
	assert_int_equal(id->build_id.size, 16);
	assert_int_equal(id->build_id.bytes[0], 0xcd);
	assert_true(str_is(id->path, "/bin/x"));
}

static size_t check_records(struct perfdata *pd)
{
	struct perfdata_iter it;
	struct record r;
	size_t n = 0;
	assert_int_equal(perfdata_event_count(pd), 2);
	assert_true(str_is(perfdata_event(pd, 0)->name, "my-clock"));
	assert_true(str_is(perfdata_event(pd, 1)->name, "my-faults"));
	assert_int_equal(perfdata_event(pd, 1)->attr.sig_data, 7);
	perfdata_iter_init(&it, pd, 0, perfdata_chunk_count(pd));
	while (perfdata_next(&it, &r)) {
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		struct sample s;
		const struct perfdata_event *ev = perfdata_event_of(pd, &r);
		assert_true(record_sample(&r, &ev->attr, &(struct sample_scratch){0}, &s));
		assert_int_equal(s.ip, n++);
		assert_int_equal(perfdata_event_index(pd, ev), s.who.id == 21);
	}
	return n;
}

static struct perfdata *open_file(const char *path, struct diags *d)
{
	struct err err = {0};
	struct perfdata *pd = perfdata_open(path, NULL, d, &err);
	if (!pd)
		print_error("%s\n", err.text);
	assert_non_null(pd);
	return pd;
}

static void file_reads_back(void **state)
{
	const struct paths *p = *state;
	struct err err = {0};
	struct diags d = {0};
	struct perfdata_writer *w = perfdata_writer_open(p->file, &err);
	assert_non_null(w);
	assert_false(perfdata_writer_is_pipe(w));
	assert_true(perfdata_writer_begin(w, events, 2, &err));
	add_features(w, &err);
	for (uint64_t i = 0; i < 10; i++)
		assert_true(write_sample(w, i % 2 ? 21 : 12, i, &err));
	uint64_t bytes = perfdata_writer_bytes(w);
	assert_true(perfdata_writer_close(w, &err));

	struct perfdata *pd = open_file(p->file, &d);
	const struct perfdata_header *h = perfdata_header(pd);
	check_features(pd);
	assert_int_equal(check_records(pd), 10);
	assert_true(perfdata_has(h, FEAT_EVENT_DESC)); /* nobody had to ask for it */
	assert_int_equal(h->data_offset + h->data_size, bytes);
	assert_int_equal(perfdata_event(pd, 0)->attr.size, 128); /* because of sig_data */
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++)
		assert_int_equal(d.of[i].count, 0);
	perfdata_close(pd);
	struct stat st;
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600); /* it may hold secrets */
}

static void pipe_reads_back(void **state)
{
	const struct paths *p = *state;
	struct err err = {0};
	struct diags d = {0};
	int ends[2];
	char path[64], bytes[8192];
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
	struct perfdata_writer *w = perfdata_writer_open(path, &err);
	assert_non_null(w);
	assert_true(perfdata_writer_is_pipe(w));
	assert_true(perfdata_writer_feature(w, FEAT_CLOCKID, "\1\0\0\0\0\0\0", 8, &err));
	assert_true(perfdata_writer_begin(w, events, 2, &err));
	add_features(w, &err);
	for (uint64_t i = 0; i < 10; i++)
		assert_true(write_sample(w, i % 2 ? 21 : 12, i, &err));
	assert_true(perfdata_writer_close(w, &err));
	close(ends[1]);
	ssize_t n = read(ends[0], bytes, sizeof bytes);
	close(ends[0]);
	int fd = open(p->file, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, bytes, (size_t)n), n);
	close(fd);

	struct perfdata *pd = open_file(p->file, &d);
	assert_true(perfdata_header(pd)->pipe);
	assert_int_equal(perfdata_header(pd)->clockid_resolution, 1);
	check_features(pd);
	assert_int_equal(check_records(pd), 10);
	assert_false(diags_partial(&d));
	perfdata_close(pd);
}

static void killed_writer_leaves_a_readable_file(void **state)
{
	const struct paths *p = *state;
	struct err err = {0};
	struct diags d = {0};
	struct perfdata_writer *w = perfdata_writer_open(p->file, &err);
	assert_true(perfdata_writer_begin(w, events, 2, &err));
	add_features(w, &err);
	for (uint64_t i = 0; i < 10; i++)
		assert_true(write_sample(w, i % 2 ? 21 : 12, i, &err));
	/* As it lies on disk before close. */
	struct perfdata *pd = open_file(p->file, &d);
	assert_int_equal(check_records(pd), 10);
	assert_true(perfdata_header(pd)->unfinished);
	assert_false(diags_partial(&d));
	perfdata_close(pd);
	assert_true(perfdata_writer_close(w, &err));
}

/* A file size limit fails as a full disk does, and any user can set one. */
static void fill_disk(const struct paths *p, unsigned blocks)
{
	static const rlim_t limits[] = {1000, 1100, 1300, 2000, 4000, 300000};
	struct rlimit old;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		struct err err = {0};
		struct diags d = {0};
		struct rlimit small = {limits[i], old.rlim_max};
		struct perfdata_writer *w = perfdata_writer_open(p->file, &err);
		assert_non_null(w);
		assert_true(perfdata_writer_begin(w, events, 2, &err));
		add_features(w, &err);
		if (blocks)
			perfdata_writer_async(w, blocks);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		uint64_t n = 0;
		while (write_sample(w, n % 2 ? 21 : 12, n, &err) &&
		       (n % 100 || perfdata_writer_submit(w, &err)))
			n++;
		assert_int_equal(err.sys, EFBIG);
		assert_false(write_sample(w, 21, n, &err)); /* and stays failed */
		bool whole = perfdata_writer_close(w, &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);

		struct perfdata *pd = open_file(p->file, &d);
		size_t got = check_records(pd);
		assert_false(diags_partial(&d));
		assert_false(perfdata_header(pd)->unfinished);
		assert_true(got > 0 && got <= n);
		/* With something to give up, the header is worth more than the last records. */
		if (limits[i] > 262144)
			check_features(pd);
		assert_false(whole);
		assert_true(err.text[0]);
		perfdata_close(pd);
	}
}

static void full_disk_leaves_a_readable_file(void **state)
{
	fill_disk(*state, 0);
}

static void full_disk_is_noticed_behind(void **state)
{
	fill_disk(*state, 1);
	fill_disk(*state, 4);
}

static void written_behind_reads_back(void **state)
{
	const struct paths *p = *state;
	enum { SAMPLES = 200000 }; /* more than the blocks hold together */
	for (unsigned blocks = 1; blocks <= PERFDATA_BLOCKS_MAX; blocks += 3) {
		struct err err = {0};
		struct diags d = {0};
		struct perfdata_writer *w = perfdata_writer_open(p->file, &err);
		assert_true(perfdata_writer_begin(w, events, 2, &err));
		add_features(w, &err);
		perfdata_writer_async(w, blocks);
		for (uint64_t i = 0; i < SAMPLES; i++) {
			assert_true(write_sample(w, i % 2 ? 21 : 12, i, &err));
			if (i % 999 == 0)
				assert_true(perfdata_writer_submit(w, &err));
		}
		uint64_t bytes = perfdata_writer_bytes(w);
		assert_true(perfdata_writer_close(w, &err));
		struct stat st;
		assert_int_equal(stat(p->file, &st), 0);
		assert_true((uint64_t)st.st_size > bytes); /* and the features */
		struct perfdata *pd = open_file(p->file, &d);
		check_features(pd);
		assert_int_equal(check_records(pd), SAMPLES);
		assert_false(diags_partial(&d));
		perfdata_close(pd);
	}
}

static void names_of_any_length(void **state)
{
	(void)state;
	for (size_t n = 1; n < 200; n++) {
		struct out o;
		char text[256];
		memset(text, 'x', n);
		text[n] = '\0';
		out_memory(&o);
		feature_string(&o, text);
		struct cursor c = cursor_of(o.buf, o.n, false);
		uint32_t size = cursor_u32(&c);
		assert_int_equal(size % 64, 0);
		assert_int_equal(size, cursor_left(&c));
		assert_true(str_is(cursor_text(&c, size), text));
		out_finish(&o);
	}
}

static void cannot_create(void **state)
{
	const struct paths *p = *state;
	struct err err = {0};
	char path[128];
	snprintf(path, sizeof path, "%s/none/perf.data", p->dir);
	assert_null(perfdata_writer_open(path, &err));
	assert_non_null(strstr(err.text, path));
	assert_null(perfdata_writer_open_dir(path, 1, &err));
	assert_non_null(strstr(err.text, path));
}

static void compressed_file(void **state)
{
	struct paths *p = *state;
	struct err err;
	struct diags d = {0};
	enum { SAMPLES = 40000 }; /* more than one piece */
	struct perfdata_writer *w = perfdata_writer_open(p->file, &err);
	assert_true(perfdata_writer_begin(w, events, 2, &err));
	assert_true(perfdata_writer_compress(w, 3, &err));
	for (uint64_t i = 0; i < SAMPLES; i++) {
		assert_true(write_sample(w, 11, i, &err));
		if (i == 7)
			assert_true(perfdata_writer_flush(w, &err));
	}
	assert_true(perfdata_writer_close(w, &err));
	struct stat st;
	assert_int_equal(stat(p->file, &st), 0);
	assert_in_range(st.st_size, 1000, SAMPLES * 24 / 2);

	struct perfdata *pd = open_file(p->file, &d);
	assert_true(perfdata_header(pd)->compressed);
	assert_int_equal(perfdata_header(pd)->comp_level, 3);
	assert_int_equal(check_records(pd), SAMPLES);
	perfdata_close(pd);
}

static void remove_files(const char *dir)
{
	static const char *const names[] = {"data", "data.0", "data.1", "data.2"};
	char path[128];
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

/* Records of three rings, plain and compressed; once finished, once as a killed recorder leaves it.
 */
static void directory_reads_back(void **state)
{
	struct paths *p = *state;
	for (unsigned level = 0; level < 2; level++) {
		struct err err = {0};
		struct diags d = {0};
		struct perfdata_writer *w = perfdata_writer_open_dir(p->file, 3, &err);
		assert_non_null(w);
		assert_true(perfdata_writer_begin(w, events, 2, &err));
		add_features(w, &err);
		assert_true(!level || perfdata_writer_compress(w, level, &err));
		for (uint64_t i = 0; i < 30; i++)
			assert_true(write_sample_to(perfdata_writer_stream(w, i % 3), 11, i, &err));
		assert_true(perfdata_writer_flush(w, &err));

		struct perfdata *pd = open_file(p->file, &d);
		assert_true(perfdata_header(pd)->unfinished);
		assert_false(diags_partial(&d));
		perfdata_close(pd);
		assert_true(perfdata_writer_bytes(w) > 100);
		assert_true(perfdata_writer_close(w, &err));

		d = (struct diags){0};
		pd = open_file(p->file, &d);
		assert_false(perfdata_header(pd)->unfinished);
		assert_true(perfdata_has(perfdata_header(pd), FEAT_DIR_FORMAT));
		check_features(pd);
		uint64_t sum = 0;
		struct perfdata_iter it;
		struct record r;
		perfdata_iter_init(&it, pd, 0, SIZE_MAX);
		while (perfdata_next(&it, &r))
			if (r.type == PERF_RECORD_SAMPLE)
				sum += load64(r.body + 8);
		assert_int_equal(sum, 29 * 30 / 2);
		assert_false(diags_partial(&d));
		perfdata_close(pd);
		assert_null(perfdata_writer_open_dir(p->file, 1, &err)); /* it exists */
		remove_files(p->file);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_reads_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(pipe_reads_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(killed_writer_leaves_a_readable_file, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(full_disk_leaves_a_readable_file, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(full_disk_is_noticed_behind, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(written_behind_reads_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(compressed_file, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(directory_reads_back, make_dir, remove_dir),
		cmocka_unit_test(names_of_any_length),
		cmocka_unit_test_setup_teardown(cannot_create, make_dir, remove_dir),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
