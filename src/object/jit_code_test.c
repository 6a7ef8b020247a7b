#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/out.h"
#include "object/jit_code.h"

static void map_lines(void **state)
{
	(void)state;
	struct jit_table t = {0};
	struct diags d = {0};
	jit_table_add_map(&t, STR("1000 10 a\nbad\n2000 10 b\x1b[31m\n"), 5, "map", &d);
	jit_table_add_map(&t, STR("1008 10 c\n3000 0 empty\n"), 9, "map", &d);
	jit_table_seal(&t);
	assert_int_equal(t.codes.n, 3);
	assert_int_equal(t.generations, 2);
	assert_int_equal(d.of[DIAG_BAD_MAP_FILE].count, 1);
	assert_string_equal(jit_table_find(&t, 0, 0x100c)->name, "a");
	assert_string_equal(jit_table_find(&t, 1, 0x100c)->name, "c");
	assert_int_equal(jit_table_find(&t, 1, 0x100c)->time, 9);
	assert_null(jit_table_find(&t, 1, 0x1000));
	assert_null(jit_table_find(&t, 2, 0x100c));
	/* Nothing that could order a terminal about. */
	assert_string_equal(jit_table_find(&t, 0, 0x2000)->name, "b?[31m");
	jit_table_free(&t);
}

/* Codes of one generation do not overlap, and each has one more than the highest below it. */
static void generations(void **state)
{
	(void)state;
	enum { LINES = 60, SPACE = 100 };
	uint64_t seed = 7;
	for (int round = 0; round < 100; round++) {
		struct jit_table t = {0};
		uint32_t naive[SPACE] = {0}, expected[LINES];
		for (int i = 0; i < LINES; i++) {
			char line[64];
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			unsigned start = (unsigned)(seed >> 40) % SPACE;
			unsigned size = 1 + (unsigned)(seed >> 20) % 30;
			size = MIN(size, SPACE - start);
			snprintf(line, sizeof line, "%x %x f%d\n", start, size, i);
			jit_table_add_map(&t, str_of(line), 0, "map", NULL);
			expected[i] = 0;
			for (unsigned a = start; a < start + size; a++)
				expected[i] = MAX(expected[i], naive[a]);
			for (unsigned a = start; a < start + size; a++)
				naive[a] = expected[i] + 1;
		}
		jit_table_seal(&t);
		for (int i = 0; i < LINES; i++)
			assert_int_equal(t.codes.v[i].generation, expected[i]);
		for (uint32_t g = 0; g < t.generations; g++) {
			struct symtab s;
			jit_table_symbols(&t, g, &s);
			assert_true(s.syms.n > 0);
			for (size_t i = 1; i < s.syms.n; i++)
				assert_true(s.syms.v[i - 1].end <= s.syms.v[i].start);
			for (size_t i = 0; i < s.syms.n; i++)
				assert_string_equal(jit_table_find(&t, g, s.syms.v[i].start)->name,
						    s.syms.v[i].name);
			symtab_free(&s);
		}
		jit_table_free(&t);
	}
}

static void empty(void **state)
{
	(void)state;
	struct jit_table t = {0};
	struct symtab s;
	jit_table_seal(&t);
	assert_int_equal(t.generations, 0);
	assert_null(jit_table_find(&t, 0, 0));
	jit_table_symbols(&t, 0, &s);
	assert_int_equal(s.syms.n, 0);
	jit_table_free(&t);
}

/* V8 puts the place into the name. */
static void lines_of_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *file;
		uint32_t line, column;
	} cases[] = {
		{"JS:*inner /srv/app.js:12:7", "/srv/app.js", 12, 7},
		{"Function:~ node:internal/main:1:1", "node:internal/main", 1, 1},
		{"f a.py:3", "a.py", 3, 0},
		{"f a.py:0", NULL, 0, 0},
		{"f", NULL, 0, 0},
		{"f:3", NULL, 0, 0},
		{"", NULL, 0, 0},
		{":1", NULL, 0, 0},
		{"f x:99999999999:1", NULL, 0, 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct jit_table t = {0};
		struct jit_code c = {.addr = 1, .end = 2, .name = cases[i].name};
		struct str file;
		uint32_t line, column;
		bool found = jit_code_line(&t, &c, 1, &file, &line, &column);
		if (i == ARRAY_LEN(cases) - 1)
			continue; /* whatever it makes of it, within bounds */
		assert_int_equal(found, cases[i].file != NULL);
		if (!found)
			continue;
		assert_true(str_is(file, cases[i].file));
		assert_int_equal(line, cases[i].line);
		assert_int_equal(column, cases[i].column);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_lines),
		cmocka_unit_test(generations),
		cmocka_unit_test(empty),
		cmocka_unit_test(lines_of_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
