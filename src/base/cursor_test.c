#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cursor.h"

static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void numbers_in_both_byte_orders(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, sizeof bytes, false);
	struct cursor s = cursor_of(bytes, sizeof bytes, true);
	uint8_t a8 = cursor_u8(&c), b8 = cursor_u8(&s);
	assert_int_equal(a8, 1);
	assert_int_equal(b8, 1);
	assert_int_equal(cursor_u16(&c), swap16(cursor_u16(&s)));
	assert_int_equal(cursor_u32(&c), swap32(cursor_u32(&s)));
	assert_int_equal(cursor_u64(&c), swap64(cursor_u64(&s)));
	assert_int_equal(cursor_left(&c), 1);
	assert_false(c.bad || s.bad);
}

static void reading_past_the_end_yields_zero_and_stays_bad(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, 7, false);
	assert_int_equal(cursor_u64(&c), 0);
	assert_true(c.bad);
	assert_int_equal(cursor_left(&c), 0);
	assert_int_equal(cursor_u8(&c), 0);
	assert_true(c.bad);
}

static void a_huge_length_is_too_long(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, sizeof bytes, false);
	assert_null(cursor_bytes(&c, SIZE_MAX));
	assert_true(c.bad);
	c = cursor_of(bytes, sizeof bytes, false);
	cursor_skip(&c, (size_t)1 << 60);
	assert_true(c.bad);
}

static void sub_cursors_keep_to_their_part(void **state)
{
	(void)state;
	struct cursor c = cursor_of(bytes, sizeof bytes, true);
	struct cursor s = cursor_sub(&c, 4);
	assert_true(s.swap);
	assert_int_equal(cursor_left(&s), 4);
	assert_int_equal(cursor_u64(&s), 0);
	assert_true(s.bad);
	assert_false(c.bad);
	assert_int_equal(cursor_u8(&c), 5);
	s = cursor_sub(&c, 100);
	assert_true(s.bad && c.bad);
	assert_int_equal(cursor_left(&s), 0);
}

static void text_ends_at_its_nul_or_its_room(void **state)
{
	(void)state;
	struct cursor c = cursor_of("ab\0\0cdef", 8, false);
	assert_true(str_is(cursor_text(&c, 4), "ab"));
	assert_true(str_is(cursor_text(&c, 4), "cdef"));
	assert_int_equal(cursor_left(&c), 0);
	assert_true(str_is(cursor_text(&c, 1), ""));
	assert_true(c.bad);
}

static void cstr_wants_its_nul(void **state)
{
	(void)state;
	struct cursor c = cursor_of("ab\0cd", 5, false);
	assert_true(str_is(cursor_cstr(&c), "ab"));
	assert_false(c.bad);
	assert_true(str_is(cursor_cstr(&c), ""));
	assert_true(c.bad);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_in_both_byte_orders),
		cmocka_unit_test(reading_past_the_end_yields_zero_and_stays_bad),
		cmocka_unit_test(a_huge_length_is_too_long),
		cmocka_unit_test(sub_cursors_keep_to_their_part),
		cmocka_unit_test(text_ends_at_its_nul_or_its_room),
		cmocka_unit_test(cstr_wants_its_nul),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
