#include "event/test_events.h"

static uint32_t pick(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

#define PICK(seed, list) (list)[pick(seed, ARRAY_LEN(list))]

static void generate_event(uint32_t *seed, struct out *o)
{
	static const char *const heads[] = {
		"cycles",        "cs",        "L1-dcache-load-misses",
		"branch-misses", "r1a8",      "duration_time",
		"1:3",           "0x4:0x1a8",
	};
	static const char *const terms[] = {
		"period=100",   "freq=0x63", "name=foo",       "call-graph=fp", "time=0",
		"no-inherit",   "inherit=1", "max-stack=5",    "config1=9",     "stack-size=100",
		"no-overwrite", "percore",   "name='a,b/c d'", " period = 3 ",
	};
	static const char *const pmu_terms[] = {"event=0x1f", "umask=3",     "mem-loads",
						"edge",       "name=bar",    "period=5",
						"r0x12",      "instructions"};
	static const char *const points[] = {"sched:sched_switch", "irq:*", "*:*_entry",
					     "probe_work:b", "sdt_libc:setjmp"};
	static const char *const memory[] = {"mem:0x10", "mem:16/2", "mem:0x10:x", "mem:0x10/1:rw",
					     "mem:5/8"};
	static const char *const mods[] = {"u", "k", "uk", "ppp", "P", "uG", "IDe", "SWb", "hR"};
	bool slashes = false;
	switch (pick(seed, 6)) {
	case 0:
		out_cstr(o, PICK(seed, points));
		break;
	case 1:
		slashes = pick(seed, 2);
		out_cstr(o, PICK(seed, memory));
		if (slashes)
			out_fmt(o, "/%s/", PICK(seed, terms));
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
		out_fmt(o, "%s%s", slashes ? "" : pick(seed, 8) ? ":" : " : ", PICK(seed, mods));
}

static void generate_list(uint32_t *seed, struct out *o)
{
	static const char *const names[] = {"", "group1", "a-b"};
	static const char *const mods[] = {"", ":S", ":u", ":kW", ":De", ":H", " : Su"};
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
	struct event_list b = TEST_LIST;
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
		struct event_list list = TEST_LIST;
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

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_what_is_printed_gives_the_same),
	};
	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
