#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"

static void numbers_look_right(void **state)
{
	(void)state;
	struct out o;
	out_memory(&o);
	out_u64(&o, 0);
	out_char(&o, ' ');
	out_u64(&o, UINT64_MAX);
	out_char(&o, ' ');
	out_i64(&o, -7);
	out_char(&o, ' ');
	out_i64(&o, INT64_MIN);
	out_char(&o, ' ');
	out_hex(&o, 0);
	out_char(&o, ' ');
	out_hex(&o, 0xf);
	out_char(&o, ' ');
	out_hex(&o, 0x10);
	out_char(&o, ' ');
	out_hex(&o, UINT64_MAX);
	assert_true(str_is(out_text(&o), "0 18446744073709551615 -7 -9223372036854775808 "
					 "0 f 10 ffffffffffffffff"));
	assert_true(out_finish(&o));
}

static void formats_of_any_length(void **state)
{
	(void)state;
	struct out o;
	out_memory(&o);
	out_fmt(&o, "%s", "");
	for (int n = 1; n < 1200; n += 37)
		out_fmt(&o, "%*d", n, 1);
	size_t sum = 0;
	for (size_t n = 1; n < 1200; n += 37)
		sum += n;
	assert_int_equal(o.n, sum);
	out_spaces(&o, 0);
	out_spaces(&o, 3);
	assert_true(str_ends(out_text(&o), "1   "));
	out_finish(&o);
}

static void a_file_gets_all_bytes_in_order(void **state)
{
	(void)state;
	struct err err;
	CLEANUP(close_fd) int fd = file_temp(NULL, &err);
	assert_true(fd >= 0);
	struct out o;
	out_fd(&o, fd);
	enum { COUNT = 100000 };
	for (uint64_t i = 0; i < COUNT; i++) {
		out_u64(&o, i);
		out_char(&o, '\n');
	}
	char *large = malloc(1 << 20);
	memset(large, 'x', 1 << 20);
	out_bytes(&o, large, 1 << 20);
	free(large);
	assert_true(out_finish(&o));

	struct str text, rest, line;
	lseek(fd, 0, SEEK_SET);
	assert_true(file_read_fd(fd, "temporary", 8 << 20, &text, &err));
	rest = text;
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t v;
		assert_true(str_line(&rest, &line));
		assert_true(str_to_u64(line, 10, &v));
		assert_int_equal(v, i);
	}
	assert_int_equal(rest.n, 1 << 20);
	free((void *)text.p);
}

static void the_first_error_sticks(void **state)
{
	(void)state;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		skip();
	struct out o;
	out_fd(&o, fd);
	out_cstr(&o, "x");
	assert_false(out_flush(&o));
	assert_int_equal(o.error, ENOSPC);
	out_cstr(&o, "more");
	assert_false(out_finish(&o));
	assert_int_equal(o.error, ENOSPC);
	close(fd);
}

static void a_closed_pipe_is_an_error_not_a_signal(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	struct out o;
	out_fd(&o, ends[1]);
	out_cstr(&o, "x");
	assert_false(out_finish(&o));
	assert_int_equal(o.error, EPIPE);
	close(ends[1]);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_look_right),
		cmocka_unit_test(formats_of_any_length),
		cmocka_unit_test(a_file_gets_all_bytes_in_order),
		cmocka_unit_test(the_first_error_sticks),
		cmocka_unit_test(a_closed_pipe_is_an_error_not_a_signal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
