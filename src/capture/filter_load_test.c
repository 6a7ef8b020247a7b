/* The running kernel takes the programs; what they do is filter_code_test.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/filter_load.h"
#include "capture/perf_event.h"

static void load(const struct filter_layout *l, const char *text, struct filter_loaded *out)
{
	struct kernel_filter f = {0};
	struct err err = {0};
	assert_true(kernel_filter_parse(&f, text, &err));
	bool ok = filter_load(out, &f, l, "cpu-clock", &err);
	kernel_filter_free(&f);
	if (!ok)
		fail_msg("%s: %s\n%s", text, err.text, err.hint);
}

/* May this user load programs at all? */
static void need_bpf(void)
{
	struct filter_layout l;
	struct filter_loaded loaded;
	struct kernel_filter f = {0};
	struct err err = {0};
	filter_layout_init(&l, NULL);
	assert_true(kernel_filter_parse(&f, "cpu == 0", NULL));
	bool ok = filter_load(&loaded, &f, &l, "cpu-clock", &err);
	kernel_filter_free(&f);
	if (ok)
		filter_unload(&loaded);
	else if (err.code == ERR_PERMISSION || strstr(err.text, "no BPF"))
		skip();
}

static void load_all(const struct filter_layout *l)
{
	static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
	size_t loaded = 0;
	for (int term = 0; term < FILTER_TERMS; term++) {
		struct filter_loaded f;
		struct out o;
		if (!l->terms[term].source)
			continue;
		out_memory(&o);
		for (size_t i = 0; i < ARRAY_LEN(ops); i++)
			out_fmt(&o, "%s%s %s 0xffffffff00000001", i ? i % 2 ? "||" : "," : "",
				filter_term_name((enum filter_term)term), ops[i]);
		out_char(&o, '\0');
		load(l, o.buf, &f);
		assert_int_equal(filter_dropped(&f), 0);
		filter_unload(&f);
		(void)out_finish(&o);
		loaded++;
	}
	assert_true(loaded >= 8);
}

static void every_term_of_this_kernel(void **state)
{
	(void)state;
	need_bpf();
	struct filter_layout l;
	filter_layout_find(&l);
	load_all(&l);
}

/* As on kernels that do not show the sample: later ones still take such programs. */
static void every_term_of_all_kernels(void **state)
{
	(void)state;
	need_bpf();
	struct filter_layout l;
	filter_layout_init(&l, NULL);
	load_all(&l);
}

static void the_longest(void **state)
{
	(void)state;
	need_bpf();
	struct filter_layout l;
	struct filter_loaded f;
	struct out o;
	filter_layout_find(&l);
	out_memory(&o);
	for (size_t i = 0; i < FILTER_MAX_TESTS; i++)
		out_fmt(&o, "%scpu == %zu", i ? i % 5 ? "||" : "," : "", i);
	out_char(&o, '\0');
	load(&l, o.buf, &f);
	filter_unload(&f);
	(void)out_finish(&o);
}

static void refuses_what_the_kernel_does_not_show(void **state)
{
	(void)state;
	struct filter_layout l;
	struct filter_loaded f;
	struct kernel_filter text = {0};
	struct err err = {0};
	filter_layout_init(&l, NULL);
	assert_true(kernel_filter_parse(&text, "cpu == 0, phys_addr > 0", NULL));
	assert_false(filter_load(&f, &text, &l, "cpu-clock", &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "\"phys_addr\""));
	assert_non_null(strstr(err.text, "cpu-clock"));
	assert_non_null(strstr(err.hint, "6.3"));
	kernel_filter_free(&text);
}

/* Works until the clock has ticked. */
static uint64_t busy(int fd)
{
	uint64_t count = 0;
	volatile uint64_t sum = 0;
	while (count < 20000000 && read(fd, &count, sizeof count) == sizeof count)
		for (int i = 0; i < 100000; i++)
			sum = sum + (uint64_t)i;
	return sum;
}

/* Samples of this process, for all of which the filter says the same: with both layouts. */
static void drops_are_counted(void **state)
{
	(void)state;
	need_bpf();
	char keep[64], drop[64];
	snprintf(keep, sizeof keep, "tid == %d, cpu < 0xffffffff, period > 0, ip > 0", gettid());
	snprintf(drop, sizeof drop, "pid != %d || uid != %u", getpid(), getuid());
	for (int i = 0; i < 4; i++) {
		struct filter_layout l;
		struct filter_loaded f;
		struct err err = {0};
		const struct attr a = {
			.type = PERF_TYPE_SOFTWARE,
			.size = ATTR_BYTES,
			.config = PERF_COUNT_SW_TASK_CLOCK,
			.sample_period = 100000,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
			.flags = ATTR_DISABLED | ATTR_EXCLUDE_HV,
		};
		if (i < 2)
			filter_layout_find(&l);
		else
			filter_layout_init(&l, NULL);
		load(&l, i % 2 ? drop : keep, &f);
		CLEANUP(close_fd) int fd = perf_event_open(&a, 0, -1, -1);
		if (fd < 0) {
			filter_unload(&f);
			skip();
		}
		if (!filter_attach(&f, fd, "task-clock", &err))
			fail_msg("%s", err.text);
		assert_int_equal(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		(void)busy(fd);
		(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (i % 2)
			assert_true(filter_dropped(&f) > 0);
		else
			assert_int_equal(filter_dropped(&f), 0);
		filter_unload(&f);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_term_of_this_kernel),
		cmocka_unit_test(every_term_of_all_kernels),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(refuses_what_the_kernel_does_not_show),
		cmocka_unit_test(drops_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
