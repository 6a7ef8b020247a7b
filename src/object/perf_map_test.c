#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "object/object.h"

static void assert_at(const struct symtab *t, uint64_t addr, const char *name)
{
	const struct symbol *s = symtab_find(t, addr);
	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_string_equal(s->name, name);
}

static void lines(void **state)
{
	(void)state;
	struct symtab t;
	struct diags d = {0};
	symtab_parse_perf_map(&t,
			      STR("1000 20 LazyCompile:~f /a b.js:1\n"
				  "0x2000 0x10 with prefix\n"
				  "\n"
				  "3000 10\n"
				  "word\n"
				  "ffffffffffffffff 10 wraps\r\n"
				  "4000 8 x\r\n"),
			      "map", &d);
	assert_at(&t, 0x101f, "LazyCompile:~f /a b.js:1");
	assert_at(&t, 0x1020, NULL);
	assert_at(&t, 0x2000, "with prefix");
	assert_at(&t, 0x4000, "x");
	assert_int_equal(t.syms.n, 3);
	assert_int_equal(d.of[DIAG_BAD_MAP_FILE].count, 3);
	assert_true(strstr(d.of[DIAG_BAD_MAP_FILE].first, "map: line 4") != NULL);
	assert_false(t.mangled);
	symtab_free(&t);
}

/* Code that was compiled over older code. */
static void later_wins(void **state)
{
	(void)state;
	struct symtab t;
	symtab_parse_perf_map(&t,
			      STR("1000 1000 old\n"
				  "1800 100 inner\n"
				  "f00 180 before\n"
				  "1900 80 inner2\n"
				  "1800 100 newest\n"),
			      "map", NULL);
	assert_at(&t, 0xf00, "before");
	assert_at(&t, 0x1000, "before");
	assert_at(&t, 0x107f, "before");
	assert_at(&t, 0x1080, "old");
	assert_at(&t, 0x17ff, "old");
	assert_at(&t, 0x1800, "newest");
	assert_at(&t, 0x18ff, "newest");
	assert_at(&t, 0x1900, "inner2");
	assert_at(&t, 0x1980, "old");
	assert_at(&t, 0x1fff, "old");
	assert_at(&t, 0x2000, NULL);
	/* The offset counts from the symbol's own start. */
	assert_int_equal(symtab_find(&t, 0x1990)->start, 0x1000);
	symtab_free(&t);
}

/* Against the plain rule, with ranges thrown at random. */
static void any_overlap(void **state)
{
	(void)state;
	enum { LINES = 40, SPACE = 200 };
	uint64_t seed = 1;
	for (int round = 0; round < 200; round++) {
		struct out o;
		const char *expected[SPACE] = {0};
		char names[LINES][8];
		out_memory(&o);
		for (int i = 0; i < LINES; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			unsigned start = (unsigned)(seed >> 40) % SPACE;
			unsigned size = 1 + (unsigned)(seed >> 20) % 60;
			snprintf(names[i], sizeof names[i], "s%d", i);
			out_fmt(&o, "%x %x %s\n", start, size, names[i]);
			for (unsigned a = start; a < SPACE && a < start + size; a++)
				expected[a] = names[i];
		}
		struct symtab t;
		symtab_parse_perf_map(&t, out_text(&o), "map", NULL);
		for (unsigned a = 0; a < SPACE; a++)
			assert_at(&t, a, expected[a]);
		symtab_free(&t);
		(void)out_finish(&o);
	}
}

static void not_a_file(void **state)
{
	(void)state;
	char path[] = "/tmp/kiln-map-XXXXXX";
	assert_non_null(mkdtemp(path));
	struct symtab t;
	struct err err = {0};
	assert_false(symtab_load_perf_map(&t, path, NULL, &err));
	assert_true(strstr(err.text, "not a regular file") != NULL);
	/* A FIFO without a writer would wait for ever. */
	char fifo[64];
	snprintf(fifo, sizeof fifo, "%s/f", path);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_false(symtab_load_perf_map(&t, fifo, NULL, &err));
	unlink(fifo);
	rmdir(path);
	assert_false(symtab_load_perf_map(&t, path, NULL, &err));
	assert_int_equal(err.code, ERR_SYSTEM);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(later_wins),
		cmocka_unit_test(any_overlap),
		cmocka_unit_test(not_a_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
