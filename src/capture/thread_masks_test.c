#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/out.h"
#include "capture/thread_masks.h"

static struct cpu_list eight(void)
{
	struct cpu_list list = {0};
	assert_true(cpus_parse(&list, STR("0-7"), NULL));
	return list;
}

static void put_list(struct out *o, const struct cpu_list *list)
{
	for (size_t i = 0; i < list->v.n; i++)
		out_fmt(o, "%s%u", i ? "," : "", list->v.v[i]);
}

static void check(const char *spec, const char *want)
{
	struct cpu_list online = eight();
	struct thread_masks m = {0};
	struct err err = {0};
	struct out o;
	out_memory(&o);
	if (!thread_masks_make(&m, spec, &online, &err))
		fail_msg("%s: %s", spec, err.text);
	for (size_t i = 0; i < m.v.n; i++) {
		out_cstr(&o, i ? ":" : "");
		put_list(&o, &m.v.v[i].cpus);
		out_char(&o, '/');
		put_list(&o, &m.v.v[i].affinity);
	}
	out_char(&o, '\0');
	assert_string_equal(o.buf, want);
	(void)out_finish(&o);
	thread_masks_free(&m);
	vec_free(&online.v);
}

static void masks(void **state)
{
	(void)state;
	check("0,2-4/2-4:1,5-7/5-7", "0,2,3,4/2,3,4:1,5,6,7/5,6,7");
	check("0/0", "0/0");
	check("0,100/1,200-300", "0/1"); /* not online: ignored */
}

static void one_for_each_cpu(void **state)
{
	(void)state;
	check("cpu", "0/0:1/1:2/2:3/3:4/4:5/5:6/6:7/7");
	check("", "0/0:1/1:2/2:3/3:4/4:5/5:6/6:7/7");
}

/* Whatever this machine looks like: each CPU is in exactly one mask. */
static void layouts_have_each_cpu_once(void **state)
{
	(void)state;
	static const char *const specs[] = {"core", "package", "numa"};
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct cpu_list online = eight();
		struct thread_masks m = {0};
		size_t sum = 0;
		assert_true(thread_masks_make(&m, specs[i], &online, NULL));
		for (size_t k = 0; k < m.v.n; k++) {
			sum += m.v.v[k].cpus.v.n;
			assert_int_equal(m.v.v[k].cpus.v.n, m.v.v[k].affinity.v.n);
		}
		assert_int_equal(sum, 8);
		for (uint32_t cpu = 0; cpu < 8; cpu++)
			assert_true(thread_masks_of(&m, cpu) < m.v.n);
		assert_int_equal(thread_masks_of(&m, 8), m.v.n);
		thread_masks_free(&m);
		vec_free(&online.v);
	}
}

static void nonsense(void **state)
{
	(void)state;
	static const struct {
		const char *spec, *why;
	} wrong[] = {
		{"bogus", "bogus"},          {"0", "no list of CPUs"},  {"0/", "no list of CPUs"},
		{"0/0:", "no list of CPUs"}, {"/0", "no list of CPUs"}, {"0/0:0/1", "read CPU 0"},
		{"0/0:1/0", "run on CPU 0"}, {"9/0", "none is online"}, {"0/99", "none is online"},
	};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct cpu_list online = eight();
		struct thread_masks m = {0};
		struct err err = {0};
		if (thread_masks_make(&m, wrong[i].spec, &online, &err))
			fail_msg("\"%s\" was taken", wrong[i].spec);
		if (!strstr(err.text, wrong[i].why))
			fail_msg("\"%s\": %s", wrong[i].spec, err.text);
		thread_masks_free(&m);
		vec_free(&online.v);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks),
		cmocka_unit_test(one_for_each_cpu),
		cmocka_unit_test(layouts_have_each_cpu_once),
		cmocka_unit_test(nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
