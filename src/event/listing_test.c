#include "event/test_events.h"

#include "event/listing.h"

static char cache[96];

static bool make_cache(void)
{
	static const struct {
		const char *build_id, *path, *probes;
	} files[] = {
		{"0123456789abcdef", "bin/one",
		 "%sdt_one:start=start\np:sdt_one/start /x:0x10\n%sdt_one:start=start\n"
		 "p:sdt_one/start /x:0x20\n%sdt_both:a=a\n#probe:k=k\np:probe/k k\n"},
		{"fedcba9876543210", "bin/two",
		 "%sdt_both:a=a\n%sdt_libc:setjmp=setjmp\n%broken\n"},
		{"00112233445566aa", "bin/gone", "%sdt_gone:x=x\n"},
	};
	snprintf(cache, sizeof cache, "%s/cache", tracefs);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char name[256], link[256], target[256];
		/* Links lead from the cache to a path below /, which here is that of the test. */
		snprintf(name, sizeof name, "%s/%s/%s/probes", tracefs + 1, files[i].path,
			 files[i].build_id);
		if (!make_file(cache, name, files[i].probes))
			return false;
		if (i < 2 && !make_file(tracefs, files[i].path, "a program"))
			return false;
		snprintf(link, sizeof link, "%s/.build-id/%.2s/%s", cache, files[i].build_id,
			 files[i].build_id + 2);
		snprintf(target, sizeof target, "../../%s/%s/%s", tracefs + 1, files[i].path,
			 files[i].build_id);
		make_dirs(link);
		if (symlink(target, link) != 0)
			return false;
	}
	return true;
}

static int make_all(void **state)
{
	return make_tracefs(state) == 0 && make_cache() ? 0 : -1;
}

static const struct listed *find(const struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->items.n; i++)
		if (!strcmp(l->items.v[i].name, name))
			return &l->items.v[i];
	return NULL;
}

static void events_by_kind(void **state)
{
	(void)state;
	struct listing l = {0};
	listing_add(&l, LIST_PMU, NULL, devices, tracefs);
	const struct listed *e = find(&l, "power/energy-pkg/");
	assert_non_null(e);
	assert_string_equal(e->type, "Kernel PMU event");
	assert_string_equal(e->pmu, "power");
	assert_string_equal(e->unit, "Joules");
	assert_string_equal(e->encoding, "power/event=0x02/");
	assert_int_equal(e->attr.type, 30);
	assert_null(find(&l, "sched:sched_switch"));
	listing_free(&l);

	listing_add(&l, LIST_TRACEPOINT, NULL, devices, tracefs);
	e = find(&l, "sched:sched_switch");
	assert_non_null(e);
	assert_string_equal(e->type, "Tracepoint event");
	assert_int_equal(e->attr.config, 372);
	assert_non_null(find(&l, "probe_work:b"));
	assert_null(find(&l, "sdt_libc:setjmp"));
	assert_null(find(&l, "ftrace:function")); /* no perf event */
	listing_free(&l);

	listing_add(&l, LIST_SDT, NULL, devices, tracefs);
	assert_int_equal(l.items.n, 1);
	assert_string_equal(l.items.v[0].type, "SDT event");
	listing_free(&l);
}

static void globs(void **state)
{
	(void)state;
	static const struct {
		unsigned kinds;
		const char *glob;
		size_t count;
	} all[] = {
		{LIST_SOFTWARE, "*fault*", 5},
		{LIST_SOFTWARE, "*FAULT*", 5},
		{LIST_SOFTWARE, "cs", 1}, /* an alias */
		{LIST_HARDWARE, "cycles", 1},
		{LIST_CACHE, "L1-?cache-load-misses", 2},
		{LIST_TRACEPOINT, "sched:*", 2},
		{LIST_TRACEPOINT, "*:*_entry", 2},
		{LIST_PMU, "energy*", 1},
		{LIST_PMU, "power/*/", 1},
		{LIST_FORMS, "*", 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct listing l = {0};
		listing_add(&l, all[i].kinds, all[i].glob, devices, tracefs);
		if (l.items.n != all[i].count)
			fail_msg("%s: %zu", all[i].glob, l.items.n);
		listing_free(&l);
	}
}

/* Everything that is listed parses, to what is said of it. */
static void names_are_events(void **state)
{
	(void)state;
	struct listing l = {0};
	listing_add(&l, LIST_ALL & ~(unsigned)(LIST_FORMS | LIST_PFM), NULL, devices, tracefs);
	assert_true(l.items.n > 60);
	for (size_t i = 0; i < l.items.n; i++) {
		struct event_list list = TEST_LIST;
		struct err err = {0};
		if (!event_parse(&list, l.items.v[i].name, tracefs, &err))
			fail_msg("%s: %s", l.items.v[i].name, err.text);
		assert_int_equal(list.events.v[0].attr.type, l.items.v[i].attr.type);
		assert_int_equal(list.events.v[0].attr.config, l.items.v[i].attr.config);
		event_list_free(&list);
	}
	listing_free(&l);
}

static void probes_in_the_cache(void **state)
{
	(void)state;
	struct listing l = {0};
	char both[2][256];
	listing_add(&l, LIST_SDT, NULL, devices, tracefs);
	listing_add_cached(&l, NULL, cache);
	/* One is defined as a probe, and listed as such; two files have a probe of one name. */
	snprintf(both[0], sizeof both[0], "sdt_both:a@%s/bin/one(0123456789ab)", tracefs);
	snprintf(both[1], sizeof both[1], "sdt_both:a@%s/bin/two(fedcba987654)", tracefs);
	const char *const names[] = {"sdt_libc:setjmp", both[0], both[1], "sdt_one:start"};
	assert_int_equal(l.items.n, ARRAY_LEN(names));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_string_equal(l.items.v[i].name, names[i]);
		assert_string_equal(l.items.v[i].type, "SDT event");
		assert_int_equal(l.items.v[i].unusable != NULL, i > 0);
	}
	listing_free(&l);
	listing_add_cached(&l, "SDT_ONE:*", cache);
	assert_int_equal(l.items.n, 1);
	listing_add_cached(&l, NULL, "/dev/null");
	assert_int_equal(l.items.n, 1);
	listing_free(&l);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_by_kind),
		cmocka_unit_test(globs),
		cmocka_unit_test(names_are_events),
		cmocka_unit_test(probes_in_the_cache),
	};
	return cmocka_run_group_tests(tests, make_all, remove_tracefs);
}
