#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

/* A file with the given content; its path, to be unlinked by the caller. */
static const char *file_with(const char *content, size_t n)
{
	static char path[64];
	const char *dir = getenv("TMPDIR");
	snprintf(path, sizeof path, "/tmp/kiln-file-test-XXXXXX");
	if (dir && strlen(dir) < 32)
		snprintf(path, sizeof path, "%s/file-XXXXXX", dir);
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, n), n);
	close(fd);
	return path;
}

static void read_gets_all_and_ends_with_nul(void **state)
{
	(void)state;
	struct str text;
	struct err err;
	const char *path = file_with("a\0b\n", 4);
	assert_true(file_read(path, 100, &text, &err));
	assert_int_equal(text.n, 4);
	assert_memory_equal(text.p, "a\0b\n", 5);
	free((void *)text.p);
	unlink(path);
}

static void read_keeps_the_limit(void **state)
{
	(void)state;
	struct str text;
	struct err err;
	const char *path = file_with("0123456789", 10);
	assert_true(file_read(path, 10, &text, &err));
	free((void *)text.p);
	assert_false(file_read(path, 9, &text, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.text, path));
	unlink(path);
}

static void files_without_a_size_are_read_whole(void **state)
{
	(void)state;
	struct str text;
	struct err err;
	assert_true(file_read("/proc/self/status", 1 << 20, &text, &err));
	assert_true(text.n > 100);
	assert_true(str_starts(text, "Name:"));
	free((void *)text.p);
	assert_false(file_read("/dev/zero", 1 << 20, &text, &err));
}

static void what_is_missing_is_named(void **state)
{
	(void)state;
	struct str text;
	struct mapped m;
	struct err err;
	assert_false(file_read("/nonexistent/x", 10, &text, &err));
	assert_string_equal(err.text, "cannot open /nonexistent/x: No such file or directory");
	assert_false(file_map("/nonexistent/x", &m, &err));
	assert_non_null(strstr(err.text, "/nonexistent/x"));
}

static void lines_and_numbers(void **state)
{
	(void)state;
	char buf[4];
	uint64_t v;
	const char *path = file_with("1234\nrest", 9);
	assert_true(file_read_line(path, buf, sizeof buf));
	assert_string_equal(buf, "123");
	unlink(path);
	path = file_with(" 0x10\n", 6);
	assert_true(file_read_u64(path, &v));
	assert_int_equal(v, 16);
	unlink(path);
	path = file_with("ten\n", 4);
	assert_false(file_read_u64(path, &v));
	unlink(path);
	assert_false(file_read_line("/nonexistent/x", buf, sizeof buf));
}

static void maps_hold_the_content(void **state)
{
	(void)state;
	struct mapped m;
	struct err err;
	const char *path = file_with("hello", 5);
	assert_true(file_map(path, &m, &err));
	assert_int_equal(m.n, 5);
	assert_memory_equal(m.p, "hello", 5);
	file_unmap(&m);
	assert_null(m.p);
	unlink(path);
	path = file_with("", 0);
	assert_true(file_map(path, &m, &err));
	assert_int_equal(m.n, 0);
	file_unmap(&m);
	unlink(path);
}

static void only_regular_files_are_mapped(void **state)
{
	(void)state;
	struct mapped m;
	struct err err;
	assert_false(file_map("/", &m, &err));
	assert_false(file_map("/dev/null", &m, &err));
	assert_string_equal(err.text, "/dev/null is not a regular file");
}

static void temporary_files_have_no_name(void **state)
{
	(void)state;
	struct err err;
	CLEANUP(close_fd) int fd = file_temp(getenv("TMPDIR"), &err);
	assert_true(fd >= 0);
	assert_true(file_write_all(fd, "abc", 3, "temporary", &err));
	char back[3];
	assert_int_equal(pread(fd, back, 3, 0), 3);
	assert_memory_equal(back, "abc", 3);
	assert_int_equal(file_temp("/nonexistent", &err), -1);
	assert_non_null(strstr(err.hint, "TMPDIR"));
}

static void a_full_disk_is_said(void **state)
{
	(void)state;
	struct err err;
	CLEANUP(close_fd) int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		skip();
	assert_false(file_write_all(fd, "abc", 3, "out.data", &err));
	assert_int_equal(err.code, ERR_NO_SPACE);
	assert_non_null(strstr(err.text, "out.data"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_gets_all_and_ends_with_nul),
		cmocka_unit_test(read_keeps_the_limit),
		cmocka_unit_test(files_without_a_size_are_read_whole),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(lines_and_numbers),
		cmocka_unit_test(maps_hold_the_content),
		cmocka_unit_test(only_regular_files_are_mapped),
		cmocka_unit_test(temporary_files_have_no_name),
		cmocka_unit_test(a_full_disk_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
