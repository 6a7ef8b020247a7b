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

/* A tracefs of our own (events/SYSTEM/NAME/id), and PMUs as in sysfs. */
static char tracefs[64], devices[80];

static void make_dirs(const char *path)
{
	char buf[256];
	for (size_t i = 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(buf, sizeof buf, "%.*s", (int)i, path);
			(void)mkdir(buf, 0755);
		}
}

static bool make_file(const char *root, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", root, name);
	make_dirs(path);
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%s\n", text);
	return fclose(f) == 0;
}

static bool make_pmus(void)
{
	static const char *const files[][2] = {
		{"cpu/type", "4"},
		{"cpu/format/event", "config:0-7,32-35"},
		{"cpu/format/umask", "config:8-15"},
		{"cpu/format/edge", "config:18"},
		{"cpu/format/ldlat", "config1:0-15"},
		{"cpu/format/broken", "config9:0-15"},
		{"cpu/events/cpu-cycles", "event=0x3c"},
		{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3"},
		{"cpu/events/odd", "event=0x1,nonsense=1"},
		{"uncore_imc_0/type", "20"},
		{"uncore_imc_0/cpumask", "0,18"},
		{"uncore_imc_0/format/event", "config:0-7"},
		{"uncore_imc_1/type", "21"},
		{"uncore_imc_1/cpumask", "0,18"},
		{"uncore_imc_1/format/event", "config:0-7"},
		{"power/type", "30"},
		{"power/format/event", "config:0-7"},
		{"power/events/energy-pkg", "event=0x02"},
		{"power/events/energy-pkg.unit", "Joules"},
		{"power/events/energy-pkg.scale", "2.3283064365386962890625e-10"},
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!make_file(devices, files[i][0], files[i][1]))
			return false;
	return true;
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
		{"ftrace/function", 1},        {"probe_work/b", 2000},
	};
	snprintf(tracefs, sizeof tracefs, "/tmp/kiln-event-test.XXXXXX");
	if (!mkdtemp(tracefs))
		return -1;
	snprintf(devices, sizeof devices, "%s/devices", tracefs);
	for (size_t i = 0; i < ARRAY_LEN(points); i++) {
		char name[128], id[16];
		snprintf(name, sizeof name, "events/%s/id", points[i].name);
		snprintf(id, sizeof id, "%d", points[i].id);
		if (!make_file(tracefs, name, id))
			return -1;
	}
	return make_pmus() ? 0 : -1;
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
	*list = (struct event_list){.devices = devices};
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
	assert_int_equal(a->attr.config1, b->attr.config1);
	assert_int_equal(a->attr.config2, b->attr.config2);
	assert_int_equal(a->attr.config3, b->attr.config3);
	assert_int_equal(a->attr.bp_type, b->attr.bp_type);
	assert_int_equal(a->terms.set, b->terms.set);
	assert_int_equal(a->terms.period, b->terms.period);
	assert_int_equal(a->terms.frequency, b->terms.frequency);
	assert_int_equal(a->terms.branch_type, b->terms.branch_type);
	assert_int_equal(a->terms.stacks, b->terms.stacks);
	assert_int_equal(a->terms.stack_size, b->terms.stack_size);
	assert_int_equal(a->terms.inherit, b->terms.inherit);
	assert_int_equal(a->sample_read, b->sample_read);
	assert_int_equal(a->weak, b->weak);
	assert_int_equal(a->group, b->group);
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
		{"cycles:S", 0, false, false},
		{"cycles:Wb", 0, false, false},
		{"cycles:R", 0, false, false},
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
	struct out o;
	out_memory(&o);
	event_list_print(&id->first, &o);
	out_char(&o, '\0');
	struct event b = parse_one(&id->second, out_text(&o).p);
	same_event(&a, &b);
	(void)out_finish(&o);
	/* The name perf makes up for the bare attr means the same event, too. */
	if (a.class <= EVENT_CACHE && !a.max_precise) {
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
		"irq:irq_handler_entry",
		"irq:softirq_entry",
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
		struct event_list list = {.devices = devices};
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
		struct event_list list = {.devices = devices};
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
	struct event_list list = {0};
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

static void groups(void **state)
{
	(void)state;
	const uint64_t u = ATTR_EXCLUDE_USER, k = ATTR_EXCLUDE_KERNEL, h = ATTR_EXCLUDE_HV,
		       guest = ATTR_EXCLUDE_GUEST;
	struct event_list list = {.devices = devices};
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

/* --- parse, print, parse ------------------------------------------------------------------- */

static uint32_t pick(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

#define PICK(seed, list) (list)[pick(seed, ARRAY_LEN(list))]

static void generate_event(uint32_t *seed, struct out *o)
{
	static const char *const heads[] = {
		"cycles", "cs", "L1-dcache-load-misses", "branch-misses", "r1a8", "duration_time",
	};
	static const char *const terms[] = {
		"period=100",   "freq=0x63", "name=foo",       "call-graph=fp", "time=0",
		"no-inherit",   "inherit=1", "max-stack=5",    "config1=9",     "stack-size=100",
		"no-overwrite", "percore",   "name='a,b/c d'", " period = 3 ",
	};
	static const char *const pmu_terms[] = {"event=0x1f", "umask=3",  "mem-loads",
						"edge",       "name=bar", "period=5"};
	static const char *const points[] = {"sched:sched_switch", "irq:*", "*:*_entry",
					     "probe_work:b"};
	static const char *const memory[] = {"mem:0x10", "mem:16/2", "mem:0x10:x", "mem:0x10/1:rw"};
	static const char *const mods[] = {"u", "k", "uk", "ppp", "P", "uG", "IDe", "SWb", "hR"};
	bool slashes = false;
	switch (pick(seed, 6)) {
	case 0:
		out_cstr(o, PICK(seed, points));
		break;
	case 1:
		out_cstr(o, PICK(seed, memory));
		break;
	case 2:
		slashes = true;
		out_fmt(o, "cpu/%s,%s/", PICK(seed, pmu_terms), PICK(seed, pmu_terms));
		break;
	case 3:
		slashes = true;
		out_fmt(o, "%s/%s,%s/", PICK(seed, heads), PICK(seed, terms), PICK(seed, terms));
		break;
	case 4:
		out_cstr(o, "mem-loads");
		break;
	default:
		out_cstr(o, PICK(seed, heads));
	}
	if (pick(seed, 2))
		out_fmt(o, "%s%s", slashes ? "" : ":", PICK(seed, mods));
}

static void generate_list(uint32_t *seed, struct out *o)
{
	static const char *const names[] = {"", "group1", "a-b"};
	static const char *const mods[] = {"", ":S", ":u", ":kW", ":De", ":H"};
	uint32_t n = 1 + pick(seed, 4);
	for (uint32_t i = 0; i < n; i++) {
		bool group = pick(seed, 3) == 0;
		out_cstr(o, i ? pick(seed, 2) ? ", " : "," : "");
		if (group)
			out_fmt(o, "%s{", PICK(seed, names));
		generate_event(seed, o);
		for (uint32_t k = group ? pick(seed, 3) : 0; k > 0; k--) {
			out_cstr(o, ",");
			generate_event(seed, o);
		}
		if (group)
			out_fmt(o, "}%s", PICK(seed, mods));
	}
	out_char(o, '\0');
}

static void check_printed(struct event_list *a, const char *text)
{
	struct event_list b = {.devices = devices};
	struct err err = {0};
	struct out first, second;
	out_memory(&first);
	out_memory(&second);
	event_list_print(a, &first);
	out_char(&first, '\0');
	if (!event_parse(&b, out_text(&first).p, tracefs, &err))
		fail_msg("%s was printed as %s: %s", text, out_text(&first).p, err.text);
	assert_int_equal(a->events.n, b.events.n);
	assert_int_equal(a->groups.n, b.groups.n);
	for (size_t i = 0; i < a->events.n; i++)
		same_event(&a->events.v[i], &b.events.v[i]);
	event_list_print(&b, &second);
	out_char(&second, '\0');
	assert_string_equal(out_text(&first).p, out_text(&second).p);
	(void)out_finish(&first);
	(void)out_finish(&second);
	event_list_free(&b);
}

static void parsing_what_is_printed_gives_the_same(void **state)
{
	(void)state;
	uint32_t seed = 1;
	size_t taken = 0;
	for (int i = 0; i < 2000; i++) {
		struct event_list list = {.devices = devices};
		struct err err = {0};
		struct out text;
		out_memory(&text);
		generate_list(&seed, &text);
		if (event_parse(&list, out_text(&text).p, tracefs, &err)) {
			taken++;
			check_printed(&list, out_text(&text).p);
		} else {
			assert_true(err.text[0] != '\0');
		}
		event_list_free(&list);
		(void)out_finish(&text);
	}
	assert_true(taken > 1800);
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
		cmocka_unit_test(pmu_events),
		cmocka_unit_test(pmus_of_one_kind),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(terms_of_one_event),
		cmocka_unit_test(groups),
		cmocka_unit_test(parsing_what_is_printed_gives_the_same),
		cmocka_unit_test(errors_name_the_nearest),
		cmocka_unit_test(no_tracefs),
		cmocka_unit_test(failure_takes_nothing),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
