#include "event/test_events.h"

static void pmu_events(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name;
		uint32_t type;
		uint64_t config, config1;
	} all[] = {
		{"cpu/event=0x3c/", NULL, 4, 0x3c, 0},
		{"cpu/event=0xf3c,umask=1/u", NULL, 4, 0xf0000013cULL, 0},
		{"cpu/cpu-cycles/", NULL, 4, 0x3c, 0},
		{"cpu/CPU-Cycles/", NULL, 4, 0x3c, 0},
		{"cpu/event=cpu-cycles/", NULL, 4, 0x3c, 0},
		{"cpu/mem-loads,ldlat=30/P", NULL, 4, 0x1cd, 30},
		{"cpu/mem-loads,edge/", NULL, 4, 0x401cd, 3},
		{"mem-loads", NULL, 4, 0x1cd, 3},
		{"mem-loads:u", NULL, 4, 0x1cd, 3},
		{"mem-loads/period=7/", NULL, 4, 0x1cd, 3},
		{"cpu/config=0x1a8,name=mine/", "mine", 4, 0x1a8, 0},
		{"cpu/config1=5,name='a,b/c'/u", "a,b/c", 4, 0, 5},
		{"cpu/r1a8/", NULL, 4, 0x1a8, 0},
		{"cpu", NULL, 4, 0, 0},
		{"cpu//u", NULL, 4, 0, 0},
		{"power/energy-pkg/", NULL, 30, 2, 0},
	};
	struct identity id = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event e = parse_one(&id.first, all[i].text);
		assert_int_equal(e.class, EVENT_PMU);
		assert_int_equal(e.attr.type, all[i].type);
		assert_int_equal(e.attr.config, all[i].config);
		assert_int_equal(e.attr.config1, all[i].config1);
		assert_string_equal(e.name, all[i].name ? all[i].name : all[i].text);
		check_identity(&id, all[i].text);
	}
	struct event e = parse_one(&id.first, "power/energy-pkg/");
	assert_string_equal(e.unit, "Joules");
	assert_true(e.scale > 2.3e-10 && e.scale < 2.4e-10);
	event_list_free(&id.first);
	event_list_free(&id.second);
}

/* One name for several PMUs of a kind: each gets its event. */
static void pmus_of_one_kind(void **state)
{
	(void)state;
	static const char *const texts[] = {"uncore_imc/event=3/", "imc/event=3/",
					    "uncore_imc*/event=3/"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct event_list list = TEST_LIST;
		struct err err = {0};
		assert_true(event_parse(&list, texts[i], NULL, &err));
		assert_int_equal(list.events.n, 2);
		assert_int_equal(list.events.v[0].attr.type, 20);
		assert_int_equal(list.events.v[1].attr.type, 21);
		assert_string_equal(list.events.v[1].name, texts[i]);
		assert_string_equal(list.events.v[1].cpus, "0,18");
		event_list_free(&list);
	}
}

static void breakpoints(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t address, length, type, flags;
	} all[] = {
		{"mem:0x1000", 0x1000, 4, 3, ATTR_EXCLUDE_GUEST},
		{"mem:4096/2", 0x1000, 2, 3, ATTR_EXCLUDE_GUEST},
		{"mem:0x1000/8:w", 0x1000, 8, 2, ATTR_EXCLUDE_GUEST},
		{"mem:0x1000:x", 0x1000, sizeof(long), 4, ATTR_EXCLUDE_GUEST},
		{"mem:0x1000:rw:k", 0x1000, 4, 3, ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV},
		{"mem:0x1000:rwk", 0x1000, 4, 3, ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV},
		{"mem:0x1000:k", 0x1000, 4, 3, ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV},
	};
	struct identity id = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event e = parse_one(&id.first, all[i].text);
		assert_int_equal(e.class, EVENT_BREAKPOINT);
		assert_int_equal(e.attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(e.attr.config1, all[i].address);
		assert_int_equal(e.attr.config2, all[i].length);
		assert_int_equal(e.attr.bp_type, all[i].type);
		assert_int_equal(e.attr.flags, all[i].flags);
		assert_string_equal(e.name, all[i].text);
		check_identity(&id, all[i].text);
	}
	event_list_free(&id.first);
	event_list_free(&id.second);
}

static void terms_of_one_event(void **state)
{
	(void)state;
	struct event_list list = TEST_LIST;
	struct event e = parse_one(&list, "cs/period=0x10,freq=9,time=0,name=x/u");
	assert_string_equal(e.name, "x");
	assert_int_equal(e.terms.set, TERM_FREQ | TERM_TIME); /* the later rate counts */
	assert_int_equal(e.terms.frequency, 9);
	assert_false(e.terms.time);
	e = parse_one(&list, "cs/call-graph=dwarf,stack-size=4097,max-stack=7/");
	assert_int_equal(e.terms.stacks, STACKS_DWARF);
	assert_int_equal(e.terms.stack_size, 4104);
	assert_int_equal(e.terms.max_stack, 7);
	e = parse_one(&list, "cs/no-inherit,no-overwrite,percore,aux-output,nr=3,@sink=a/");
	assert_true(e.terms.set & TERM_INHERIT && !e.terms.inherit);
	assert_true(e.terms.set & TERM_OVERWRITE && !e.terms.overwrite);
	assert_true(e.terms.percore && e.terms.aux_output && e.attr.flags & ATTR_AUX_OUTPUT);
	assert_int_equal(e.terms.max_events, 3);
	assert_string_equal(e.terms.driver_config, "sink=a");
	e = parse_one(&list, "cs/branch_type='any,u',config=4,config3=8/");
	assert_int_equal(e.terms.branch_type, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(e.attr.config, 4);
	assert_int_equal(e.attr.config3, 8);
	e = parse_one(&list, "sched:sched_switch/call-graph=fp/u");
	assert_string_equal(e.name, "sched:sched_switch");
	assert_true(e.attr.flags & ATTR_EXCLUDE_KERNEL);
	e = parse_one(&list, "probe_work:b");
	assert_int_equal(e.attr.config, 2000);
	event_list_free(&list);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmu_events),
		cmocka_unit_test(pmus_of_one_kind),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(terms_of_one_event),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
