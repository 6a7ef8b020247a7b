#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"

static void pieces_are_aligned_and_do_not_overlap(void **state)
{
	(void)state;
	struct arena a = {0};
	enum { COUNT = 2000 };
	unsigned char *piece[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		size_t n = i % 97 + 1;
		piece[i] = arena_alloc(&a, n);
		assert_int_equal((uintptr_t)piece[i] % 8, 0);
		memset(piece[i], (int)(i & 255), n);
	}
	for (size_t i = 0; i < COUNT; i++)
		for (size_t k = 0; k < i % 97 + 1; k++)
			assert_int_equal(piece[i][k], i & 255);
	arena_free(&a);
}

static void a_large_piece_leaves_the_current_block_in_use(void **state)
{
	(void)state;
	struct arena a = {0};
	char *before = arena_alloc(&a, 8);
	char *large = arena_alloc(&a, 100000);
	memset(large, 1, 100000);
	char *after = arena_alloc(&a, 8);
	assert_ptr_equal(after, before + 8);
	assert_int_equal(a.total, 100016);
	arena_free(&a);
	assert_null(a.head);
	assert_int_equal(a.total, 0);
}

static void a_large_first_piece_works_too(void **state)
{
	(void)state;
	struct arena a = {0};
	memset(arena_alloc(&a, 1 << 21), 1, 1 << 21);
	memset(arena_alloc(&a, 8), 2, 8);
	arena_free(&a);
}

static void zalloc_clears(void **state)
{
	(void)state;
	struct arena a = {0};
	memset(arena_alloc(&a, 64), 0xff, 64);
	const char *p = arena_zalloc(&a, 512);
	for (size_t i = 0; i < 512; i++)
		assert_int_equal(p[i], 0);
	arena_free(&a);
}

static void texts_are_terminated_copies(void **state)
{
	(void)state;
	struct arena a = {0};
	char source[] = "abcdef";
	struct str s = arena_str(&a, str_make(source, 3));
	source[0] = 'x';
	assert_string_equal(s.p, "abc");
	assert_int_equal(s.n, 3);
	assert_string_equal(arena_str(&a, str_make(NULL, 0)).p, "");
	assert_string_equal(arena_strdup(&a, "dup"), "dup");
	arena_free(&a);
}

static void printf_takes_any_length(void **state)
{
	(void)state;
	struct arena a = {0};
	assert_string_equal(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	for (int n = 250; n < 260; n++) {
		const char *s = arena_printf(&a, "%*d", n, 5);
		assert_int_equal(strlen(s), n);
		assert_int_equal(s[n - 1], '5');
	}
	arena_free(&a);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_and_do_not_overlap),
		cmocka_unit_test(a_large_piece_leaves_the_current_block_in_use),
		cmocka_unit_test(a_large_first_piece_works_too),
		cmocka_unit_test(zalloc_clears),
		cmocka_unit_test(texts_are_terminated_copies),
		cmocka_unit_test(printf_takes_any_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
