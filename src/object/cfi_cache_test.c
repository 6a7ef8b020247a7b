#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/cfi_block.h"
#include "object/test_cfi.h"

static const struct build_id some_id = {20, {1, 2, 3, 4, 5}};

static void make_table(struct cfi_table *table)
{
	struct test_cfi t = {0};
	out_memory(&t.o);
	cfi_cie(&t, &arch_x86_64, "", X86_START);
	cfi_fde(&t, false, 0x1000, 0x40, PROGRAM(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
	cfi_fde(&t, false, 0x4000, 0x40, PROGRAM(0x0f, 4, 0x76, 0, 0x23, 8));
	assert_true(test_cfi_build(&t, &arch_x86_64, table));
	(void)out_finish(&t.o);
}

static uint8_t *block_of(const struct cfi_table *t, const struct build_id *id)
{
	uint8_t *copy = mem_dup(t->block, t->block_size);
	cfi_block_header(t, id, copy);
	return copy;
}

static void round_trip(void **state)
{
	(void)state;
	struct cfi_table t, again;
	make_table(&t);
	uint8_t *block = block_of(&t, &some_id);
	assert_true(cfi_open_block(&again, block, t.block_size, &some_id));
	for (uint64_t a = 0xf00; a < 0x5000; a++) {
		const struct cfi_rule *x = cfi_find(&t, a), *y = cfi_find(&again, a);
		assert_int_equal(!x, !y);
		if (x)
			assert_memory_equal(x, y, sizeof *x);
	}
	struct str e = cfi_expression(&again, cfi_find(&again, 0x4000)->value);
	assert_true(str_eq(e, STR("\x76\0\x23\x08")));
	struct build_id other = some_id;
	other.bytes[0] = 9;
	assert_false(cfi_open_block(&again, block, t.block_size, &other));
	free(block);
	cfi_free(&t);
}

/* A changed byte is noticed; so is a missing or additional one. */
static void damaged(void **state)
{
	(void)state;
	struct cfi_table t, again;
	make_table(&t);
	uint8_t *block = block_of(&t, &some_id);
	for (size_t i = 0; i < t.block_size; i++) {
		block[i] ^= 0x41;
		assert_false(cfi_open_block(&again, block, t.block_size, &some_id));
		block[i] ^= 0x41;
	}
	for (size_t n = 0; n < t.block_size; n++)
		assert_false(cfi_open_block(&again, block, n, &some_id));
	free(block);
	cfi_free(&t);
}

/* A file made to deceive may have a right checksum: then look-ups must hold. */
static void hostile(void **state)
{
	(void)state;
	struct cfi_table t, again;
	make_table(&t);
	struct cfi_row *rows = (struct cfi_row *)t.rows;
	uint32_t *pages = (uint32_t *)t.pages;
	for (uint32_t i = 0; i < t.row_count; i++)
		rows[i] = (struct cfi_row){UINT32_MAX - i, UINT32_MAX};
	for (uint32_t i = 0; i <= t.page_count; i++)
		pages[i] = i % 2 ? UINT32_MAX : i;
	uint8_t *block = block_of(&t, &some_id);
	assert_true(cfi_open_block(&again, block, t.block_size, &some_id));
	for (uint64_t a = 0; a < 0x10000; a += 0x100)
		assert_null(cfi_find(&again, a));
	free(block);
	struct cfi_save *saves = (struct cfi_save *)t.saves;
	saves[0].reg = 200;
	block = block_of(&t, &some_id);
	assert_false(cfi_open_block(&again, block, t.block_size, &some_id));
	free(block);
	saves[0].reg = 1;
	((struct cfi_rule *)t.rules)[1].first_save = UINT32_MAX;
	block = block_of(&t, &some_id);
	assert_false(cfi_open_block(&again, block, t.block_size, &some_id));
	free(block);
	cfi_free(&t);
}

static void on_disk(void **state)
{
	(void)state;
	char top[] = "/tmp/kiln-cfi-XXXXXX", dir[64], path[160];
	struct cfi_table t, again;
	struct build_id none = {0}, id = some_id;
	assert_non_null(mkdtemp(top));
	snprintf(dir, sizeof dir, "%s/a/b", top);
	make_table(&t);
	assert_false(cfi_cache_load(&again, dir, &id));
	cfi_cache_store(&t, dir, &none, 1 << 20); /* without a build id: nothing */
	assert_int_equal(access(dir, F_OK), -1);
	/* Room for three; the oldest has to go. */
	for (uint8_t i = 1; i <= 4; i++) {
		id.bytes[0] = i;
		cfi_cache_store(&t, dir, &id, 3 * t.block_size);
		char hex[2 * BUILD_ID_MAX + 1];
		build_id_hex(&id, hex);
		snprintf(path, sizeof path, "%s/%s.cfi", dir, hex);
		struct timespec times[2] = {{.tv_sec = i}, {.tv_sec = i}};
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	for (uint8_t i = 1; i <= 4; i++) {
		id.bytes[0] = i;
		assert_int_equal(cfi_cache_load(&again, dir, &id), i > 1);
		if (i > 1)
			assert_memory_equal(cfi_find(&again, 0x1004), cfi_find(&t, 0x1004),
					    sizeof(struct cfi_rule));
		cfi_free(&again);
	}
	assert_int_equal(truncate(path, 100), 0);
	assert_false(cfi_cache_load(&again, dir, &id));
	/* A link is not followed. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_false(cfi_cache_load(&again, dir, &id));
	/* Where nothing can be written, nothing happens. */
	cfi_cache_store(&t, "/proc/self/nowhere", &id, 1 << 20);
	cfi_free(&t);
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", top);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(damaged),
		cmocka_unit_test(hostile),
		cmocka_unit_test(on_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
