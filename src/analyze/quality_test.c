#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/quality.h"
#include "analyze/test_stacks.h"

static void shares(void **state)
{
	(void)state;
	struct profile *p = test_profile("x _start;main;f 1\n"
					 "x ?1;__libc_start_main_impl;main;f 1\n"
					 "x start_thread;f 1\n"
					 "x k_ret_from_fork_asm;k_f 1\n"
					 "x k_entry_SYSCALL_64_after_hwframe;k_f 1\n"
					 "x main;f 1\n"
					 "x ?2;f 1\n"
					 "x f;f;f;f 1\n");
	event_id event = {1};
	struct quality q;
	p->rows.v[7].cut = true;
	/* The kernel's names have no prefix in the kernel. */
	for (size_t i = 1; i < p->funcs.n; i++) {
		struct str name = profile_str(p, p->funcs.v[i].name);
		if (str_starts(name, "k_"))
			p->funcs.v[i].name = strtab_intern(&p->strings, str_skip(name, 2));
	}
	quality_measure(p, event, &q);
	assert_int_equal(q.stacks, 8);
	assert_int_equal(q.whole, 5);
	assert_int_equal(q.cut, 1);
	assert_int_equal(q.broken, 2);
	assert_int_equal(q.frames, 3 + 4 + 2 + 2 + 2 + 2 + 2 + 4);
	assert_int_equal(q.nameless, 2);
	assert_int_equal(q.ends.n, 1);
	assert_true(str_is(profile_str(p, q.ends.v[0].name), "lib"));
	assert_int_equal(q.ends.v[0].count, 2);
	assert_int_equal(q.ends.v[0].fault, FAULT_NO_FRAME_POINTERS);
	assert_int_equal(q.names.v[0].fault, FAULT_NO_SYMBOLS);
	assert_true(strstr(quality_cut_cure(&q), "--max-stack") != NULL);
	quality_free(&q);

	p->events.v[1].copied_stacks = true;
	p->objects.v[1].jit = true;
	quality_measure(p, event, &q);
	assert_int_equal(q.ends.v[0].fault, FAULT_JIT_FRAMES);
	assert_int_equal(q.names.v[0].fault, FAULT_JIT_NAMES);
	assert_true(strstr(quality_cut_cure(&q), "65528") != NULL);
	quality_free(&q);
	p->objects.v[1].jit = false;
	quality_measure(p, event, &q);
	assert_int_equal(q.ends.v[0].fault, FAULT_NO_UNWIND_TABLES);
	quality_free(&q);
	profile_free(p);
}

/* Garbage at the root is the fault of the object in front of it. */
static void garbage(void **state)
{
	(void)state;
	struct profile *p = test_profile("x ?1;?2;f 1\n"
					 "x ?1 1\n");
	struct quality q;
	for (size_t i = 1; i < p->frames.n; i++)
		if (!p->frames.v[i].func.v)
			p->frames.v[i].object = (object_id){0};
	quality_measure(p, (event_id){1}, &q);
	assert_int_equal(q.broken, 2);
	assert_int_equal(q.ends.n, 2);
	assert_int_equal(q.ends.v[0].name.v, 0);
	assert_int_equal(q.ends.v[0].fault, FAULT_NO_MAP);
	assert_true(str_is(profile_str(p, q.ends.v[1].name), "lib"));
	assert_int_equal(q.ends.v[1].fault, FAULT_NO_FRAME_POINTERS);
	assert_int_equal(q.names.v[0].fault, FAULT_NO_MAP);
	assert_int_equal(q.names.v[0].count, 3);
	quality_free(&q);
	profile_free(p);
}

static void nothing(void **state)
{
	(void)state;
	struct profile *p = test_profile("");
	struct quality q;
	quality_measure(p, (event_id){1}, &q);
	assert_int_equal(q.stacks, 0);
	assert_true(quality_percent(q.whole, q.stacks) == 0);
	quality_free(&q);
	profile_free(p);
	for (enum quality_fault f = FAULT_NO_FRAME_POINTERS; f <= FAULT_NO_MAP; f++)
		assert_true(quality_cure(f)[0]);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(garbage),
		cmocka_unit_test(nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
