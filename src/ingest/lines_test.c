#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "ingest/lines.h"

static void expect_line(struct lines *l, const char *expected)
{
	struct str line;
	assert_true(lines_next(l, &line));
	assert_int_equal(line.n, strlen(expected));
	assert_memory_equal(line.p, expected, line.n);
}

static void lines_come_one_by_one(void **state)
{
	(void)state;
	struct lines l;
	struct str line;
	lines_open_memory(&l, STR("one\n\ntwo\r\nlast"), "x");
	expect_line(&l, "one");
	expect_line(&l, "");
	expect_line(&l, "two\r");
	expect_line(&l, "last");
	assert_int_equal(l.number, 4);
	assert_false(lines_next(&l, &line));
	lines_close(&l);
	lines_open_memory(&l, STR(""), "x");
	assert_false(lines_next(&l, &line));
	lines_close(&l);
}

static int temp_file(const char *p, size_t n)
{
	struct err err;
	int fd = file_temp(getenv("TMPDIR"), &err);
	assert_true(fd >= 0);
	assert_true(file_write_all(fd, p, n, "x", &err));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Lines of every length up to where several buffers are needed, through a descriptor. */
static void buffers_do_not_show(void **state)
{
	(void)state;
	size_t size = 3 << 20, n = 0, count = 0;
	char *text = mem_alloc(size);
	for (size_t len = 0; n + len + 1 <= size; len = len * 3 / 2 + 1, count++) {
		if (len > 600000)
			len = 0;
		memset(text + n, 'a' + (int)(count % 26), len);
		n += len;
		text[n++] = '\n';
	}
	int fd = temp_file(text, n);
	struct lines l, m;
	lines_open_fd(&l, fd, "x");
	lines_open_memory(&m, str_make(text, n), "x");
	assert_memory_equal(lines_peek(&l).p, text, 65536);
	struct str a, b;
	size_t seen = 0;
	for (; lines_next(&m, &b); seen++) {
		assert_true(lines_next(&l, &a));
		assert_false(l.cut);
		assert_true(str_eq(a, b));
	}
	assert_false(lines_next(&l, &a));
	assert_int_equal(seen, count);
	struct err err;
	assert_true(lines_ok(&l, &err));
	lines_close(&l);
	lines_close(&m);
	close(fd);
	free(text);
}

static void endless_lines_are_cut(void **state)
{
	(void)state;
	size_t n = 5 * LINE_MAX_BYTES;
	char *text = mem_alloc(n + 6);
	memset(text, 'x', n);
	memcpy(text + n, "\nnext\n", 6);
	int fd = temp_file(text, n + 6);
	for (int memory = 0; memory < 2; memory++) {
		struct lines l;
		struct str line;
		if (memory)
			lines_open_memory(&l, str_make(text, n + 6), "x");
		else
			lines_open_fd(&l, fd, "x");
		assert_true(lines_next(&l, &line));
		assert_true(l.cut);
		assert_int_equal(line.n, LINE_MAX_BYTES);
		expect_line(&l, "next");
		assert_int_equal(l.number, 2);
		assert_false(l.cut);
		assert_false(lines_next(&l, &line));
		assert_true(l.cap <= 4 * LINE_MAX_BYTES);
		lines_close(&l);
	}
	close(fd);
	free(text);
}

static void a_failed_read_is_told(void **state)
{
	(void)state;
	struct lines l;
	struct str line;
	struct err err;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	lines_open_fd(&l, fds[1], "the pipe"); /* the wrong end */
	assert_false(lines_next(&l, &line));
	assert_false(lines_ok(&l, &err));
	assert_non_null(strstr(err.text, "the pipe"));
	lines_close(&l);
	close(fds[0]);
	close(fds[1]);
}

static void the_rest_can_be_copied(void **state)
{
	(void)state;
	int from = temp_file("one\ntwo\nthree", 13), to = temp_file("", 0);
	struct lines l;
	struct err err;
	char buf[16];
	lines_open_fd(&l, from, "x");
	expect_line(&l, "one");
	assert_true(lines_copy(&l, to, &err));
	assert_int_equal(pread(to, buf, sizeof buf, 0), 9);
	assert_memory_equal(buf, "two\nthree", 9);
	lines_close(&l);
	close(from);
	close(to);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_one_by_one),  cmocka_unit_test(buffers_do_not_show),
		cmocka_unit_test(endless_lines_are_cut),  cmocka_unit_test(a_failed_read_is_told),
		cmocka_unit_test(the_rest_can_be_copied),
	};
	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
