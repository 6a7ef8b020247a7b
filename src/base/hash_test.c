#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

static void equal_bytes_hash_equally_others_differently(void **state)
{
	(void)state;
	char a[40] = "the quick brown fox jumps over";
	char b[41];
	memcpy(b + 1, a, sizeof a); /* also at another alignment */
	for (size_t n = 0; n < sizeof a; n++)
		assert_int_equal(hash_bytes(a, n, 3), hash_bytes(b + 1, n, 3));
	assert_int_not_equal(hash_bytes(a, 10, 0), hash_bytes(a, 11, 0));
	assert_int_not_equal(hash_bytes(a, 10, 0), hash_bytes(a, 10, 1));
	assert_int_not_equal(hash_bytes("\0", 1, 0), hash_bytes("", 0, 0));
	assert_int_not_equal(hash_bytes("\0\0", 2, 0), hash_bytes("\0", 1, 0));
}

static void word_hashes_see_order_and_length(void **state)
{
	(void)state;
	uint64_t a[] = {1, 2, 3}, b[] = {2, 1, 3}, zeros[4] = {0};
	assert_int_not_equal(hash_words(a, 3, 0), hash_words(b, 3, 0));
	assert_int_not_equal(hash_words(a, 3, 0), hash_words(a, 2, 0));
	for (size_t n = 0; n < 4; n++)
		assert_int_not_equal(hash_words(zeros, n, 0), hash_words(zeros, n + 1, 0));
}

static void an_index_finds_what_was_put(void **state)
{
	(void)state;
	struct index ix = {0};
	enum { COUNT = 10000 };
	assert_false(index_next(&ix, &(struct index_probe){0}));
	for (uint32_t i = 1; i <= COUNT; i++)
		index_put(&ix, hash_mix(i, 7), i);
	assert_int_equal(ix.n, COUNT);
	for (uint32_t i = 1; i <= COUNT; i++) {
		bool found = false;
		struct index_probe p = index_probe(&ix, hash_mix(i, 7));
		while (!found && index_next(&ix, &p))
			found = p.value == i;
		assert_true(found);
	}
	struct index_probe p = index_probe(&ix, hash_mix(COUNT + 1, 7));
	while (index_next(&ix, &p))
		assert_in_range(p.value, 1, COUNT);
	index_free(&ix);
	assert_null(ix.slots);
}

/* All keys in one slot: still each is found, in the order put. */
static void an_index_lives_with_equal_hashes(void **state)
{
	(void)state;
	struct index ix = {0};
	for (uint32_t i = 1; i <= 50; i++)
		index_put(&ix, 0, i);
	struct index_probe p = index_probe(&ix, 0);
	uint64_t seen = 0;
	while (index_next(&ix, &p))
		seen |= (uint64_t)1 << p.value;
	assert_int_equal(seen, ((uint64_t)1 << 51) - 2);
	index_free(&ix);
}

static void a_u64map_takes_any_key(void **state)
{
	(void)state;
	struct u64map m = {0};
	assert_null(u64map_get(&m, 0));
	u64map_put(&m, 0, 10);
	u64map_put(&m, UINT64_MAX, 0);
	for (uint64_t i = 1; i < 5000; i++)
		u64map_put(&m, i << 32, (uint32_t)i);
	assert_int_equal(*u64map_get(&m, 0), 10);
	assert_int_equal(*u64map_get(&m, UINT64_MAX), 0);
	for (uint64_t i = 1; i < 5000; i++)
		assert_int_equal(*u64map_get(&m, i << 32), i);
	assert_null(u64map_get(&m, 1));
	assert_int_equal(m.n, 5001);
	u64map_put(&m, 0, 11);
	assert_int_equal(*u64map_get(&m, 0), 11);
	assert_int_equal(m.n, 5001);
	u64map_free(&m);
}

static void equal_text_has_one_id(void **state)
{
	(void)state;
	struct strtab t = {0};
	assert_int_equal(strtab_intern(&t, STR("")).v, 0);
	char text[16];
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 3000; i++) {
			int n = snprintf(text, sizeof text, "name%u", i);
			assert_int_equal(strtab_intern(&t, str_make(text, (size_t)n)).v, i);
		}
	assert_string_equal(strtab_get(&t, (string_id){3000}).p, "name3000");
	assert_int_equal(strtab_find(&t, STR("name17")).v, 17);
	assert_int_equal(strtab_find(&t, STR("name")).v, 0);
	assert_int_equal(strtab_get(&t, (string_id){999999}).n, 0);
	strtab_free(&t);
}

static void text_may_hold_nul_bytes(void **state)
{
	(void)state;
	struct strtab t = {0};
	string_id a = strtab_intern(&t, str_make("a\0b", 3));
	string_id b = strtab_intern(&t, str_make("a\0c", 3));
	assert_int_not_equal(a.v, b.v);
	assert_int_equal(strtab_get(&t, a).n, 3);
	strtab_free(&t);
}

static void a_vector_grows(void **state)
{
	(void)state;
	VEC(int) v = {0};
	for (int i = 0; i < 1000; i++)
		vec_push(&v, i);
	const int more[] = {1000, 1001};
	vec_append(&v, more, 2);
	vec_append(&v, more, 0);
	assert_int_equal(v.n, 1002);
	for (int i = 0; i < 1002; i++)
		assert_int_equal(v.v[i], i);
	assert_int_equal(vec_last(&v), 1001);
	vec_clear(&v);
	assert_int_equal(v.n, 0);
	vec_free(&v);
	assert_null(v.v);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_bytes_hash_equally_others_differently),
		cmocka_unit_test(word_hashes_see_order_and_length),
		cmocka_unit_test(an_index_finds_what_was_put),
		cmocka_unit_test(an_index_lives_with_equal_hashes),
		cmocka_unit_test(a_u64map_takes_any_key),
		cmocka_unit_test(equal_text_has_one_id),
		cmocka_unit_test(text_may_hold_nul_bytes),
		cmocka_unit_test(a_vector_grows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
