#include "event/test_events.h"

#include "event/catalogue.h"

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
	struct event_list list = TEST_LIST;
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
		{"cycles:S", 0, false, false},
		{"cycles:Wb", 0, false, false},
		{"cycles:R", 0, false, false},
	};
	struct event_list list = TEST_LIST;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event e = parse_one(&list, all[i].text);
		assert_int_equal(e.attr.flags, all[i].flags);
		assert_int_equal(e.max_precise, all[i].max_precise);
		assert_int_equal(e.wants_kernel, all[i].wants_kernel);
		assert_string_equal(e.name, all[i].text);
	}
	event_list_free(&list);
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
	struct event_list list = TEST_LIST;
	struct err err = {0};
	assert_true(event_parse(&list, "cs, faults:u,sched:*", tracefs, &err));
	assert_true(event_parse(&list, "*:*_entry:k", tracefs, &err));
	static const char *const names[] = {
		"cs",
		"faults:u",
		"sched:sched_switch",
		"sched:sched_wakeup",
		"irq:irq_handler_entry",
		"irq:softirq_entry",
	};
	assert_int_equal(list.events.n, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(list.events.v[i].name, names[i]);
	event_list_free(&list);
}

static void groups(void **state)
{
	(void)state;
	const uint64_t u = ATTR_EXCLUDE_USER, k = ATTR_EXCLUDE_KERNEL, h = ATTR_EXCLUDE_HV,
		       guest = ATTR_EXCLUDE_GUEST;
	struct event_list list = TEST_LIST;
	struct err err = {0};
	assert_true(event_parse(&list, "cs, g{cycles:u , faults:k}:uD,{irq:*,mem:0x10/4}:S,dummy",
				tracefs, &err));
	static const struct {
		const char *name;
		uint32_t group;
	} all[] = {
		{"cs", 0},
		{"cycles:u", 1},
		{"faults:k", 1},
		{"irq:irq_handler_entry", 2},
		{"irq:softirq_entry", 2},
		{"mem:0x10/4", 2},
		{"dummy", 0},
	};
	assert_int_equal(list.events.n, ARRAY_LEN(all));
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		assert_string_equal(list.events.v[i].name, all[i].name);
		assert_int_equal(list.events.v[i].group, all[i].group);
		assert_int_equal(list.events.v[i].sample_read, all[i].group == 2);
	}
	assert_int_equal(list.events.v[1].attr.flags, k | h | guest | ATTR_PINNED);
	assert_int_equal(list.events.v[2].attr.flags, h | guest);
	assert_int_equal(list.events.v[3].attr.flags, guest);
	assert_int_equal(list.groups.n, 2);
	assert_string_equal(list.groups.v[0].name, "g");
	assert_null(list.groups.v[1].name);
	assert_int_equal(list.groups.v[1].first, 3);
	assert_int_equal(list.groups.v[1].count, 3);
	assert_false(event_parse(&list, "{cs,faults},nonsense", tracefs, &err));
	assert_int_equal(list.groups.n, 2);
	event_list_group_all(&list);
	assert_int_equal(list.groups.n, 1);
	assert_int_equal(list.groups.v[0].count, ARRAY_LEN(all));
	assert_int_equal(list.events.v[6].group, 1);
	event_list_free(&list);
	assert_true(event_parse(&list, "{faults,cs}:k", tracefs, &err));
	assert_int_equal(list.events.v[0].attr.flags, u | h | guest);
	event_list_free(&list);
}

static void no_tracefs(void **state)
{
	(void)state;
	struct event_list list = TEST_LIST;
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
	struct event_list list = TEST_LIST;
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
		cmocka_unit_test(groups),
		cmocka_unit_test(no_tracefs),
		cmocka_unit_test(failure_takes_nothing),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
