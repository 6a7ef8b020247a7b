/* Debug information of this very program: it knows its own lines. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "object/debug_info.h"

#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noinline))

static volatile uintptr_t here;
static int inner_line, outer_line;

CALLED static void remember(void)
{
	here = (uintptr_t)__builtin_return_address(0);
}

INLINED void inner(void)
{
	inner_line = __LINE__ + 1;
	remember();
	here++;
}

INLINED void outer(void)
{
	here = 1;
	outer_line = __LINE__ + 1;
	inner();
	here++;
}

CALLED static void base(void)
{
	outer();
}

/* From an address in memory to an offset in the file. */
static int to_offset(struct dl_phdr_info *info, size_t size, void *ctx)
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

static void assert_frame(const struct dwarf_frame *f, const char *function, int line, bool inlined)
{
	assert_true(str_is(f->function, function));
	assert_non_null(f->file);
	assert_true(str_is(str_basename(f->file->name), "debug_info_test.c"));
	assert_int_equal(f->line, line);
	assert_int_equal(f->inlined, inlined);
}

static void itself(void **state)
{
	(void)state;
	base();
	/* Two steps were made since, and a return address is behind the call. */
	uint64_t offset = here - 2 - 1, vaddr;
	assert_int_equal(dl_iterate_phdr(to_offset, &offset), 1);
	struct object_source src = {.path = "/proc/self/exe"};
	struct debug_info *d = debug_info_open(&src);
	if (!d) {
		print_message("# no debug information in this program\n");
		skip();
	}
	assert_true(debug_info_vaddr(d, offset, &vaddr));
	struct dwarf_frame f[8];
	assert_int_equal(dwarf_frames_at(debug_info_dwarf(d), vaddr, f, 8), 3);
	assert_frame(&f[0], "inner", inner_line, true);
	assert_frame(&f[1], "outer", outer_line, true);
	assert_true(str_is(f[2].function, "base"));
	assert_false(f[2].inlined);
	assert_false(debug_info_vaddr(d, UINT64_MAX, &vaddr));
	debug_info_close(d);

	d = debug_info_open_file("/proc/self/exe");
	assert_non_null(d);
	assert_int_equal(dwarf_frames_at(debug_info_dwarf(d), vaddr, f, 8), 3);
	debug_info_close(d);
}

static void of_another_build(void **state)
{
	(void)state;
	struct object_source src = {.path = "/proc/self/exe", .build_id = {20, {1, 2, 3}}};
	assert_null(debug_info_open(&src));
	assert_null(debug_info_open(&(struct object_source){.path = "/nowhere"}));
	assert_null(debug_info_open_file("/nowhere"));
	assert_null(debug_info_open_file("/proc/self/maps"));
	debug_info_close(NULL);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {cmocka_unit_test(itself),
					   cmocka_unit_test(of_another_build)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
