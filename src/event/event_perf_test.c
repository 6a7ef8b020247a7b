/* What perf takes behind -e, and what it makes of it: forms that its users write. */
#include "event/test_events.h"

/* "TYPE:CONFIG", then a letter for each flag: u k h what is excluded of the levels, g the guest,
 * o the host, i while idle; D pinned, E exclusive, a digit for precision, P the highest, S W b R.
 * Groups stand in braces. */
static void describe(const struct event_list *list, struct out *o)
{
	static const struct {
		uint64_t flag;
		char letter;
	} flags[] = {
		{ATTR_EXCLUDE_USER, 'u'},  {ATTR_EXCLUDE_KERNEL, 'k'}, {ATTR_EXCLUDE_HV, 'h'},
		{ATTR_EXCLUDE_GUEST, 'g'}, {ATTR_EXCLUDE_HOST, 'o'},   {ATTR_EXCLUDE_IDLE, 'i'},
		{ATTR_PINNED, 'D'},        {ATTR_EXCLUSIVE, 'E'},
	};
	for (size_t i = 0; i < list->events.n; i++) {
		const struct event *e = &list->events.v[i];
		const struct event_group *g = e->group ? &list->groups.v[e->group - 1] : NULL;
		unsigned precise = attr_precise(&e->attr);
		out_fmt(o, "%s%s%u:%" PRIx64 " ", i ? " " : "", g && g->first == i ? "{" : "",
			e->attr.type, e->attr.config);
		for (size_t k = 0; k < ARRAY_LEN(flags); k++)
			if (e->attr.flags & flags[k].flag)
				out_char(o, flags[k].letter);
		if (precise)
			out_u64(o, precise);
		out_fmt(o, "%s%s%s%s%s", e->max_precise ? "P" : "", e->sample_read ? "S" : "",
			e->weak ? "W" : "", e->bpf ? "b" : "", e->retire ? "R" : "");
		if (g && g->first + g->count == i + 1)
			out_char(o, '}');
	}
	out_char(o, '\0');
}

static const struct {
	const char *text, *means;
} all[] = {
	/* numbers */
	{"r1a", "4:1a g"},
	{"r1a:kp", "4:1a uhg1"},
	{"r1234/name=rawpmu/", "4:1234 g"},
	{"1:1", "1:1 g"},
	{"1:1:hp", "1:1 ukg1"},
	{"4:0x6530160/name=numpmu/", "4:6530160 g"},
	{"0x4:10/period=1/u", "4:a khg"},
	{"1:3:u,1:3", "1:3 khg 1:3 g"},
	/* names, with modifiers and terms */
	{"instructions", "0:1 g"},
	{"instructions:h", "0:1 uk"},
	{"instructions:G", "0:1 o"},
	{"instructions:H", "0:1 g"},
	{"instructions:I", "0:1 i"},
	{"instructions:kIG", "0:1 uhoi"},
	{"instructions:uDp", "0:1 khgD1"},
	{"instructions/name=insn/", "0:1 g"},
	{"task-clock:P,cycles", "1:1 P 0:0 g"},
	{"cycles//u", "0:0 khg"},
	{"cycles/period=100000,config2/", "0:0 g"},
	{"cycles/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks'/Duk", "0:0 hgD"},
	{"cycles : u", "0:0 khg"},
	{" cycles , cs ", "0:0 g 1:3 g"},
	{"cs,cs,cs:u", "1:3 g 1:3 g 1:3 khg"},
	{"cpu-clock:ppp", "1:0 g3"},
	/* caches, in all spellings */
	{"L1-dcache-load-miss", "3:10000 g"},
	{"L1-dcache-load-miss:kp", "3:10000 uhg1"},
	{"L1-dcache-misses/name=cachepmu/", "3:10000 g"},
	{"l1-d-loads,l1d-read,L1-data-load-access", "3:0 g 3:0 g 3:0 g"},
	{"l1i-prefetch-miss,L1-instruction-prefetches-misses", "3:10201 g 3:10201 g"},
	{"LLC-stores,L2-write-ops,LLC-refs-store", "3:102 g 3:102 g 3:102 g"},
	{"dTLB,d-tlb-loads,Data-TLB-Reference", "3:3 g 3:3 g 3:3 g"},
	{"iTLB-misses,i-tlb-load-miss,Instruction-TLB-miss", "3:10004 g 3:10004 g 3:10004 g"},
	{"bpu,btb-loads,bpc-read-ops,branch-loads", "3:5 g 3:5 g 3:5 g 3:5 g"},
	{"node-speculative-read-miss", "3:10206 g"},
	/* breakpoints */
	{"mem:0", "5:0 g"},
	{"mem:0:x:k", "5:0 uh"},
	{"mem:0:r:hp", "5:0 ukg1"},
	{"mem:0:w:up", "5:0 khg1"},
	{"mem:0/2:w", "5:0 g"},
	{"mem:0/4:rw:u,cs", "5:0 khg 1:3 g"},
	{"mem:0/name=bp/", "5:0 g"},
	{"mem:0:x/name=bp/k", "5:0 uh"},
	{"mem:0/1/name=bp/,mem:0/2:w/period=3/:u", "5:0 g 5:0 khg"},
	/* tracepoints, and probes that are tracepoints */
	{"sched:sched_switch:k", "2:174 uh"},
	{"sched:*:u", "2:174 khg 2:175 khg"},
	{"s?hed:sched_[sw]*", "2:174 g 2:175 g"},
	{"probe_work:b", "2:7d0 g"},
	{"probe_work:b:u", "2:7d0 khg"},
	{"sdt_libc:setjmp", "2:7d1 g"},
	{"sdt_*:*", "2:7d1 g"},
	/* groups */
	{"{instructions:k,cycles:upp}", "{0:1 uh 0:0 khg2}"},
	{"{faults:k,cache-references}:u,cycles:k", "{1:2 hg 0:2 khg} 0:0 uh"},
	{"group1{sched:sched_switch:H,cycles:kppp},group2{cycles,1:3}:G,instructions:u",
	 "{2:174 g 0:0 uhg3} {0:0 o 1:3 o} 0:1 khg"},
	{"{cycles:u,instructions:kp}:p", "{0:0 khg1 0:1 uhg2}"},
	{"{cycles,instructions}:G,{cycles:G,instructions:G},cycles",
	 "{0:0 o 0:1 o} {0:0 o 0:1 o} 0:0 g"},
	{"{cycles,cache-misses:G}:H", "{0:0 g 0:3 }"},
	{"{cycles,cache-misses:H}:G", "{0:0 o 0:3 }"},
	{"{cycles:G,cache-misses:H}:u", "{0:0 kho 0:3 khg}"},
	{"{cycles:G,cache-misses:H}:uG", "{0:0 kho 0:3 kh}"},
	{"{cycles,cache-misses,branch-misses}:S", "{0:0 gS 0:3 gS 0:5 gS}"},
	{"{instructions,branch-misses}:Su", "{0:1 khgS 0:5 khgS}"},
	{"{cycles,cache-misses,branch-misses}:D", "{0:0 gD 0:3 g 0:5 g}"},
	{"{cycles,instructions}:W", "{0:0 gW 0:1 gW}"},
	{"{ cycles , cs } : S", "{0:0 gS 1:3 gS}"},
	{"{sched:*}:k", "{2:174 uhg 2:175 uhg}"},
	{"{cs}", "{1:3 g}"},
	/* PMUs */
	{"cpu/config=10,config1,config2=3,period=1000/u", "4:a khg"},
	{"cpu/config=1,name=krava/u,cpu/config=2/u", "4:1 khg 4:2 khg"},
	{"cpu/config=1,call-graph=fp,time,period=100000/,cpu/config=2,call-graph=no,time=0/",
	 "4:1 g 4:2 g"},
	{"cpu/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks',period=0x1,event=0x2/ukp",
	 "4:2 hg1"},
	{"cpu/event=cpu-cycles/u,cpu-cycles:u", "4:3c khg 0:0 khg"},
	{"cpu/r1a/,cpu/r0x1a/", "4:1a g 4:1a g"},
	{"cpu/cycles/,cpu/L1-dcache-load-misses/u", "0:0 g 3:10000 khg"},
	{"cpu_atom/instructions/,cpu_atom/LLC-loads/", "0:a00000001 g 3:a00000002 g"},
	{"{cpu/cycles/,cpu_atom/event=1/}:S", "{0:0 gS 10:1 gS}"},
};

static void forms_that_perf_takes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event_list list = TEST_LIST, again = TEST_LIST;
		struct err err = {0};
		struct out first, text, second;
		out_memory(&first);
		out_memory(&text);
		out_memory(&second);
		if (!event_parse(&list, all[i].text, tracefs, &err))
			fail_msg("%s: %s", all[i].text, err.text);
		describe(&list, &first);
		if (strcmp(first.buf, all[i].means))
			fail_msg("%s means %s, not %s", all[i].text, first.buf, all[i].means);
		event_list_print(&list, &text);
		out_char(&text, '\0');
		if (!event_parse(&again, text.buf, tracefs, &err))
			fail_msg("%s, printed as %s: %s", all[i].text, text.buf, err.text);
		describe(&again, &second);
		assert_string_equal(first.buf, second.buf);
		for (size_t k = 0; k < list.events.n; k++) {
			same_event(&list.events.v[k], &again.events.v[k]);
			if (list.events.v[k].terms.set & TERM_PERIOD)
				assert_int_equal(list.events.v[k].terms.period,
						 again.events.v[k].terms.period);
		}
		(void)out_finish(&first);
		(void)out_finish(&text);
		(void)out_finish(&second);
		event_list_free(&list);
		event_list_free(&again);
	}
}

/* What it does not take, as it means nothing: case matters but for names of PMUs' events. */
static void forms_that_perf_refuses(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"Cycles",
		"CYCLES",
		"l1-dcache-load-misses",
		"LLC-LOADS",
		"cycles:U",
		"cycles:uX",
		"1:",
		"1:x",
		"4:0x",
		"99999999999:1",
		"1:1:1",
		"{}",
		"{cs,}",
		"{cs",
		"cs}",
		"{{cs}}",
		"cycles/perio=1/",
		"cycles/period=/",
		"cycles/period=x/",
		"mem:0/9",
		"mem:0/4/5",
		"mem:0:q",
		"mem:0:rw:u/name=x/",
		"sched:",
		":sched_switch",
		"cpu/cycle/",
		"cpu_atom/cs/",
		"uncore_imc_0/cycles/",
		"cs//x",
		"cs/aux-action=stop/",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct event_list list = TEST_LIST;
		struct err err = {0};
		if (event_parse(&list, bad[i], tracefs, &err))
			fail_msg("%s was taken", bad[i]);
		assert_true(err.text[0] != '\0');
		event_list_free(&list);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_that_perf_takes),
		cmocka_unit_test(forms_that_perf_refuses),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
