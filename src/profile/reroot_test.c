#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/out.h"
#include "profile/reroot.h"

/* "root;...;leaf", each function once at an address of its own. */
static void add(struct profile *p, int32_t tid, const char *text, uint64_t count, bool cut)
{
	static const char *const comm = "x";
	struct str rest = str_of(text);
	struct profile_row row = {.event = profile_event(p, STR("e")),
				  .thread = profile_thread(p, 1, tid, str_of(comm), 1),
				  .cut = cut,
				  .count = count,
				  .weight = count};
	uint64_t addr = 0x1000;
	while (rest.p) {
		struct str name = str_split(rest, ';', &rest);
		func_id f = profile_func(p, name, (object_id){0}, (uint8_t)name.p[0], 1);
		/* Callers of one function return to different places in it. */
		row.leaf = profile_frame(p, f, (object_id){0}, addr++, CODE_USER, 0);
		row.stack = profile_stack(p, row.stack, row.leaf);
	}
	vec_push(&p->rows, row);
}

static void assert_stack(const struct profile *p, size_t row, const char *expected)
{
	struct out o;
	frame_id frames[64];
	size_t depth = profile_stack_depth(p, p->rows.v[row].stack);
	assert_true(depth <= ARRAY_LEN(frames));
	profile_stack_frames(p, p->rows.v[row].stack, frames, depth);
	out_memory(&o);
	for (size_t i = 0; i < depth; i++)
		out_fmt(&o, "%s%s", i ? ";" : "", profile_frame_name(p, frames[i]).p);
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
}

static void finds_its_root(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	add(p, 1, "s;m;f;g;f;g", 5, false);
	add(p, 1, "s;o;f;h", 50, false);
	add(p, 1, "f;g;f;g;f;l", 3, true); /* agrees with the first for longer */
	add(p, 1, "z;f;l", 2, true);       /* begins where nothing is known */
	add(p, 2, "f;g;l", 4, true);       /* another thread */
	add(p, 1, "s;m;x", 1, true);       /* begins at the root: nothing to gain */
	struct reroot_result r = profile_reroot(p);
	assert_int_equal(r.cut, 10);
	assert_int_equal(r.rerooted, 3);
	assert_stack(p, 2, "s;m;f;g;f;g;f;l");
	assert_false(p->rows.v[2].cut);
	assert_stack(p, 3, "z;f;l");
	assert_true(p->rows.v[3].cut);
	assert_stack(p, 4, "f;g;l");
	assert_stack(p, 5, "s;m;x");
	profile_free(p);
}

/* A tower of one function stands on the most common way into it. */
static void tower(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	add(p, 1, "s;a;f;f;f", 2, false);
	add(p, 1, "s;b;f;f;f", 9, false);
	add(p, 1, "f;f;f;f;f;f;f;f", 7, true);
	assert_int_equal(profile_reroot(p).rerooted, 7);
	assert_stack(p, 2, "s;b;f;f;f;f;f;f;f;f");
	profile_free(p);
}

static void nothing_cut(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	assert_int_equal(profile_reroot(p).cut, 0);
	add(p, 1, "s;a", 2, false);
	assert_int_equal(profile_reroot(p).cut, 0);
	profile_free(p);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_its_root),
		cmocka_unit_test(tower),
		cmocka_unit_test(nothing_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
