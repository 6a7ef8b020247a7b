#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/test_jitdump.h"
#include "resolve/unwind_jit.h"

#define PID 10

static struct session *one_process(void)
{
	struct session *s = session_new();
	struct out o;
	int32_t ids[2] = {PID, PID};
	out_memory(&o);
	out_bytes(&o, ids, sizeof ids);
	out_bytes(&o, "java\0\0\0", 8);
	struct record r = {.type = PERF_RECORD_COMM,
			   .size = (uint16_t)(o.n + 8),
			   .body = (const uint8_t *)o.buf,
			   .body_size = o.n};
	session_apply(s, &r, &(struct sample_id){0}, NULL);
	(void)out_finish(&o);
	return s;
}

static const char *name_at(const struct jits *j, const struct session *s, uint64_t ip,
			   uint64_t time)
{
	uint32_t generation, process = session_who_at(s, PID, PID, time).process;
	object_id o = session_place_at(s, process, false, ip, time).object;
	const struct jit_table *t = jits_find(j, o, &generation);
	const struct jit_code *c = t ? jit_table_find(t, generation, ip) : NULL;
	return c ? c->name : "";
}

static void add_dump(struct jits *j, const struct jit_clock *clock, uint64_t flags, struct diags *d)
{
	struct dump_maker m;
	dump_begin(&m, false, flags);
	dump_load(&m, 1000, 0x1000, 0x10, 1, "first a.x:3");
	dump_load(&m, 2000, 0x1000, 0x10, 2, "second");
	assert_true(jits_add_dump(j, &(struct jit_source){.pid = PID, .path = STR("dump")}, clock,
				  out_text(&m.out), d, NULL));
}

static void clocks(void **state)
{
	(void)state;
	static const struct {
		struct jit_clock clock;
		uint64_t flags;
		uint64_t before, after; /* the second came */
	} cases[] = {
		{{.same = true}, 0, 1999, 2000},
		{{.monotonic = {500, 600}, .recording = {100500, 100600}}, 0, 101999, 102000},
		/* One clock runs a tenth faster. */
		{{.monotonic = {0, 10000000}, .recording = {5000, 11005000}}, 0, 7199, 7200},
		/* Nonsense: the offset alone is believed. */
		{{.monotonic = {0, 10000000}, .recording = {5000, 6000}}, 0, 6999, 7000},
		{{.tsc_shift = 1, .tsc_mult = 6, .tsc_zero = 7}, 1, 6006, 6007},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct session *s = one_process();
		struct jits *j = jits_new();
		struct diags d = {0};
		add_dump(j, &cases[i].clock, cases[i].flags, &d);
		jits_apply(j, s);
		session_seal(s);
		assert_string_equal(name_at(j, s, 0x1008, 1), "first a.x:3");
		assert_string_equal(name_at(j, s, 0x1008, cases[i].before), "first a.x:3");
		assert_string_equal(name_at(j, s, 0x1008, cases[i].after), "second");
		assert_string_equal(name_at(j, s, 0x1010, cases[i].after), "");
		assert_int_equal(d.of[DIAG_NOTE].count, 0);
		uint32_t line, column, process = session_who_at(s, PID, PID, 1).process;
		struct str file;
		struct jit_frames frames;
		uint64_t start, end;
		object_id o = session_place_at(s, process, false, 0x1008, 1).object;
		assert_true(jits_line(j, o, 0x1008, &file, &line, &column));
		assert_true(str_is(file, "a.x") && line == 3);
		assert_false(jits_line(j, o, 0x1010, &file, &line, &column));
		assert_false(jits_frames(j, o, 0x1008, &frames, &start, &end));
		assert_true(jits_know(j, PID));
		assert_false(jits_know(j, PID + 1));
		session_free(s);
		jits_free(j);
	}
}

/* Without a common clock the last word holds, and that is said. */
static void another_clock(void **state)
{
	(void)state;
	struct session *s = one_process();
	struct jits *j = jits_new();
	struct diags d = {0};
	add_dump(j, &(struct jit_clock){0}, 0, &d);
	jits_apply(j, s);
	session_seal(s);
	assert_string_equal(name_at(j, s, 0x1008, 1), "second");
	assert_int_equal(d.of[DIAG_NOTE].count, 1);
	session_free(s);
	jits_free(j);
}

static void maps_lie_below_dumps(void **state)
{
	(void)state;
	struct session *s = one_process();
	struct jits *j = jits_new();
	struct jit_source source = {.pid = PID, .path = STR("map")};
	add_dump(j, &(struct jit_clock){.same = true}, 0, NULL);
	struct jit_table *t = jits_begin_map(j, &source);
	jit_table_add_map(t, STR("1000 10 coarse\n2000 10 builtin\n"), 0, "map", NULL);
	jit_table_add_map(t, STR("1000 10 coarser\n"), 5000, "map", NULL);
	jits_apply(j, s);
	session_seal(s);
	assert_string_equal(name_at(j, s, 0x1008, 1999), "first a.x:3");
	assert_string_equal(name_at(j, s, 0x1008, 9000), "second");
	assert_string_equal(name_at(j, s, 0x2000, 1), "builtin");
	session_free(s);
	jits_free(j);
}

static void maps_grow(void **state)
{
	(void)state;
	struct session *s = one_process();
	struct jits *j = jits_new();
	struct jit_table *t = jits_begin_map(j,
					     &(struct jit_source){.pid = PID, .path = STR("map")});
	jit_table_add_map(t, STR("1000 10 a\n"), 0, "map", NULL);
	jit_table_add_map(t, STR("1000 10 b\n3000 10 c\n"), 50, "map", NULL);
	jits_apply(j, s);
	session_seal(s);
	assert_string_equal(name_at(j, s, 0x1000, 49), "a");
	assert_string_equal(name_at(j, s, 0x1000, 50), "b");
	assert_string_equal(name_at(j, s, 0x3000, 10), "c");
	session_free(s);
	jits_free(j);
}

/* What a runtime says of its frames, and what is known of Python's without a word. */
static void frames(void **state)
{
	(void)state;
	/* CIE: CFA is rsp+8; FDE of 16 bytes that lie 24 before the section: rsp+24 from byte 4 on
	 */
	static const char eh[] =
		"\x14\0\0\0\0\0\0\0\x01zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0"
		"\x14\0\0\0\x1c\0\0\0\xd0\xff\xff\xff\x10\0\0\0\0\x44\x0e\x18\0\0\0\0"
		"\0\0\0";
	struct session *s = one_process();
	struct jits *j = jits_new();
	struct dump_maker m;
	dump_begin(&m, false, 0);
	dump_record(&m, 4, 24 + sizeof eh, 1);
	dump_u64(&m, sizeof eh);
	dump_u64(&m, 0);
	dump_u64(&m, 0);
	out_bytes(&m.out, eh, sizeof eh);
	dump_load(&m, 2, 0x1000, 0x10, 1, "f");
	dump_load(&m, 2, 0x2000, 0x10, 2, "g");
	assert_true(jits_add_dump(j, &(struct jit_source){.pid = PID, .path = STR("dump")},
				  &(struct jit_clock){.same = true}, out_text(&m.out), NULL, NULL));
	struct jit_table *t = jits_begin_map(j,
					     &(struct jit_source){.pid = PID, .path = STR("map")});
	jit_table_add_map(t, STR("3000 b py::f:/a.py\n3010 c py::g:/a.py\n"), 0, "map", NULL);
	jits_apply(j, s);
	session_seal(s);
	struct unwind_jit u = {.jits = j, .arch = &arch_x86_64};
	uint32_t process = session_who_at(s, PID, PID, 5).process;
	const struct cfi_table *first, *again;
	object_id made = session_place_at(s, process, false, 0x1008, 5).object;
	assert_int_equal(unwind_jit_rule(&u, made, 0x1000, &first)->value, 8);
	assert_int_equal(unwind_jit_rule(&u, made, 0x1008, &again)->value, 24);
	assert_ptr_equal(first, again); /* compiled once */
	object_id other = session_place_at(s, process, false, 0x2000, 5).object;
	assert_null(unwind_jit_rule(&u, other, 0x2000, &again));
	object_id py = session_place_at(s, process, false, 0x3006, 5).object;
	assert_int_equal(unwind_jit_rule(&u, py, 0x3003, &again)->value, 8);
	assert_int_equal(unwind_jit_rule(&u, py, 0x3006, &again)->value, 16);
	assert_int_equal(unwind_jit_rule(&u, py, 0x300a, &again)->value, 8);
	assert_null(unwind_jit_rule(&u, py, 0x3012, &again)); /* of another size */
	unwind_jit_free(&u);
	u = (struct unwind_jit){.jits = NULL, .arch = &arch_x86_64};
	assert_null(unwind_jit_rule(&u, made, 0x1000, &again));
	session_free(s);
	jits_free(j);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks),
		cmocka_unit_test(another_clock),
		cmocka_unit_test(maps_lie_below_dumps),
		cmocka_unit_test(maps_grow),
		cmocka_unit_test(frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
