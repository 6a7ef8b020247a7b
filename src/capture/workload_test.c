#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/workload.h"

static bool fork_it(struct workload *w, const char *program, const char *arg, struct err *err)
{
	sigset_t mask;
	sigemptyset(&mask);
	char *argv[] = {(char *)program, (char *)"-c", (char *)arg, NULL};
	return workload_fork(w, argv, false, &mask, err);
}

static void the_exit_status_comes_back(void **state)
{
	(void)state;
	struct workload w;
	struct err err = {0};
	assert_true(fork_it(&w, "/bin/sh", "exit 7", &err));
	assert_false(workload_poll(&w)); /* it waits for us */
	assert_true(workload_start(&w, "sh", &err));
	workload_end(&w);
	assert_true(WIFEXITED(w.status));
	assert_int_equal(WEXITSTATUS(w.status), 7);
}

static void a_failed_exec_is_told(void **state)
{
	(void)state;
	struct workload w;
	struct err err = {0};
	assert_true(fork_it(&w, "/nonexistent/program", "", &err));
	assert_false(workload_start(&w, "program", &err));
	assert_int_equal(err.sys, ENOENT);
	workload_end(&w);
}

static void it_goes_away_when_never_started(void **state)
{
	(void)state;
	struct workload w;
	struct err err = {0};
	assert_true(fork_it(&w, "/bin/sh", "exit 7", &err));
	workload_end(&w);
	assert_true(WIFEXITED(w.status));
	assert_int_equal(WEXITSTATUS(w.status), 0);
}

static void stopping_ends_it(void **state)
{
	(void)state;
	struct workload w;
	struct err err = {0};
	assert_true(fork_it(&w, "/bin/sh", "while :; do :; done", &err));
	assert_true(workload_start(&w, "sh", &err));
	workload_stop(&w);
	workload_end(&w);
	assert_true(WIFSIGNALED(w.status));
	assert_int_equal(WTERMSIG(w.status), SIGTERM);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_exit_status_comes_back),
		cmocka_unit_test(a_failed_exec_is_told),
		cmocka_unit_test(it_goes_away_when_never_started),
		cmocka_unit_test(stopping_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
