/* Which file symbols are taken from: trees of small ELF files, and this program itself. */
#include <ftw.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#if KILN_HAVE_LZMA
#include <lzma.h>
#endif

#include "base/file.h"
#include "object/elf_file.h"
#include "object/object.h"
#include "object/test_elf.h"

static const struct build_id id_one = {20, {0xab, 0xcd, 1, 2, 3}};
static const struct build_id id_two = {20, {0x12, 0x34, 9, 9, 9}};
#define HEX_ONE "ab/cd010203000000000000000000000000000000"

struct tree {
	char root[64];
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof *t);
	snprintf(t->root, sizeof t->root, "/tmp/kiln-object-XXXXXX");
	*state = t;
	return mkdtemp(t->root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	struct tree *t = *state;
	int failed = nftw(t->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(t);
	return failed;
}

static void put_elf(const struct tree *t, const char *path, const struct test_elf *e)
{
	char full[256];
	snprintf(full, sizeof full, "%s%s", t->root, path);
	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(full, 0700);
		*slash = '/';
	}
	struct out o;
	test_elf_write(e, &o);
	FILE *f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(o.buf, 1, o.n, f), o.n);
	assert_int_equal(fclose(f), 0);
	(void)out_finish(&o);
}

/* A file of one function, at ROOT/PATH. `dynamic`: in .dynsym, not in .symtab. */
static void put_file(const struct tree *t, const char *path, const char *function, bool dynamic,
		     const struct build_id *id, const char *debuglink)
{
	struct test_symbol sym = {function, 0x100, 0x10, STB_GLOBAL, STT_FUNC};
	struct test_elf e = {.debuglink = debuglink};
	if (id)
		e.id = *id;
	if (dynamic) {
		e.dynsyms = &sym;
		e.dynsym_count = 1;
	} else {
		e.syms = &sym;
		e.sym_count = 1;
	}
	put_elf(t, path, &e);
}

/* The function that /usr/bin/tool's address 0x105 belongs to, recorded with id_one. */
static void assert_from(const struct tree *tree, const char *expected)
{
	char cache[80];
	snprintf(cache, sizeof cache, "%s/cache", tree->root);
	struct object_source src = {.path = "/usr/bin/tool",
				    .build_id = id_one,
				    .symfs = tree->root,
				    .build_id_dir = cache};
	struct symtab t;
	struct err err = {0};
	struct diags d = {0};
	if (!symtab_load_elf(&t, &src, &d, &err))
		fail_msg("%s", err.text);
	const struct symbol *s = symtab_find(&t, 0x105);
	assert_non_null(s);
	assert_string_equal(s->name, expected);
	assert_int_equal(d.of[DIAG_CHANGED_OBJECT].count, 0);
	symtab_free(&t);
}

/* From the last resort to the first choice, each beating the ones before. */
static void order_of_places(void **state)
{
	const struct tree *t = *state;
	put_file(t, "/usr/bin/tool", "own_dynamic", true, &id_one, "link.debug");
	assert_from(t, "own_dynamic");
	put_file(t, "/usr/bin/.debug/tool", "beside", false, &id_one, NULL);
	assert_from(t, "beside");
	put_file(t, "/usr/bin/tool", "own", false, &id_one, "link.debug");
	assert_from(t, "own");
	put_file(t, "/usr/lib/debug/.build-id/" HEX_ONE ".debug", "by_id", false, &id_one, NULL);
	assert_from(t, "by_id");
	put_file(t, "/usr/lib/debug/usr/bin/tool", "ubuntu", false, &id_one, NULL);
	assert_from(t, "ubuntu");
	put_file(t, "/usr/lib/debug/usr/bin/tool.debug", "fedora", false, &id_one, NULL);
	assert_from(t, "fedora");
	put_file(t, "/cache/.build-id/" HEX_ONE "/debug", "cache_debug", false, &id_one, NULL);
	assert_from(t, "cache_debug");
	put_file(t, "/cache/.build-id/" HEX_ONE "/elf", "cache_elf", false, &id_one, NULL);
	assert_from(t, "cache_elf");
	put_file(t, "/usr/bin/.debug/link.debug", "linked", false, &id_one, NULL);
	assert_from(t, "linked");
	put_file(t, "/usr/bin/link.debug", "linked_beside", false, &id_one, NULL);
	assert_from(t, "linked_beside");
}

/* A debug file of another build is no debug file. */
static void wrong_build_ids(void **state)
{
	const struct tree *t = *state;
	put_file(t, "/usr/bin/tool", "own", false, &id_one, "link.debug");
	put_file(t, "/usr/bin/link.debug", "wrong", false, &id_two, NULL);
	put_file(t, "/usr/lib/debug/usr/bin/tool", "none", false, NULL, NULL);
	assert_from(t, "own");
	/* The file itself was replaced, but its debug file is still there. */
	put_file(t, "/usr/bin/tool", "new", false, &id_two, NULL);
	put_file(t, "/usr/lib/debug/.build-id/" HEX_ONE ".debug", "old", false, &id_one, NULL);
	assert_from(t, "old");
}

static void changed_file(void **state)
{
	const struct tree *t = *state;
	struct object_source src = {.path = "/usr/bin/tool", .build_id = id_one, .symfs = t->root};
	struct symtab tab;
	struct diags d = {0};
	struct err err = {0};
	put_file(t, "/usr/bin/tool", "new", false, &id_two, NULL);
	assert_true(symtab_load_elf(&tab, &src, &d, &err));
	assert_int_equal(tab.syms.n, 0);
	assert_int_equal(d.of[DIAG_CHANGED_OBJECT].count, 1);
	assert_non_null(strstr(d.of[DIAG_CHANGED_OBJECT].first, "/usr/bin/tool"));
	assert_non_null(strstr(d.of[DIAG_CHANGED_OBJECT].first, "abcd01020300"));
	symtab_free(&tab);
	/* Recorded without a build id: whatever is there. */
	src.build_id.size = 0;
	assert_true(symtab_load_elf(&tab, &src, &d, &err));
	assert_string_equal(symtab_find(&tab, 0x105)->name, "new");
	assert_true(build_id_eq(&tab.build_id, &id_two));
	symtab_free(&tab);
}

/* Without build ids the checksum in the link decides. */
static void checksums(void **state)
{
	const struct tree *t = *state;
	struct test_symbol sym = {"linked", 0x100, 0x10, STB_GLOBAL, STT_FUNC};
	struct test_elf debug = {.syms = &sym, .sym_count = 1};
	struct out o;
	test_elf_write(&debug, &o);
	uint32_t crc = elf_file_crc(o.buf, o.n);
	(void)out_finish(&o);
	put_elf(t, "/usr/bin/.debug/l.debug", &debug);
	struct test_symbol own = {"own", 0x100, 0x10, STB_GLOBAL, STT_FUNC};
	struct test_elf tool = {.dynsyms = &own, .dynsym_count = 1, .debuglink = "l.debug"};
	for (int right = 0; right < 2; right++) {
		struct object_source src = {.path = "/usr/bin/tool", .symfs = t->root};
		struct symtab tab;
		struct err err = {0};
		tool.debuglink_crc = right ? crc : crc + 1;
		put_elf(t, "/usr/bin/tool", &tool);
		assert_true(symtab_load_elf(&tab, &src, NULL, &err));
		assert_string_equal(symtab_find(&tab, 0x105)->name, right ? "linked" : "own");
		symtab_free(&tab);
	}
}

#if KILN_HAVE_LZMA
/* A stripped file with its .symtab packed into a section: both tables count. */
static void mini_debug_info(void **state)
{
	const struct tree *t = *state;
	struct test_symbol hidden = {"hidden", 0x100, 0x10, STB_LOCAL, STT_FUNC};
	struct test_symbol open = {"exported", 0x200, 0x10, STB_GLOBAL, STT_FUNC};
	struct test_elf mini = {.syms = &hidden, .sym_count = 1};
	struct out o;
	uint8_t packed[4096];
	size_t n = 0;
	test_elf_write(&mini, &o);
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (uint8_t *)o.buf, o.n,
						 packed, &n, sizeof packed),
			 LZMA_OK);
	(void)out_finish(&o);
	struct test_elf tool = {.dynsyms = &open,
				.dynsym_count = 1,
				.id = id_one,
				.extra_name = ".gnu_debugdata",
				.extra = str_make((char *)packed, n)};
	put_elf(t, "/usr/bin/tool", &tool);
	assert_from(t, "hidden");
	struct object_source src = {.path = "/usr/bin/tool", .symfs = t->root};
	struct symtab tab;
	struct err err = {0};
	assert_true(symtab_load_elf(&tab, &src, NULL, &err));
	assert_string_equal(symtab_find(&tab, 0x205)->name, "exported");
	symtab_free(&tab);
	packed[n / 2] ^= 1;
	put_elf(t, "/usr/bin/tool", &tool);
	assert_true(symtab_load_elf(&tab, &src, NULL, &err));
	assert_null(symtab_find(&tab, 0x105));
	symtab_free(&tab);
}
#endif

static void no_such_file(void **state)
{
	const struct tree *t = *state;
	struct object_source src = {.path = "/nowhere", .symfs = t->root};
	struct symtab tab;
	struct err err = {0};
	assert_false(symtab_load_elf(&tab, &src, NULL, &err));
	assert_int_equal(err.code, ERR_SYSTEM);
	assert_non_null(strstr(err.text, "/nowhere"));
	struct build_id id;
	assert_false(object_build_id("/nowhere", &id, &err));
	assert_false(object_build_id("/", &id, &err));
}

/* --- this program -------------------------------------------------------------------------------
 */

static int file_offset_of(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	uint64_t *addr = ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD || *addr < start ||
		    *addr - start >= info->dlpi_phdr[i].p_filesz)
			continue;
		*addr = *addr - start + info->dlpi_phdr[i].p_offset;
		return 1;
	}
	return 0;
}

__attribute__((noinline)) static int well_known_function(int x)
{
	return x * 3 + 1;
}

static void itself(void **state)
{
	(void)state;
	int (*volatile fn)(int) = well_known_function;
	assert_int_equal(fn(1), 4);
	uint64_t addr = (uintptr_t)fn;
	assert_int_equal(dl_iterate_phdr(file_offset_of, &addr), 1);
	struct symtab t;
	struct err err = {0};
	struct object_source src = {.path = "/proc/self/exe"};
	if (!symtab_load_elf(&t, &src, NULL, &err))
		fail_msg("%s", err.text);
	const struct symbol *s = symtab_find(&t, addr);
	assert_non_null(s);
	assert_string_equal(s->name, "well_known_function");
	assert_int_equal(s->start, addr);
	symtab_free(&t);
}

static void notes(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
		4, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 'A', 'B', 'C', 0, 7,    0,    0,    0,
		4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0};
	struct build_id id;
	struct build_id expected = {3, {0xde, 0xad, 0xbe}};
	assert_true(build_id_from_notes(bytes, sizeof bytes, &id));
	assert_true(build_id_eq(&id, &expected));
	for (size_t cut = 0; cut + 1 < sizeof bytes; cut++)
		assert_false(build_id_from_notes(bytes, cut, &id));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order_of_places, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_build_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(changed_file, setup, teardown),
		cmocka_unit_test_setup_teardown(checksums, setup, teardown),
#if KILN_HAVE_LZMA
		cmocka_unit_test_setup_teardown(mini_debug_info, setup, teardown),
#endif
		cmocka_unit_test_setup_teardown(no_such_file, setup, teardown),
		cmocka_unit_test(itself),
		cmocka_unit_test(notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
