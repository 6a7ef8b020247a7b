/* Painted ranges against the plain definition: the highest number that covers an address. */
#include "object/dwarf_spans.h"
#include "object/test_dwarf.h"

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static void painting(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 2000; round++) {
		struct dwarf_spans s = {0};
		uint32_t expected[64] = {0}; /* id + 1 */
		uint32_t n = next(&seed) % 20;
		for (uint32_t i = 0; i < n; i++) {
			uint64_t low = next(&seed) % 63, high = low + 1 + next(&seed) % (63 - low);
			vec_push(&s.list, (struct dwarf_span){low, high, i});
			for (uint64_t a = low; a < high; a++)
				expected[a] = i + 1;
		}
		dwarf_spans_paint(&s);
		for (uint64_t a = 0; a < 64; a++) {
			const struct dwarf_span *hit = dwarf_spans_find(&s, a);
			assert_int_equal(hit ? hit->id + 1 : 0, expected[a]);
		}
		for (size_t i = 1; i < s.list.n; i++)
			assert_true(s.list.v[i - 1].high <= s.list.v[i].low);
		vec_free(&s.list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(painting)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
