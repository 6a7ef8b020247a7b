#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/catalogue.h"
#include "event/event.h"
#include "perfdata/attr_name.h"

/* A tracefs of our own: events/SYSTEM/NAME/id. */
static char tracefs[64];

static void make_dirs(const char *path)
{
	char buf[256];
	for (size_t i = 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(buf, sizeof buf, "%.*s", (int)i, path);
			(void)mkdir(buf, 0755);
		}
}

static int make_tracefs(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int id;
	} points[] = {
		{"sched/sched_switch", 372},   {"sched/sched_wakeup", 373},
		{"irq/irq_handler_entry", 10}, {"irq/softirq_entry", 11},
		{"ftrace/function", 1},
	};
	snprintf(tracefs, sizeof tracefs, "/tmp/kiln-event-test.XXXXXX");
	if (!mkdtemp(tracefs))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(points); i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/events/%s/id", tracefs, points[i].name);
		make_dirs(path);
		FILE *f = fopen(path, "w");
		if (!f)
			return -1;
		fprintf(f, "%d\n", points[i].id);
		fclose(f);
	}
	return 0;
}

static int remove_tracefs(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", tracefs);
	return system(command);
}

static struct event parse_one(struct event_list *list, const char *text)
{
	struct err err = {0};
	event_list_free(list);
	*list = (struct event_list){0};
	if (!event_parse(list, text, tracefs, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(list->events.n, 1);
	return list->events.v[0];
}

static void same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->class, b->class);
	assert_int_equal(a->attr.type, b->attr.type);
	assert_int_equal(a->attr.config, b->attr.config);
	assert_int_equal(a->attr.flags, b->attr.flags);
	assert_int_equal(a->max_precise, b->max_precise);
	assert_int_equal(a->wants_kernel, b->wants_kernel);
}

static void every_alias(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
	} all[] = {
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
		{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
		{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
		{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
		{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
		{"stalled-cycles-frontend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
		{"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{"stalled-cycles-backend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
		{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
		{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
		{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
		{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
		{"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
		{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
		{"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
		{"cgroup-switches", PERF_TYPE_SOFTWARE, 11},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
		{"L1-dcache-loads", PERF_TYPE_HW_CACHE, 0},
		{"L1-dcache-read-refs", PERF_TYPE_HW_CACHE, 0},
		{"l1d", PERF_TYPE_HW_CACHE, 0},
		{"l1-i-prefetches", PERF_TYPE_HW_CACHE, 0x201},
		{"LLC", PERF_TYPE_HW_CACHE, 2},
		{"LLC-misses", PERF_TYPE_HW_CACHE, 0x10002},
		{"L2-speculative-read-miss", PERF_TYPE_HW_CACHE, 0x10202},
		{"d-tlb-miss-store", PERF_TYPE_HW_CACHE, 0x10103},
		{"Data-TLB-write", PERF_TYPE_HW_CACHE, 0x103},
		{"iTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10004},
		{"branch-loads", PERF_TYPE_HW_CACHE, 5},
		{"bpu-load-misses", PERF_TYPE_HW_CACHE, 0x10005},
		{"node-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10206},
		{"r1a8", PERF_TYPE_RAW, 0x1a8},
		{"r0x1A8", PERF_TYPE_RAW, 0x1a8},
		{"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX},
		{"sched:sched_switch", PERF_TYPE_TRACEPOINT, 372},
	};
	struct event_list list = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event e = parse_one(&list, all[i].text);
		assert_int_equal(e.attr.type, all[i].type);
		assert_int_equal(e.attr.config, all[i].config);
		assert_int_equal(e.attr.size, ATTR_BYTES);
		/* What nobody asked for is left out, as perf does it. */
		assert_int_equal(e.attr.flags, ATTR_EXCLUDE_GUEST);
		assert_string_equal(e.name, all[i].text);
	}
	event_list_free(&list);
}

static void modifiers(void **state)
{
	(void)state;
	const uint64_t u = ATTR_EXCLUDE_USER, k = ATTR_EXCLUDE_KERNEL, h = ATTR_EXCLUDE_HV,
		       guest = ATTR_EXCLUDE_GUEST, host = ATTR_EXCLUDE_HOST,
		       p1 = 1 << ATTR_PRECISE_SHIFT;
	const struct {
		const char *text;
		uint64_t flags;
		bool max_precise, wants_kernel;
	} all[] = {
		{"cycles:u", k | h | guest, false, false},
		{"cycles:k", u | h, false, true},
		{"cycles:h", u | k, false, true},
		{"cycles:uk", h | guest, false, true},
		{"cycles:ku", h | guest, false, true},
		{"cycles:G", host, false, false},
		{"cycles:H", guest, false, false},
		{"cycles:GH", 0, false, false},
		{"cycles:uG", k | h | host, false, false},
		{"cycles:p", p1 | guest, false, false},
		{"cycles:pp", 2 * p1 | guest, false, false},
		{"cycles:ppp", 3 * p1 | guest, false, false},
		{"cycles:uppp", 3 * p1 | k | h | guest, false, false},
		{"cycles:P", 0, true, false},
		{"cycles:I", ATTR_EXCLUDE_IDLE, false, false},
		{"cycles:D", ATTR_PINNED, false, false},
		{"cycles:e", ATTR_EXCLUSIVE, false, false},
		{"irq:softirq_entry:u", k | h | guest, false, false},
	};
	struct event_list list = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event e = parse_one(&list, all[i].text);
		assert_int_equal(e.attr.flags, all[i].flags);
		assert_int_equal(e.max_precise, all[i].max_precise);
		assert_int_equal(e.wants_kernel, all[i].wants_kernel);
		assert_string_equal(e.name, all[i].text);
	}
	event_list_free(&list);
}

struct identity {
	struct event_list first, second;
	size_t count;
};

static void check_identity(struct identity *id, const char *text)
{
	struct event a = parse_one(&id->first, text);
	struct event b = parse_one(&id->second, a.name);
	same_event(&a, &b);
	/* The name perf makes up for the bare attr means the same event, too. */
	if (a.class != EVENT_RAW && a.class != EVENT_TRACEPOINT && !a.max_precise) {
		struct arena arena = {0};
		struct event c = parse_one(&id->second, attr_name(&a.attr, &arena).p);
		assert_int_equal(a.attr.type, c.attr.type);
		assert_int_equal(a.attr.config, c.attr.config);
		assert_int_equal(a.attr.flags, c.attr.flags);
		arena_free(&arena);
	}
	id->count++;
}

static void check_name(void *ctx, struct str name)
{
	static const char *const endings[] = {"", ":u", ":k", ":uk", ":uppp", ":kP", ":GH", ":uH"};
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		char text[96];
		snprintf(text, sizeof text, "%.*s%s", (int)name.n, name.p, endings[i]);
		check_identity(ctx, text);
	}
}

static void parsing_the_name_again_gives_the_same(void **state)
{
	(void)state;
	struct identity id = {0};
	catalogue_each(check_name, &id);
	check_name(&id, STR("r1a8"));
	check_name(&id, STR("sched:sched_switch"));
	assert_true(id.count > 400);
	event_list_free(&id.first);
	event_list_free(&id.second);
}

static void lists_and_globs(void **state)
{
	(void)state;
	struct event_list list = {0};
	struct err err = {0};
	assert_true(event_parse(&list, "cs, faults:u,sched:*", tracefs, &err));
	assert_true(event_parse(&list, "*:*_entry:k", tracefs, &err));
	static const char *const names[] = {
		"cs",
		"faults:u",
		"sched:sched_switch",
		"sched:sched_wakeup",
		"irq:irq_handler_entry:k",
		"irq:softirq_entry:k",
	};
	assert_int_equal(list.events.n, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(list.events.v[i].name, names[i]);
	event_list_free(&list);
}

static void errors_name_the_nearest(void **state)
{
	(void)state;
	static const struct {
		const char *text, *in_text, *in_hint;
	} all[] = {
		{"cpu-clok", "no event \"cpu-clok\"", "cpu-clock"},
		{"cpu_clock", "no event \"cpu_clock\"", "cpu-clock"},
		{"CYCLES", "no event", "cycles"},
		{"cpu-clok:u", "no event \"cpu-clok\"", "cpu-clock"},
		{"L1-dcache-lods", "no event", "L1-dcache-loads"},
		{"iTLB-stores", "no event", "dTLB-stores"},
		{"LLC-", "no event", NULL},
		{"sched_switch", "no event", "sched:sched_switch"},
		{"sched:sched_swich", "no tracepoint sched:sched_swich", "sched_switch"},
		{"shed:sched_switch", "no tracepoint system shed", "sched"},
		{"sched:nothing*", "no tracepoint sched:nothing*", NULL},
		{"*:nothing*", "no tracepoint matches", NULL},
		{"ftrace:*zzz", "no tracepoint", NULL},
		{"cycles:x", "\"x\" is no event modifier", NULL},
		{"cycles:pppp", "three times", NULL},
		{"cycles:", "modifiers are missing", NULL},
		{"sched:", "SYSTEM:NAME", NULL},
		{":u", "name is missing", NULL},
		{"cycles,,cs", "name is missing", NULL},
		{"", "name is missing", NULL},
		{"cycles,", "name is missing", NULL},
		{"{cycles,cs}", "not supported yet", NULL},
		{"cpu/event=1/", "not supported yet", NULL},
		{"r", "no event", NULL},
		{"rxyz", "no event", NULL},
		{"r12345678123456781", "no event", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event_list list = {0};
		struct err err = {0};
		if (event_parse(&list, all[i].text, tracefs, &err))
			fail_msg("\"%s\" was taken", all[i].text);
		assert_int_equal(list.events.n, 0);
		if (!strstr(err.text, all[i].in_text))
			fail_msg("\"%s\": %s", all[i].text, err.text);
		if (all[i].in_hint && !strstr(err.hint, all[i].in_hint))
			fail_msg("\"%s\": hint %s", all[i].text, err.hint);
		event_list_free(&list);
	}
}

static void no_tracefs(void **state)
{
	(void)state;
	struct event_list list = {0};
	struct err err = {0};
	assert_false(event_parse(&list, "sched:sched_switch", NULL, &err));
	assert_non_null(strstr(err.hint, "mount -t tracefs"));
	assert_false(event_parse(&list, "sched:sched_switch", "/nonexistent", &err));
	assert_true(event_parse(&list, "cpu-clock", NULL, &err));
	event_list_free(&list);
}

/* A list that fails half way leaves what was there before. */
static void failure_takes_nothing(void **state)
{
	(void)state;
	struct event_list list = {0};
	struct err err = {0};
	assert_true(event_parse(&list, "cs", tracefs, &err));
	assert_false(event_parse(&list, "faults,nonsense", tracefs, &err));
	assert_int_equal(list.events.n, 1);
	assert_string_equal(list.events.v[0].name, "cs");
	event_list_free(&list);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_alias),
		cmocka_unit_test(modifiers),
		cmocka_unit_test(parsing_the_name_again_gives_the_same),
		cmocka_unit_test(lists_and_globs),
		cmocka_unit_test(errors_name_the_nearest),
		cmocka_unit_test(no_tracefs),
		cmocka_unit_test(failure_takes_nothing),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
