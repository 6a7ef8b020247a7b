/* For tests: a tracefs and PMUs made by hand, and what two events have to have in common. */
#ifndef KILN_TEST_EVENTS_H
#define KILN_TEST_EVENTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "perfdata/attr_name.h"

#define TEST_LIST                                     \
	{                                             \
		.devices = devices, .no_vendor = true \
	}

/* A tracefs of our own (events/SYSTEM/NAME/id), and PMUs as in sysfs. */
static char tracefs[64], devices[80];

static inline void make_dirs(const char *path)
{
	char buf[512];
	for (size_t i = 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(buf, sizeof buf, "%.*s", (int)i, path);
			(void)mkdir(buf, 0755);
		}
}

static inline bool make_file(const char *root, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", root, name);
	make_dirs(path);
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "%s\n", text);
	return fclose(f) == 0;
}

static inline bool make_pmus(void)
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
		{"cpu_atom/type", "10"},
		{"cpu_atom/cpus", "4-7"},
		{"cpu_atom/format/event", "config:0-7"},
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

static inline int make_tracefs(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int id;
	} points[] = {
		{"sched/sched_switch", 372},   {"sched/sched_wakeup", 373},
		{"irq/irq_handler_entry", 10}, {"irq/softirq_entry", 11},
		{"ftrace/function", 1},        {"probe_work/b", 2000},
		{"sdt_libc/setjmp", 2001},
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

static inline int remove_tracefs(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", tracefs);
	return system(command);
}

static inline struct event parse_one(struct event_list *list, const char *text)
{
	struct err err = {0};
	event_list_free(list);
	*list = (struct event_list)TEST_LIST;
	if (!event_parse(list, text, tracefs, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(list->events.n, 1);
	return list->events.v[0];
}

static inline void same_event(const struct event *a, const struct event *b)
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

struct identity {
	struct event_list first, second;
	size_t count;
};

static inline void check_identity(struct identity *id, const char *text)
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

#endif
