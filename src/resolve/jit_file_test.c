#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "resolve/jit_file.h"

/* No process has it: the largest there can be is one less. */
#define NOBODY (1 << 22)

struct place {
	char dir[32];
	char path[64];
};

static int begin(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	snprintf(p->dir, sizeof p->dir, "/tmp/kiln-jit-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(p->path, sizeof p->path, "%s/perf-1.map", p->dir);
	FILE *f = fopen(p->path, "w");
	fputs("1000 10 f\n", f);
	fclose(f);
	*state = p;
	return 0;
}

static int end(void **state)
{
	struct place *p = *state;
	unlink(p->path);
	rmdir(p->dir);
	free(p);
	return 0;
}

static bool readable(const struct jit_file *f, struct err *err)
{
	struct str text;
	*err = (struct err){0};
	if (!jit_file_read(f, &text, err))
		return false;
	assert_true(str_is(text, "1000 10 f\n"));
	free((char *)text.p);
	return true;
}

static void times(void **state)
{
	struct place *p = *state;
	struct err err;
	int64_t now = time(NULL);
	struct jit_file f = {.path = p->path, .pid = NOBODY, .recorded = now};
	assert_true(readable(&f, &err));
	/* The process is over, the file was begun after the recording. */
	f.recorded = now - 100;
	bool used = readable(&f, &err);
	if (used)
		print_message("# this file system keeps no time of birth\n");
	else
		assert_true(strstr(err.text, "written after the recording") != NULL);
	f.force = true;
	assert_true(readable(&f, &err));
	f.force = false;
	/* Left by an earlier process of the number. */
	f.recorded = now + 100;
	f.started = now + 50;
	assert_false(readable(&f, &err));
	assert_true(strstr(err.text, "older than the process") != NULL);
	/* Another process has the number: this one. */
	f = (struct jit_file){.path = p->path, .pid = getpid(), .recorded = now - 100000000};
	assert_false(readable(&f, &err));
	assert_true(strstr(err.text, "written after the recording") != NULL);
	/* This process itself, still alive, may write as long as it likes. */
	f.recorded = now + 10;
	assert_true(readable(&f, &err));
}

static void owners(void **state)
{
	struct place *p = *state;
	struct err err;
	struct jit_file f = {.path = p->path, .pid = NOBODY};
	if (getuid() != 0)
		skip();
	assert_true(readable(&f, &err));
	assert_int_equal(chown(p->path, 12345, 12345), 0);
	assert_false(readable(&f, &err));
	assert_true(strstr(err.text, "belongs to user 12345") != NULL);
	assert_true(strstr(err.hint, "-f") != NULL);
	f.force = true;
	assert_true(readable(&f, &err));
}

static void kinds(void **state)
{
	struct place *p = *state;
	struct err err;
	char other[80];
	struct jit_file f = {.path = other, .pid = NOBODY};
	snprintf(other, sizeof other, "%s/link", p->dir);
	assert_int_equal(symlink(p->path, other), 0);
	assert_false(readable(&f, &err));
	assert_true(strstr(err.text, "symbolic link") != NULL);
	unlink(other);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_false(readable(&f, &err));
	assert_true(strstr(err.text, "not a regular file") != NULL);
	unlink(other);
	assert_false(readable(&f, &err));
	assert_int_equal(err.sys, ENOENT);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(times, begin, end),
		cmocka_unit_test_setup_teardown(owners, begin, end),
		cmocka_unit_test_setup_teardown(kinds, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
