#include "event/test_events.h"

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
		{"cycles:uu", "only once", "\n        cycles:uu\n                ^"},
		{"{cycles,cs", "\"}\" that ends the group", "{cycles,cs\n        ^"},
		{"cycles,cs}", "no \"{\" for", "                 ^"},
		{"{cycles,{cs}}", "no group inside", NULL},
		{"{cycles,}", "name is missing", NULL},
		{"{}", "name is missing", NULL},
		{"{cycles,cs}:", "behind a group", NULL},
		{"{cycles,cs}x", "behind a group", NULL},
		{"{cycles:pp,cs}:pp", "more than three times", NULL},
		{"{cycles,cs}:y", "no event modifier", NULL},
		{"cs,cpu-clok,faults", "no event", "cs,cpu-clok,faults\n           ^~~~~~~~"},
		{"cpu/event=1", "\"/\" that ends", NULL},
		{"cpu/event=1/u/", "one \"/\" too many", NULL},
		{"cpu/event=0x10000/", "is 0xfff at most", "event=0x10000"},
		{"cpu/event=foo/", "wants a number", NULL},
		{"cpu/evnt=1/", "no event or term \"evnt\"", "nearest names: event"},
		{"cpu/mem-load/", "no event or term", "mem-loads"},
		{"cpu/broken=1/", "not understood", NULL},
		{"cpu/odd/", "not understood", NULL},
		{"cpu/event=1,/", "term is missing", NULL},
		{"cpu/event=/", "term is missing", NULL},
		{"gpu/event=1/", "no event \"gpu\"", "cpu"},
		{"../event=1/", "no event", NULL},
		{"cs/perod=1/", "no term \"perod\"", "period"},
		{"cs/period=x/", "wants a number", NULL},
		{"cs/time=2/", "1 at most", NULL},
		{"cs/max-stack=65536/", "65535 at most", NULL},
		{"cs/call-graph=foo/", "fp, dwarf, lbr or no", NULL},
		{"cs/call-graph/", "wants a text", NULL},
		{"cs/branch_type=foo/", "no kind of branch", NULL},
		{"sched:sched_switch/period=1/", "no term \"period\" for this kind", NULL},
		{"sched:sched_switch/config=1/", "no term \"config\" for this kind", NULL},
		{"mem:", "mem:ADDRESS", NULL},
		{"mem:xyz", "mem:ADDRESS", NULL},
		{"mem:0x10/9", "1 to 8", NULL},
		{"mem:0x10:y", "no event modifier", NULL},
		{"mem:0x10:rr", "no event modifier", NULL},
		{"r", "no event", NULL},
		{"rxyz", "no event", NULL},
		{"r12345678123456781", "no event", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event_list list = TEST_LIST;
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

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_name_the_nearest),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
