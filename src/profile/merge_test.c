#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/merge.h"

static struct profile *one(const char *object, const char *func, const char *comm)
{
	struct profile *p = profile_new();
	event_id e = profile_event(p, STR("cycles"));
	object_id o = profile_object(p, str_of(object), str_of(object), CODE_USER);
	func_id f = profile_func(p, str_of(func), o, 0x10, 0x20);
	struct profile_row row = {.event = e,
				  .thread = profile_thread(p, 7, 7, str_of(comm), 1),
				  .leaf = profile_frame(p, f, o, 0x12, CODE_USER, 0),
				  .count = 2,
				  .weight = 20};
	profile_add(p, &row);
	return p;
}

static void events_stay_apart_and_names_are_shared(void **state)
{
	(void)state;
	struct profile *a = one("libc", "malloc", "sh"), *b = one("libc", "malloc", "sh");
	struct profile *all = profile_new();
	thread_id threads[2];
	assert_int_equal(profile_merge(all, a, NULL), 0);
	assert_int_equal(profile_merge(all, b, threads), 1);
	assert_int_equal(all->events.n, 3);
	assert_int_equal(all->rows.n, 2);
	const struct profile_row *r = all->rows.v;
	assert_int_equal(r[0].event.v, 1);
	assert_int_equal(r[1].event.v, 2);
	assert_int_equal(r[0].leaf.v, r[1].leaf.v);
	assert_int_equal(r[1].weight, 20);
	assert_int_equal(all->objects.n, 2);
	assert_int_equal(all->funcs.n, 2);
	/* The same numbers in another recording are another process. */
	assert_int_not_equal(r[0].thread.v, r[1].thread.v);
	assert_int_equal(threads[1].v, r[1].thread.v);
	assert_int_equal(all->events.v[2].samples, 2);
	profile_free(a);
	profile_free(b);
	profile_free(all);
}

static void unlike_things_stay_unlike(void **state)
{
	(void)state;
	struct profile *a = one("libc", "malloc", "sh"), *b = one("libm", "sin", "bc");
	struct profile *all = profile_new();
	(void)profile_merge(all, a, NULL);
	(void)profile_merge(all, b, NULL);
	const struct profile_row *r = all->rows.v;
	struct str first = profile_frame_name(all, r[0].leaf);
	struct str second = profile_frame_name(all, r[1].leaf);
	assert_true(str_is(first, "malloc"));
	assert_true(str_is(second, "sin"));
	string_id comm = all->threads.v[r[1].thread.v].comm;
	assert_true(str_is(profile_str(all, comm), "bc"));
	profile_free(a);
	profile_free(b);
	profile_free(all);
}

static void a_line_that_moved_is_another_place(void **state)
{
	(void)state;
	struct profile *a = one("prog", "main", "sh"), *b = one("prog", "main", "sh");
	struct profile *c = one("prog", "main", "sh"), *all = profile_new();
	a->frames.v[1].srcline = strtab_intern(&a->strings, STR("main.c:10"));
	b->frames.v[1].srcline = strtab_intern(&b->strings, STR("main.c:12"));
	c->frames.v[1].srcline = strtab_intern(&c->strings, STR("main.c:10"));
	(void)profile_merge(all, a, NULL);
	(void)profile_merge(all, b, NULL);
	(void)profile_merge(all, c, NULL);
	const struct profile_row *r = all->rows.v;
	assert_int_not_equal(r[0].leaf.v, r[1].leaf.v);
	assert_int_equal(r[0].leaf.v, r[2].leaf.v);
	string_id line = all->frames.v[r[1].leaf.v].srcline;
	assert_true(str_is(profile_str(all, line), "main.c:12"));
	assert_true(strtab_find(&all->strings, STR("main.c")).v);
	profile_free(a);
	profile_free(b);
	profile_free(c);
	profile_free(all);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_stay_apart_and_names_are_shared),
		cmocka_unit_test(a_line_that_moved_is_another_place),
		cmocka_unit_test(unlike_things_stay_unlike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
