/* Damaged input: what can be read is shown, and the rest is said, never silent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perfdata/test_recording.h"

static void damaged_compressed_file_shows_what_came_before(void **state)
{
	(void)state;
	struct maker m;
	struct diags d = {0};
	make_compressed_file(&m, false, false, false);
	size_t data = ATTRS_OFFSET + 144 * 2;
	memset(m.o.buf + data + 8 + 8, 0xff, 16); /* the head of the zstd frame */
	struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
	struct counts n = read_all(pd);
	assert_int_equal(n.samples, 0);
	assert_int_equal(n.others, 1); /* FINISHED_INIT */
	assert_int_equal(d.of[DIAG_CORRUPT].count, 1);
	assert_true(diags_partial(&d));
	perfdata_close(pd);
	out_finish(&m.o);
}

static void cut_at_every_byte(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		struct maker m;
		char path[64];
		if (kind == 0)
			make_file(&m, false, 128);
		else if (kind == 1)
			make_pipe(&m, false);
		else
			make_compressed_file(&m, false, true, false);
		int fd = mk_path(m.o.buf, m.o.n, path);
		size_t last = SIZE_MAX, shown = 0;
		for (size_t n = m.o.n; n-- > 0;) {
			struct diags d = {0};
			struct err err = {0};
			assert_int_equal(ftruncate(fd, (off_t)n), 0);
			struct perfdata *pd = perfdata_open(path, NULL, &d, &err);
			if (!pd) {
				assert_non_null(strstr(err.text, path));
				continue;
			}
			/* Less input, less output, and never silently: only a pipe may end
			 * between two records. */
			struct counts c = read_all(pd);
			size_t all = c.samples + c.comms + c.others;
			assert_true(diags_partial(&d) || kind == 1);
			assert_true(all <= last);
			last = all;
			shown += all > 0;
			perfdata_close(pd);
		}
		assert_true(shown > 100);
		close(fd);
		out_finish(&m.o);
	}
}

static void impossible_record_size_names_place_and_type(void **state)
{
	(void)state;
	static const uint16_t sizes[] = {0, 7, 20, 0xfff8};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct maker m;
		struct diags d = {0};
		char place[64];
		mk_init(&m, false);
		make_file_start(&m, 128);
		make_comm(&m);
		size_t at = mk_record(&m, PERF_RECORD_MMAP2, 0);
		memcpy(m.o.buf + at + 6, &sizes[i], 2);
		make_records(&m);
		make_file_end(&m, 128);
		struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
		assert_int_equal(read_all(pd).comms, 1);
		snprintf(place, sizeof place, "at offset 0x%zx: MMAP2 (10)", at);
		assert_non_null(strstr(d.of[DIAG_CORRUPT].first, place));
		assert_true(d.of[DIAG_CORRUPT].partial);
		perfdata_close(pd);
		out_finish(&m.o);
	}
}

static void id_arrays_that_overlap_do_not_grow_memory(void **state)
{
	(void)state;
	struct maker m;
	struct diags d = {0};
	make_file(&m, false, 128);
	/* Both events claim the whole file as their ids. */
	for (unsigned i = 0; i < 2; i++) {
		mk_put_u64(&m, ATTRS_OFFSET + 144 * i + 128, 0);
		mk_put_u64(&m, ATTRS_OFFSET + 144 * i + 136, m.o.n);
	}
	struct perfdata *pd = open_bytes(m.o.buf, m.o.n, &d);
	assert_int_equal(perfdata_event(pd, 0)->id_count + perfdata_event(pd, 1)->id_count,
			 m.o.n / 8);
	assert_true(diags_partial(&d));
	perfdata_close(pd);
	out_finish(&m.o);
}

static void what_is_no_recording_says_so(void **state)
{
	(void)state;
	static const char *const inputs[] = {"", "PERFILE", "PERFILE2", "#!/bin/sh\necho hello\n"};
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		struct err err = {0};
		struct diags d = {0};
		char path[64];
		int fd = mk_path(inputs[i], strlen(inputs[i]), path);
		assert_null(perfdata_open(path, NULL, &d, &err));
		assert_int_equal(err.code, ERR_INPUT);
		assert_non_null(strstr(err.text, path));
		close(fd);
	}
	struct err err = {0};
	assert_null(perfdata_open("/nonexistent/perf.data", NULL, NULL, &err));
	assert_non_null(strstr(err.text, "No such file"));
	assert_true(err.hint[0]);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_compressed_file_shows_what_came_before),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(impossible_record_size_names_place_and_type),
		cmocka_unit_test(id_arrays_that_overlap_do_not_grow_memory),
		cmocka_unit_test(what_is_no_recording_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
