#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "object/jit_code.h"
#include "object/test_jitdump.h"

static const struct jit_code *code_at(const struct jit_table *t, uint32_t generation, uint64_t addr,
				      const char *name)
{
	const struct jit_code *c = jit_table_find(t, generation, addr);
	assert_non_null(c);
	assert_string_equal(c->name, name);
	return c;
}

static void make_whole(struct dump_maker *m, bool swap)
{
	dump_begin(m, swap, 0);
	/* lines, then frames, then their code */
	dump_record(m, 2, 16 + 16 + 5 + 16 + 2 + 16 + 5, 10);
	dump_u64(m, 0x1000);
	dump_u64(m, 3);
	dump_line(m, 0x1000, 7, 1, "a.js", 5);
	dump_line(m, 0x1008, 8, 2, "\xff", 2);
	dump_line(m, 0x100c, 0, 0, "b.js", 5); /* no line: not one */
	dump_record(m, 4, 24 + 12 + 8, 10);
	dump_u64(m, 20);
	dump_u64(m, 8);
	dump_u64(m, 0);
	out_bytes(&m->out, "\x08\0\0\0EHFRAME!\x01HEADER!", 20);
	dump_load(m, 11, 0x1000, 0x13, 1, "f");
	dump_load(m, 12, 0x2000, 0x10, 2, "g");
	dump_record(m, 77, 8, 13); /* of a newer kind */
	dump_u64(m, 0);
	dump_move(m, 14, 0x2000, 0x1000, 0x10, 2);
	dump_record(m, 3, 0, 15);
}

static void whole(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct dump_maker m;
		struct jit_table t = {0};
		struct diags d = {0};
		struct err err = {0};
		struct str file;
		uint32_t line, column;
		struct jit_frames frames;
		make_whole(&m, swap);
		assert_true(jit_table_read_dump(&t, m.out.buf, m.out.n, "dump", &d, &err));
		jit_table_seal(&t);
		assert_int_equal(t.pid, 1234);
		assert_int_equal(t.machine, 62);
		assert_int_equal(d.of[DIAG_BAD_MAP_FILE].count, 0);
		assert_int_equal(t.codes.n, 3);
		const struct jit_code *f = code_at(&t, 0, 0x1012, "f");
		assert_int_equal(f->time, 11);
		const struct jit_code *g = code_at(&t, 1, 0x1000, "g");
		assert_int_equal(g->time, 14);
		assert_int_equal(t.loads.v[g->load - 1].addr, 0x2000);
		assert_int_equal(t.loads.v[g->load - 1].bytes[3], 3);

		assert_true(jit_code_line(&t, f, 0x1007, &file, &line, &column));
		assert_true(str_is(file, "a.js") && line == 7 && column == 1);
		assert_true(jit_code_line(&t, f, 0x1012, &file, &line, &column));
		assert_true(str_is(file, "a.js") && line == 8 && column == 2);
		assert_false(jit_code_line(&t, g, 0x1000, &file, &line, &column));

		assert_true(jit_code_frames(&t, f, &frames));
		assert_int_equal(frames.size, 12);
		assert_memory_equal(frames.eh_frame, "\x08\0\0\0EHFRAME!", 12);
		assert_int_equal(frames.at, 0x1018);
		assert_false(jit_code_frames(&t, g, &frames));
		jit_table_free(&t);
		(void)out_finish(&m.out);
	}
}

/* Still being written: what is whole counts, at whatever byte it ends. */
static void cut(void **state)
{
	(void)state;
	struct dump_maker m;
	size_t last = 0;
	make_whole(&m, false);
	for (size_t n = 0; n <= m.out.n; n++) {
		char *copy = n ? mem_dup(m.out.buf, n) : NULL;
		struct jit_table t = {0};
		struct err err = {0};
		struct diags d = {0};
		bool ok = jit_table_read_dump(&t, copy, n, "dump", &d, &err);
		assert_int_equal(ok, n >= 40);
		assert_int_equal(d.of[DIAG_BAD_MAP_FILE].count, 0);
		jit_table_seal(&t);
		assert_true(t.codes.n >= last);
		last = t.codes.n;
		jit_table_free(&t);
		free(copy);
	}
	assert_int_equal(last, 3);
	(void)out_finish(&m.out);
}

/* V8: addresses are too high by a constant, and file names may have garbage and NULs in front. */
static void garbled_lines(void **state)
{
	(void)state;
	struct dump_maker m;
	struct jit_table t = {0};
	struct str file;
	uint32_t line, column;
	dump_begin(&m, false, 0);
	dump_record(&m, 2, 16 + 3 * (16 + 14), 1);
	dump_u64(&m, 0x1000);
	dump_u64(&m, 3);
	dump_line(&m, 0x1040, 5, 1, "\x10\0\0\0/app/x.js\0", 14);
	dump_line(&m, 0x1044, 6, 2, "\x10\0\0\0/app/x.js\0", 14);
	dump_line(&m, 0x1048, 7, 3, "\x10\0\0\0/app/x.js\0", 14);
	dump_load(&m, 2, 0x1000, 0x10, 1, "JS:*f /srv/app/x.js:5:3");
	assert_true(jit_table_read_dump(&t, m.out.buf, m.out.n, "dump", NULL, NULL));
	jit_table_seal(&t);
	assert_int_equal(t.lines.n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(
			jit_code_line(&t, &t.codes.v[0], 0x1000 + 4 * i, &file, &line, &column));
		assert_true(str_is(file, "/srv/app/x.js") && line == 5 + i && column == 1 + i);
	}
	jit_table_free(&t);
	(void)out_finish(&m.out);
}

/* Lines that lie nowhere near the code. */
static void foreign_lines(void **state)
{
	(void)state;
	struct dump_maker m;
	struct jit_table t = {0};
	dump_begin(&m, false, 0);
	dump_record(&m, 2, 16 + 2 * (16 + 4), 1);
	dump_u64(&m, 0x1000);
	dump_u64(&m, UINT64_MAX);
	dump_line(&m, 0x1000, 1, 1, "a.x", 4);
	dump_line(&m, 0x9000, 2, 1, "a.x", 4);
	dump_load(&m, 2, 0x1000, 0x10, 1, "f");
	assert_true(jit_table_read_dump(&t, m.out.buf, m.out.n, "dump", NULL, NULL));
	jit_table_seal(&t);
	assert_int_equal(t.lines.n, 0); /* not even the first is known to be whole */
	jit_table_free(&t);
	(void)out_finish(&m.out);
}

static void damaged(void **state)
{
	(void)state;
	struct dump_maker m;
	struct jit_table t = {0};
	struct diags d = {0};
	dump_begin(&m, false, 1);
	dump_move(&m, 1, 0, 0x1000, 0x10, 9); /* of nothing */
	size_t at = m.out.n;
	dump_load(&m, 2, 0x1000, 8, 1, "f");
	memset(m.out.buf + at + 16 + 24, 0xff, 8); /* its size */
	dump_load(&m, 3, 0x2000, 8, 2, "g");
	dump_load(&m, 4, UINT64_MAX - 3, 8, 3, "goes round");
	dump_record(&m, 5, 0, 0);
	m.out.buf[m.out.n - 12] = 3; /* smaller than its own head */
	assert_true(jit_table_read_dump(&t, m.out.buf, m.out.n, "dump", &d, NULL));
	jit_table_seal(&t);
	assert_int_equal(t.codes.n, 1);
	assert_true(t.tsc_time);
	assert_int_equal(d.of[DIAG_BAD_MAP_FILE].count, 3);
	code_at(&t, 0, 0x2000, "g");
	jit_table_free(&t);
	(void)out_finish(&m.out);

	struct err err = {0};
	assert_false(jit_table_read_dump(&t, "not a dump, though it is quite long enough for one",
					 50, "dump", &d, &err));
	assert_true(strstr(err.text, "not a jitdump") != NULL);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),         cmocka_unit_test(cut),
		cmocka_unit_test(garbled_lines), cmocka_unit_test(foreign_lines),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
