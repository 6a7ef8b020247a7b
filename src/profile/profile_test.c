#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"

static int make(void **state)
{
	*state = profile_new();
	return 0;
}

static int drop(void **state)
{
	profile_free(*state);
	return 0;
}

static void equal_things_have_equal_ids(void **state)
{
	struct profile *p = *state;
	object_id o = profile_object(p, STR("/bin/a"), STR("a"), CODE_USER);
	assert_int_equal(o.v, 1);
	assert_int_equal(profile_object(p, STR("/bin/a"), STR("a"), CODE_USER).v, o.v);
	assert_int_not_equal(profile_object(p, STR("/bin/a"), STR("a"), CODE_KERNEL).v, o.v);

	func_id f = profile_func(p, STR("main"), o, 0x1000, 16);
	assert_int_equal(profile_func(p, STR("main"), o, 0x1000, 16).v, f.v);
	assert_int_not_equal(profile_func(p, STR("main"), o, 0x2000, 16).v, f.v);
	assert_int_not_equal(profile_func(p, STR("main"), (object_id){0}, 0x1000, 16).v, f.v);

	frame_id r = profile_frame(p, f, o, 0x1008, CODE_USER, 0);
	assert_int_equal(profile_frame(p, f, o, 0x1008, CODE_USER, 0).v, r.v);
	assert_int_not_equal(profile_frame(p, f, o, 0x1008, CODE_USER, FRAME_JIT).v, r.v);
	assert_int_not_equal(profile_frame(p, f, o, 0x1008, CODE_KERNEL, 0).v, r.v);
	assert_int_not_equal(profile_frame(p, f, o, 0x1009, CODE_USER, 0).v, r.v);

	thread_id t = profile_thread(p, 7, 8, STR("sh"), 1);
	assert_int_equal(profile_thread(p, 7, 8, STR("sh"), 1).v, t.v);
	assert_int_not_equal(profile_thread(p, 7, 8, STR("ls"), 1).v, t.v);
	assert_int_not_equal(profile_thread(p, 7, 8, STR("sh"), 2).v, t.v);

	event_id e = profile_event(p, STR("cycles"));
	assert_int_equal(profile_event(p, STR("cycles")).v, e.v);
	assert_int_not_equal(profile_event(p, STR("faults")).v, e.v);
}

static void stacks_share_their_roots(void **state)
{
	struct profile *p = *state;
	frame_id frame[4];
	for (uint32_t i = 0; i < 4; i++)
		frame[i] = profile_frame(p, (func_id){0}, (object_id){0}, i, CODE_USER, 0);
	stack_id root = profile_stack(p, (stack_id){0}, frame[0]);
	stack_id mid = profile_stack(p, root, frame[1]);
	stack_id left = profile_stack(p, mid, frame[2]);
	stack_id right = profile_stack(p, mid, frame[3]);
	assert_int_equal(profile_stack(p, mid, frame[2]).v, left.v);
	assert_int_not_equal(left.v, right.v);
	assert_int_equal(p->stacks.n, 5);
	for (uint32_t i = 1; i < p->stacks.n; i++)
		assert_true(p->stacks.v[i].parent.v < i);

	assert_int_equal(profile_stack_depth(p, (stack_id){0}), 0);
	assert_int_equal(profile_stack_depth(p, right), 3);
	frame_id out[3];
	profile_stack_frames(p, right, out, 3);
	assert_int_equal(out[0].v, frame[0].v);
	assert_int_equal(out[1].v, frame[1].v);
	assert_int_equal(out[2].v, frame[3].v);
}

static void rows_add_up(void **state)
{
	struct profile *p = *state;
	event_id e = profile_event(p, STR("cycles"));
	event_id other = profile_event(p, STR("faults"));
	uint64_t count = 0, weight = 0;
	for (uint32_t i = 0; i < 10000; i++) {
		struct profile_row row = {
			.event = i % 5 ? e : other,
			.thread = {i % 7},
			.cpu = i % 2,
			.stack = {i % 11},
			.leaf = {i % 3},
			.count = 1,
			.weight = i,
		};
		profile_add(p, &row);
	}
	assert_int_equal(p->rows.n, 2 * 7 * 2 * 11 * 3);
	for (size_t i = 0; i < p->rows.n; i++) {
		count += p->rows.v[i].count;
		weight += p->rows.v[i].weight;
	}
	assert_int_equal(count, 10000);
	assert_int_equal(weight, 10000 * 9999 / 2);
	assert_int_equal(p->events.v[e.v].samples, 8000);
	assert_int_equal(p->events.v[other.v].samples, 2000);
	assert_int_equal(p->events.v[e.v].weight + p->events.v[other.v].weight, weight);
}

static void what_has_no_name_is_unknown(void **state)
{
	struct profile *p = *state;
	func_id named = profile_func(p, STR("f"), (object_id){0}, 0, 0);
	frame_id a = profile_frame(p, named, (object_id){0}, 1, CODE_USER, 0);
	frame_id b = profile_frame(p, (func_id){0}, (object_id){0}, 2, CODE_USER, 0);
	assert_true(str_is(profile_frame_name(p, a), "f"));
	assert_true(str_is(profile_frame_name(p, b), "[unknown]"));
	assert_true(str_is(profile_frame_name(p, (frame_id){0}), "[unknown]"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_things_have_equal_ids, make, drop),
		cmocka_unit_test_setup_teardown(stacks_share_their_roots, make, drop),
		cmocka_unit_test_setup_teardown(rows_add_up, make, drop),
		cmocka_unit_test_setup_teardown(what_has_no_name_is_unknown, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
