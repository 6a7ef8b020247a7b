#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "object/cfi.h"
#include "object/test_cfi.h"

static bool read_memory(void *ctx, uint64_t addr, unsigned size, uint64_t *out)
{
	(void)ctx;
	if (addr >= 0x10000)
		return false;
	*out = (addr + 0x1111) & (size == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1);
	return true;
}

static const uint64_t regs[32] = {[6] = 0x600, [7] = 0x700, [16] = 0x401005};
static const struct cfi_eval env = {
	.regs = regs, .valid = 1 << 6 | 1 << 7 | 1 << 16, .bias = 0x100000, .read = read_memory};

static void good(void **state)
{
	(void)state;
	static const struct {
		struct str expr;
		uint64_t result;
	} cases[] = {
		{STR("\x30"), 0},
		{STR("\x4f"), 31},
		{STR("\x77\x08"), 0x708},
		{STR("\x76\x78"), 0x5f8},
		{STR("\x92\x07\x08"), 0x708},
		{STR("\x77\x00\x06"), 0x1811},
		{STR("\x77\x00\x94\x01"), 0x11},
		{STR("\x03\x10\x00\x00\x00\x00\x00\x00\x00"), 0x100010},
		{STR("\x08\xff"), 0xff},
		{STR("\x09\xff"), UINT64_MAX},
		{STR("\x0a\xff\xff"), 0xffff},
		{STR("\x0b\xff\xff"), UINT64_MAX},
		{STR("\x0c\xff\xff\xff\xff"), UINT32_MAX},
		{STR("\x0d\xff\xff\xff\xff"), UINT64_MAX},
		{STR("\x0e\1\2\3\4\5\6\7\x08"), 0x0807060504030201},
		{STR("\x10\x80\x01"), 128},
		{STR("\x11\x7f"), UINT64_MAX},
		{STR("\x35\x12\x22"), 10},
		{STR("\x35\x36\x13"), 5},
		{STR("\x35\x36\x14"), 5},
		{STR("\x35\x36\x37\x15\x02"), 5},
		{STR("\x35\x36\x16"), 5},
		{STR("\x35\x36\x37\x17\x13"), 5}, /* 5 6 7 -> 7 5 6 */
		{STR("\x09\xff\x19"), 1},
		{STR("\x3f\x35\x1a"), 5},
		{STR("\x3f\x34\x1b"), 3},
		{STR("\x3f\x34\x1c"), 11},
		{STR("\x3f\x34\x1d"), 3},
		{STR("\x3f\x34\x1e"), 60},
		{STR("\x31\x1f"), UINT64_MAX},
		{STR("\x30\x20"), UINT64_MAX},
		{STR("\x38\x31\x21"), 9},
		{STR("\x38\x23\x81\x01"), 137},
		{STR("\x31\x34\x24"), 16},
		{STR("\x31\x08\x40\x24"), 0},
		{STR("\x40\x32\x25"), 4},
		{STR("\x09\x80\x32\x26"), UINT64_MAX - 31},
		{STR("\x35\x33\x27"), 6},
		{STR("\x35\x35\x29"), 1},
		{STR("\x09\xff\x30\x2a"), 0},
		{STR("\x09\xff\x30\x2d"), 1},
		{STR("\x35\x34\x2b"), 1},
		{STR("\x35\x35\x2c"), 1},
		{STR("\x35\x35\x2e"), 0},
		{STR("\x35\x31\x28\x01\x00\x36\x96"), 5}, /* jumps over the 6 */
		{STR("\x35\x30\x28\x01\x00\x36"), 6},
		{STR("\x35\x2f\x01\x00\x36"), 5},
		/* .plt: pc & 15 is 5 */
		{STR("\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), 0x708},
		/* INT64_MIN / -1 */
		{STR("\x0e\0\0\0\0\0\0\0\x80\x09\xff\x1b"), (uint64_t)1 << 63},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t v = 0;
		if (!cfi_evaluate(&env, cases[i].expr, NULL, &v) || v != cases[i].result)
			fail_msg("case %zu gives %" PRIx64, i, v);
	}
	uint64_t cfa = 0x800, v;
	assert_true(cfi_evaluate(&env, STR("\x23\x08"), &cfa, &v));
	assert_int_equal(v, 0x808);
}

static void bad(void **state)
{
	(void)state;
	static const struct str cases[] = {
		STR(""),                         /* nothing */
		STR("\x13"),                     /* drop of nothing */
		STR("\x22"),                     /* plus of nothing */
		STR("\x31\x22"),                 /* … of one */
		STR("\x12"),                     /* dup of nothing */
		STR("\x31\x17"),                 /* rot of one */
		STR("\x31\x15\x01"),             /* pick too deep */
		STR("\x71\x00"),                 /* register that is not known */
		STR("\x92\xff\x7f\x00"),         /* no such register */
		STR("\x31\x30\x1b"),             /* by zero */
		STR("\x31\x30\x1d"),             /* by zero */
		STR("\x03\x01"),                 /* cut */
		STR("\x10\x80"),                 /* cut */
		STR("\x2f\xfd\xff"),             /* endless */
		STR("\x2f\x00\x01"),             /* out of it */
		STR("\x2f\xf0\xff"),             /* in front of it */
		STR("\x12\x2f\xfc\xff"),         /* too high (with a CFA to start from) */
		STR("\x0c\xff\xff\xff\xff\x06"), /* memory nobody has */
		STR("\x31\x94\x09"),             /* word of nine bytes */
		STR("\x31\x94\x00"),
		STR("\x50"), /* a register itself is no value here */
		STR("\x9c"), /* the CFA of a frame that is being found */
		STR("\xff"),
	};
	uint64_t v, cfa = 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool with_cfa = i == 16;
		if (cfi_evaluate(&env, cases[i], with_cfa ? &cfa : NULL, &v))
			fail_msg("case %zu gives %" PRIx64, i, v);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
