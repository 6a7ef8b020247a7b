#include "event/test_events.h"

#include "event/vendor.h"

/* The library lets events of machines that are not this one be encoded when asked so. */
static int open_library(void **state)
{
	(void)state;
	return make_tracefs(state) ? -1 : setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

static void see_skylake(void *ctx, const struct vendor_pmu *p)
{
	bool *found = ctx;
	*found |= !strcmp(p->name, "skl");
}

/* Not on all CPUs: the library is built for one architecture. */
static void need_skylake(void)
{
	bool found = false;
	struct vendor *v = vendor_open();
	if (v)
		vendor_each_pmu(v, see_skylake, &found);
	vendor_close(v);
	if (!found)
		skip();
}

static struct event parse_vendor(struct event_list *list, const char *text)
{
	struct err err = {0};
	event_list_free(list);
	*list = (struct event_list){.devices = devices};
	if (!event_parse(list, text, tracefs, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(list->events.n, 1);
	return list->events.v[0];
}

static void names_are_encoded(void **state)
{
	(void)state;
	const uint64_t u = ATTR_EXCLUDE_USER, k = ATTR_EXCLUDE_KERNEL, h = ATTR_EXCLUDE_HV,
		       guest = ATTR_EXCLUDE_GUEST, p1 = 1 << ATTR_PRECISE_SHIFT;
	const struct {
		const char *text;
		uint64_t config, flags;
	} all[] = {
		{"skl::INST_RETIRED:ANY_P", 0xc0, guest},
		{"SKL::inst_retired:any_p", 0xc0, guest},
		{"skl::INST_RETIRED:ANY_P:u", 0xc0, k | h | guest},
		{"skl::INST_RETIRED:ANY_P:k", 0xc0, u | h},
		{"skl::INST_RETIRED:ANY_P:uk", 0xc0, h | guest},
		{"skl::INST_RETIRED:ANY_P:u=1:k=0", 0xc0, k | h | guest},
		{"skl::INST_RETIRED:ALL:precise=2", 0x1c0, 2 * p1 | guest},
		{"skl::INST_RETIRED:ANY_P:upp", 0xc0, 2 * p1 | k | h | guest},
		{"skl::L2_RQSTS:MISS", 0x3f24, guest},
		{"skl::L2_RQSTS:MISS:c=4", 0x4003f24, guest},
		{"skl::L2_RQSTS:MISS:c=4:e", 0x4043f24, guest},                  /* edge … */
		{"skl::L2_RQSTS:MISS:De", 0x3f24, ATTR_PINNED | ATTR_EXCLUSIVE}, /* not here */
		{"skl::L2_RQSTS:MISS/name=x/k", 0x3f24, u | h},
	};
	need_skylake();
	struct event_list first = {0}, second = {0};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct out o;
		struct event e = parse_vendor(&first, all[i].text);
		assert_int_equal(e.class, EVENT_RAW);
		assert_int_equal(e.attr.type, PERF_TYPE_RAW);
		if (e.attr.config != all[i].config)
			fail_msg("%s: config 0x%" PRIx64, all[i].text, e.attr.config);
		if (e.attr.flags != all[i].flags)
			fail_msg("%s: flags 0x%" PRIx64, all[i].text, e.attr.flags);
		assert_string_equal(e.name, strchr(all[i].text, '/') ? "x" : all[i].text);
		out_memory(&o);
		event_list_print(&first, &o);
		out_char(&o, '\0');
		struct event again = parse_vendor(&second, o.buf);
		same_event(&e, &again);
		(void)out_finish(&o);
	}
	struct event e = parse_vendor(&first, "skl::L2_RQSTS:MISS:period=1000");
	assert_int_equal(e.terms.set, TERM_PERIOD);
	assert_int_equal(e.terms.period, 1000);
	e = parse_vendor(&first, "skl::L2_RQSTS:MISS:freq=99");
	assert_int_equal(e.terms.set, TERM_FREQ);
	assert_int_equal(e.terms.frequency, 99);
	event_list_free(&first);
	event_list_free(&second);
}

static void groups_of_names(void **state)
{
	(void)state;
	struct event_list list = {.devices = devices};
	struct err err = {0};
	need_skylake();
	assert_true(event_parse_vendor(
		&list, "{skl::INST_RETIRED:ANY_P,skl::L2_RQSTS:MISS:u}:S,skl::L2_RQSTS:MISS",
		&err));
	assert_int_equal(list.events.n, 3);
	assert_int_equal(list.groups.n, 1);
	assert_true(list.events.v[0].sample_read && list.events.v[1].sample_read);
	assert_true(list.events.v[1].attr.flags & ATTR_EXCLUDE_KERNEL);
	assert_false(list.events.v[2].sample_read);
	/* Beside others it is one kind of name among many. */
	assert_true(event_parse(&list, "cs,skl::L2_RQSTS:MISS:k,sched:*", tracefs, &err));
	assert_int_equal(list.events.n, 7);
	event_list_free(&list);
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *text, *in_text, *in_hint;
		size_t column;
	} all[] = {
		{"skk::INST_RETIRED", "no CPU or PMU \"skk\"", "skl", 0},
		{"skl::INST_RETIRD:ANY_P", "no event \"INST_RETIRD\"", "INST_RETIRED", 5},
		{"skl::", "no event \"\"", NULL, 0},
		{"skl::INST_RETIRED:ANI_P", "no unit mask or attribute \"ANI_P\"", "ANY_P", 18},
		{"skl::L2_RQSTS:MISS:c=1:zz=1", "attribute \"zz=1\"", NULL, 23},
		{"skl::LD_BLOCKS", "wants one of its unit masks", "NO_SR", 5},
		{"skl::L2_RQSTS:MISS:c=100000", "too large", NULL, 14},
		{"skl::L2_RQSTS:MISS/perod=1/", "no term \"perod\"", "period", 19},
		{"skl::L2_RQSTS:MISS/period=1/y", "no event modifier", NULL, 28},
		{"cs,skl::INST_RETIRED:ANI_P", "ANI_P", "ANY_P", 21},
	};
	need_skylake();
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct event_list list = {.devices = devices};
		struct err err = {0};
		if (event_parse(&list, all[i].text, tracefs, &err))
			fail_msg("\"%s\" was taken", all[i].text);
		if (!strstr(err.text, all[i].in_text))
			fail_msg("\"%s\": %s", all[i].text, err.text);
		if (all[i].in_hint && !strstr(err.hint, all[i].in_hint))
			fail_msg("\"%s\": hint %s", all[i].text, err.hint);
		const char *mark = strrchr(err.hint, '\n');
		if (!mark || (size_t)(strchr(mark, '^') - mark) != 9 + all[i].column)
			fail_msg("\"%s\": marked\n%s", all[i].text, err.hint);
		event_list_free(&list);
	}
}

/* Names that only this option takes, and those it does not. */
static void names_of_the_library_only(void **state)
{
	(void)state;
	struct event_list list = {.devices = devices};
	struct err err = {0};
	need_skylake();
	assert_false(event_parse_vendor(&list, "no-such-event", &err));
	assert_non_null(strstr(err.text, "no event \"no-such-event\""));
	assert_true(event_parse_vendor(&list, "PERF_COUNT_SW_CPU_CLOCK", &err));
	assert_int_equal(list.events.v[0].class, EVENT_SOFTWARE);
	assert_int_equal(list.events.v[0].attr.type, PERF_TYPE_SOFTWARE);
	event_list_free(&list);
}

/* What is found elsewhere does not load the library, and neither does a list that forbids it. */
static void loaded_only_when_needed(void **state)
{
	(void)state;
	struct event_list list = {.devices = devices};
	struct err err = {0};
	assert_true(event_parse(&list, "cycles,cs:u,sched:*,cpu/event=1/,mem:0x10,r1a8", tracefs,
				&err));
	assert_null(list.vendor);
	list.no_vendor = true;
	assert_false(event_parse(&list, "skl::INST_RETIRED:ANY_P", tracefs, &err));
	assert_non_null(strstr(err.text, "libpfm4"));
	assert_false(event_parse(&list, "NO_SUCH_EVENT", tracefs, &err));
	assert_null(list.vendor);
	event_list_free(&list);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_encoded),
		cmocka_unit_test(groups_of_names),
		cmocka_unit_test(errors),
		cmocka_unit_test(names_of_the_library_only),
		cmocka_unit_test(loaded_only_when_needed),
	};
	return cmocka_run_group_tests(tests, open_library, remove_tracefs);
}
