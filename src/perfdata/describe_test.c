#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perfdata/describe.h"
#include "perfdata/test_maker.h"
#include "perfdata/tracing.h"
#include "perfdata/writer.h"

static void make_string(struct maker *m, const char *s)
{
	mk_u32(m, (uint32_t)round_up(strlen(s) + 1, 64));
	mk_text(m, s, 64);
}

static void add(struct perfdata_writer *w, unsigned feature, struct maker *m)
{
	struct err err;
	assert_true(perfdata_writer_feature(w, feature, m->o.buf, m->o.n, &err));
	m->o.n = 0;
}

static void add_machine(struct perfdata_writer *w)
{
	struct maker m;
	mk_init(&m, false);
	mk_u32(&m, 2);
	mk_u32(&m, 2);
	add(w, FEAT_NRCPUS, &m);
	/* One socket, two threads, core and socket of each CPU, one die, die of each CPU. */
	mk_u32(&m, 1);
	make_string(&m, "0-1");
	mk_u32(&m, 2);
	make_string(&m, "0");
	make_string(&m, "1");
	for (uint32_t i = 0; i < 4; i++)
		mk_u32(&m, i);
	mk_u32(&m, 1);
	make_string(&m, "0-1");
	mk_u32(&m, 7);
	mk_u32(&m, 8);
	add(w, FEAT_CPU_TOPOLOGY, &m);
	mk_u32(&m, 1);
	mk_u32(&m, 1);
	mk_u32(&m, 3);
	mk_zeros(&m, 12);
	make_string(&m, "Unified");
	make_string(&m, "32768K");
	make_string(&m, "0-1");
	add(w, FEAT_CACHE, &m);
	mk_u64(&m, 1);
	mk_u64(&m, 0x8000000);
	mk_u64(&m, 1);
	mk_u64(&m, 0);
	mk_u64(&m, 70);
	mk_u64(&m, 70);
	mk_u64(&m, 0xf0000000000000b7);
	mk_u64(&m, ~(uint64_t)0); /* bits behind the 70th do not count */
	add(w, FEAT_MEM_TOPOLOGY, &m);
	out_finish(&m.o);
}

static void add_group(struct perfdata_writer *w)
{
	struct maker m;
	mk_init(&m, false);
	mk_u32(&m, 1);
	make_string(&m, "{anon_group}");
	mk_u32(&m, 0);
	mk_u32(&m, 2);
	add(w, FEAT_GROUP_DESC, &m);
	out_finish(&m.o);
}

static struct perfdata *make_recording(void)
{
	static const uint64_t ids[] = {5, 6};
	static const struct writer_event events[] = {
		{.attr = {.type = 1,
			  .sample_period = 999,
			  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ID,
			  .flags = ATTR_FREQ | (uint64_t)2 << ATTR_PRECISE_SHIFT | ATTR_MMAP2},
		 .name = "cpu-clock:pp",
		 .ids = ids,
		 .id_count = 2},
		{.attr = {.type = 2, .config = 372, .sample_type = PERF_SAMPLE_RAW},
		 .name = "sched:sched_switch"},
	};
	static const char *const argv[] = {"kiln", "it's"};
	char path[] = "/tmp/kiln-test-XXXXXX";
	struct err err = {0};
	struct diags d = {0};
	struct maker m;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	struct perfdata_writer *w = perfdata_writer_open(path, &err);
	assert_non_null(w);
	assert_true(perfdata_writer_begin(w, events, 2, &err));
	add_machine(w);
	add_group(w);
	mk_init(&m, false);
	feature_cmdline(&m.o, argv, 2);
	add(w, FEAT_CMDLINE, &m);
	assert_true(perfdata_writer_close(w, &err));
	struct perfdata *pd = perfdata_open(path, NULL, &d, &err);
	assert_non_null(pd);
	out_finish(&m.o);
	close(fd);
	unlink(path);
	return pd;
}

static void assert_has(const struct out *o, const char *line)
{
	char *text = strndup(o->buf, o->n);
	if (!strstr(text, line))
		print_error("no \"%s\" in:\n%s", line, text);
	assert_non_null(strstr(text, line));
	free(text);
}

static void header_as_perf_prints_it(void **state)
{
	(void)state;
	struct perfdata *pd = make_recording();
	struct out o;
	out_memory(&o);
	perfdata_describe_header(&o, pd, true);
	assert_has(&o, "# ========\n# captured on    : ");
	assert_has(&o, "\n# header version : 1\n# data offset    : ");
	assert_has(&o, "\n# nrcpus online : 2\n# nrcpus avail : 2\n");
	assert_has(&o, "\n# cmdline : kiln it\\'s \n");
	assert_has(&o, "\n# event : name = cpu-clock:pp, , id = { 5, 6 }, type = 1, size = 112, "
		       "{ sample_period, sample_freq } = 999, sample_type = IP|ID, freq = 1, "
		       "precise_ip = 2, mmap2 = 1\n"
		       "# event : name = sched:sched_switch, , type = 2, size = 112, "
		       "config = 0x174, sample_type = RAW\n");
	assert_has(&o, "\n# sibling sockets : 0-1\n# sibling dies    : 0-1\n"
		       "# sibling threads : 0\n# sibling threads : 1\n"
		       "# CPU 0: Core ID 0, Die ID 7, Socket ID 1\n"
		       "# CPU 1: Core ID 2, Die ID 8, Socket ID 3\n");
	assert_has(&o, "\n# group: {cpu-clock:pp,sched:sched_switch}\n");
	assert_has(&o, "\n# CPU cache info:\n#  L3 Unified           32768K [0-1]\n");
	assert_has(&o, "\n# memory nodes (nr 1, block size 0x8000000):\n"
		       "#    0 [2G]: 0-2,4-5,7,60-69\n");
	assert_has(&o, "\n# missing features: TRACING_DATA BUILD_ID HOSTNAME ");
	assert_has(&o, "\n# ========\n#\n");
	o.n = 0;
	perfdata_describe_header(&o, pd, false);
	assert_has(&o, "\n# CPU_TOPOLOGY info available, use -I to display\n");
	assert_has(&o, "\n# MEM_TOPOLOGY info available, use -I to display\n");
	out_finish(&o);
	perfdata_close(pd);
}

/* A payload with one ftrace format and two of the system "sched". */
static void make_tracing(struct maker *m)
{
	static const char format[] = "name: sched_switch\nID: 372\nformat:\n"
				     "\tfield:unsigned short common_type;\toffset:0;\n"
				     "\tfield:int common_pid;\toffset:4;\n\n"
				     "\tfield:char prev_comm[16];\toffset:8;\n"
				     "\tfield:__data_loc char[] name;\toffset:24;\n"
				     "\tfield:void *ptr;\toffset:28;\n\n"
				     "print fmt: \"field:nothing;\"\n";
	out_bytes(&m->o, "\27\10\104tracing0.6\0\0\10", 16);
	mk_u32(m, 4096);
	mk_text(m, "header_page", 1);
	mk_u64(m, 3);
	out_cstr(&m->o, "abc");
	mk_text(m, "header_event", 1);
	mk_u64(m, 0);
	mk_u32(m, 1);
	mk_u64(m, 6);
	out_cstr(&m->o, "ID: 1\n");
	mk_u32(m, 1);
	mk_text(m, "sched", 1);
	mk_u32(m, 2);
	mk_u64(m, 7);
	out_cstr(&m->o, "ID: 37\n");
	mk_u64(m, sizeof format - 1);
	out_cstr(&m->o, format);
}

static void tracepoint_fields(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		struct maker m;
		struct out o;
		mk_init(&m, swap);
		make_tracing(&m);
		out_memory(&o);
		struct tracing *t = tracing_new(out_text(&m.o), swap);
		tracing_fields(t, 372, &o);
		assert_true(str_is(out_text(&o), "prev_comm,name,ptr"));
		assert_true(str_is(tracing_format(t, 37), "ID: 37\n"));
		assert_int_equal(tracing_format(t, 38).n, 0);
		tracing_free(t);
		/* Cut anywhere: fewer formats, nothing worse. */
		for (size_t n = 0; n < m.o.n; n++) {
			t = tracing_new(str_make(m.o.buf, n), swap);
			assert_int_equal(tracing_format(t, 372).n, 0);
			tracing_free(t);
		}
		out_finish(&o);
		out_finish(&m.o);
	}
}

static void events_as_perf_lists_them(void **state)
{
	(void)state;
	struct perfdata *pd = make_recording();
	struct maker m;
	struct out o;
	mk_init(&m, false);
	make_tracing(&m);
	struct tracing *t = tracing_new(out_text(&m.o), false);
	out_memory(&o);
	for (size_t i = 0; i < 2; i++)
		perfdata_describe_event(&o, pd, i, DESCRIBE_NAME, NULL);
	for (size_t i = 0; i < 2; i++)
		perfdata_describe_event(&o, pd, i, DESCRIBE_FREQ, NULL);
	for (size_t i = 0; i < 2; i++)
		perfdata_describe_event(&o, pd, i, DESCRIBE_GROUP, NULL);
	for (size_t i = 0; i < 2; i++)
		perfdata_describe_event(&o, pd, i, DESCRIBE_NAME, t);
	perfdata_describe_event(&o, pd, 1, DESCRIBE_ATTR, t);
	assert_true(str_is(out_text(&o),
			   "cpu-clock:pp\nsched:sched_switch\n"
			   "cpu-clock:pp: sample_freq=999\nsched:sched_switch: sample_period=0\n"
			   "{cpu-clock:pp,sched:sched_switch}\n"
			   "cpu-clock:pp: (not a tracepoint)\n"
			   "sched:sched_switch: trace_fields: prev_comm,name,ptr\n"
			   "sched:sched_switch: type: 2, size: 112, config: 0x174, "
			   "sample_type: RAW, trace_fields: prev_comm,name,ptr\n"));
	out_finish(&o);
	out_finish(&m.o);
	tracing_free(t);
	perfdata_close(pd);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_as_perf_prints_it),
		cmocka_unit_test(tracepoint_fields),
		cmocka_unit_test(events_as_perf_lists_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
