/* Inline chains of one small program, described in every version, size and byte order. */
#include "object/test_dwarf_program.h"

static void assert_frame(const struct dwarf_frame *f, const char *function, const char *path,
			 uint32_t line, uint32_t column)
{
	struct arena a = {0};
	assert_text(f->function, function);
	assert_non_null(f->file);
	assert_text(dwarf_file_path(f->file, &a), path);
	assert_int_equal(f->line, line);
	assert_int_equal(f->column, column);
	arena_free(&a);
}

static void check_program(const struct dwarf_sections *s)
{
	struct dwarf *d = dwarf_new(s, NULL, NULL);
	struct dwarf_frame f[8];
	assert_int_equal(dwarf_frames_at(d, 0x0fff, f, 8), 0);
	assert_int_equal(dwarf_frames_at(d, 0x1000, f, 8), 1);
	assert_frame(&f[0], "main", "/dir/a.c", 20, 1);
	assert_int_equal(f[0].entry, 0x1000);
	assert_false(f[0].inlined);
	assert_false(f[0].linkage);

	assert_int_equal(dwarf_frames_at(d, 0x101f, f, 8), 3);
	assert_frame(&f[0], "_Z4leafv", "/dir/inc/b.h", 7, 5);
	assert_frame(&f[1], "mid", "/dir/inc/b.h", 11, 6);
	assert_frame(&f[2], "main", "/dir/a.c", 22, 3);
	assert_int_equal(f[0].decl_line, 7);
	assert_int_equal(f[0].entry, 0x1018);
	assert_int_equal(f[1].entry, 0x1010);
	assert_int_equal(f[2].discriminator, 4);
	assert_true(f[0].inlined && f[0].linkage && f[1].inlined && !f[2].inlined);
	assert_int_equal(dwarf_frames_at(d, 0x101f, f, 2), 2);
	assert_frame(&f[1], "mid", "/dir/inc/b.h", 11, 6);

	assert_int_equal(dwarf_frames_at(d, 0x1020, f, 8), 1); /* the hole in mid */
	assert_frame(&f[0], "main", "/dir/a.c", 21, 9);
	assert_int_equal(dwarf_frames_at(d, 0x1028, f, 8), 2);
	assert_int_equal(dwarf_frames_at(d, 0x1085, f, 8), 1);
	assert_frame(&f[0], "inner", "/dir/a.c", 21, 9);
	assert_int_equal(dwarf_frames_at(d, 0x10a0, f, 8), 1);
	assert_frame(&f[0], "_Z4lastv", "/dir/a.c", 21, 9);
	assert_true(f[0].linkage);
	assert_int_equal(dwarf_frames_at(d, 0x10f0, f, 8), 0); /* neither function nor line */
	dwarf_free(d);
}

static void every_shape(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		struct shape sh = {.version = (uint8_t)(2 + i % 4),
				   .offset_size = i & 4 ? 8 : 4,
				   .address_size = i & 8 ? 4 : 8,
				   .swap = i & 16};
		struct program p;
		program_make(&p, sh);
		check_program(&p.s);
		program_free(&p);
	}
}

/* All addresses at once, on several threads, in any order, some twice. */
static void batches(void **state)
{
	(void)state;
	struct program p;
	program_make(&p, (struct shape){.version = 5, .offset_size = 4, .address_size = 8});
	struct dwarf *d = dwarf_new(&p.s, NULL, NULL), *one = dwarf_new(&p.s, NULL, NULL);
	struct pool *pool = pool_new(3);
	uint64_t addrs[600];
	for (size_t i = 0; i < ARRAY_LEN(addrs); i++)
		addrs[i] = 0xff0 + i * 7919 % 300;
	for (int with_pool = 0; with_pool < 2; with_pool++) {
		struct dwarf_results r;
		dwarf_lookup(d, addrs, ARRAY_LEN(addrs), with_pool ? pool : NULL, &r);
		for (size_t i = 0; i < ARRAY_LEN(addrs); i++) {
			struct dwarf_frame f[8];
			assert_int_equal(dwarf_frames_at(one, addrs[i], f, 8), r.at[i].n);
			for (size_t k = 0; k < r.at[i].n; k++) {
				assert_true(str_eq(f[k].function, r.at[i].v[k].function));
				assert_int_equal(f[k].line, r.at[i].v[k].line);
			}
		}
		dwarf_results_free(&r);
	}
	struct dwarf_results none;
	dwarf_lookup(d, NULL, 0, pool, &none);
	dwarf_results_free(&none);
	pool_free(pool);
	dwarf_free(d);
	dwarf_free(one);
	program_free(&p);
}

/* Every section cut at every length, and every byte changed: any answer but no bad read. */
static void damaged(void **state)
{
	(void)state;
	for (uint8_t version = 2; version <= 5; version++) {
		struct program p;
		program_make(&p, (struct shape){version, 4, 8, false});
		struct bytes *all[] = {&p.info, &p.abbrev, &p.line, &p.ranges, &p.rnglists};
		struct str *slots[] = {&p.s.info, &p.s.abbrev, &p.s.line, &p.s.ranges,
				       &p.s.rnglists};
		const uint64_t addrs[] = {0x1000, 0x101f, 0x1085, 0x10a0};
		for (size_t i = 0; i < ARRAY_LEN(all); i++) {
			size_t n = all[i]->b.n;
			for (size_t k = 0; k < 2 * n; k++) {
				uint8_t old = all[i]->b.v[k % n];
				slots[i]->n = k < n ? k : n;
				if (k >= n)
					all[i]->b.v[k - n] ^= (uint8_t)(1 + k * 37);
				struct dwarf *d = dwarf_new(&p.s, NULL, NULL);
				struct dwarf_results r;
				dwarf_lookup(d, addrs, ARRAY_LEN(addrs), NULL, &r);
				for (size_t j = 0; j < ARRAY_LEN(addrs); j++)
					assert_true(r.at[j].n <= 3);
				dwarf_results_free(&r);
				dwarf_free(d);
				all[i]->b.v[k % n] = old;
			}
			slots[i]->n = n;
		}
		check_program(&p.s);
		program_free(&p);
	}
}

static void small_tools(void **state)
{
	(void)state;
	struct dwarf_sections s = {0};
	assert_ptr_equal(dwarf_section_slot(&s, STR(".debug_info")), &s.info);
	assert_ptr_equal(dwarf_section_slot(&s, STR(".debug_info.dwo")), &s.info);
	assert_ptr_equal(dwarf_section_slot(&s, STR(".zdebug_line")), &s.line);
	assert_ptr_equal(dwarf_section_slot(&s, STR(".debug_line_str")), &s.line_str);
	assert_null(dwarf_section_slot(&s, STR(".debug_loc")));
	assert_null(dwarf_section_slot(&s, STR("info")));
	static const struct {
		struct dwarf_file f;
		const char *path;
	} files[] = {
		{{STR("/c"), STR("d"), STR("f")}, "/c/d/f"},
		{{STR("/c"), STR("/d"), STR("f")}, "/d/f"},
		{{STR("/c/"), STR(""), STR("f")}, "/c/f"},
		{{STR("/c"), STR("d"), STR("/f")}, "/f"},
		{{STR(""), STR("d"), STR("f")}, "d/f"},
		{{STR(""), STR(""), STR("f")}, "f"},
		{{STR(""), STR(""), STR("")}, ""},
	};
	struct arena a = {0};
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		assert_text(dwarf_file_path(&files[i].f, &a), files[i].path);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape),
		cmocka_unit_test(batches),
		cmocka_unit_test(damaged),
		cmocka_unit_test(small_tools),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
