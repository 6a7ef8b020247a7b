#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/control.h"

static void feed(struct control *c, int fd, const char *text, size_t n)
{
	assert_int_equal(write(fd, text, n), n);
	assert_true(control_read(c));
}

static void orders_come_line_by_line(void **state)
{
	(void)state;
	int fds[2];
	bool unknown;
	assert_int_equal(pipe(fds), 0);
	struct control c = {.fd = fds[0], .ack_fd = -1};
	feed(&c, fds[1], "enable\n\n disable \nsto", 21);
	assert_int_equal(control_next(&c, &unknown), ORDER_ENABLE);
	assert_int_equal(control_next(&c, &unknown), ORDER_DISABLE);
	assert_int_equal(control_next(&c, &unknown), ORDER_NONE);
	assert_false(unknown);
	feed(&c, fds[1], "p\nping", 7); /* with its NUL */
	assert_int_equal(control_next(&c, &unknown), ORDER_STOP);
	assert_int_equal(control_next(&c, &unknown), ORDER_PING);
	close(fds[1]);
	assert_false(control_read(&c));
	close(fds[0]);
}

static void strange_lines_are_told(void **state)
{
	(void)state;
	int fds[2];
	bool unknown;
	char longer[200];
	assert_int_equal(pipe(fds), 0);
	struct control c = {.fd = fds[0], .ack_fd = -1};
	memset(longer, 'x', sizeof longer);
	feed(&c, fds[1], longer, sizeof longer);
	assert_int_equal(control_next(&c, &unknown), ORDER_NONE);
	assert_false(unknown);
	feed(&c, fds[1], "\nenable\n", 8);
	assert_int_equal(control_next(&c, &unknown), ORDER_NONE);
	assert_true(unknown);
	assert_int_equal(control_next(&c, &unknown), ORDER_ENABLE);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_come_line_by_line),
		cmocka_unit_test(strange_lines_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
