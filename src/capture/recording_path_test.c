#include <errno.h>
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

#include "base/file.h"
#include "capture/recording_path.h"

struct place {
	char dir[32], path[64], old[64];
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof *p);
	if (!p)
		return -1;
	strcpy(p->dir, "/tmp/kiln-test-XXXXXX");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(p->path, sizeof p->path, "%s/r", p->dir);
	snprintf(p->old, sizeof p->old, "%s/r.old", p->dir);
	*state = p;
	return 0;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s%s%s", dir, name ? "/" : "", name ? name : "");
	CLEANUP(close_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_true(file_write_all(fd, text, strlen(text), path, NULL));
}

static void put_dir(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
	put_file(path, "data", "x");
	put_file(path, "data.0", "");
	put_file(path, "data.17", "y");
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static bool is_dir(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int remove_place(void **state)
{
	struct place *p = *state;
	(void)!recording_remove(p->path);
	(void)!recording_remove(p->old);
	rmdir(p->dir);
	free(p);
	return 0;
}

static void files_and_directories_replace_each_other(void **state)
{
	struct place *p = *state;
	bool moved;
	for (int kinds = 0; kinds < 4; kinds++) {
		if (kinds & 1)
			put_dir(p->old);
		else
			put_file(p->old, NULL, "older");
		if (kinds & 2)
			put_dir(p->path);
		else
			put_file(p->path, NULL, "old");
		assert_true(recording_keep_old(p->path, &moved, NULL));
		assert_true(moved);
		assert_false(exists(p->path));
		assert_int_equal(is_dir(p->old), kinds & 2 ? 1 : 0);
		put_dir(p->path);
		recording_take_back(p->path, moved);
		assert_false(exists(p->old));
		assert_int_equal(is_dir(p->path), kinds & 2 ? 1 : 0);
		assert_true(recording_remove(p->path));
		assert_false(exists(p->path));
	}
}

static void other_directories_are_left_alone(void **state)
{
	struct place *p = *state;
	char more[96];
	bool moved;
	struct err err = {0};
	snprintf(more, sizeof more, "%s/notes", p->path);
	put_dir(p->path);
	put_file(p->path, "notes", "mine");
	assert_true(recording_keep_old(p->path, &moved, NULL));
	assert_false(moved);
	assert_false(recording_remove(p->path));
	assert_int_equal(errno, ENOTEMPTY);
	assert_true(exists(more));

	/* In the way of an older one: nothing is touched, and it is said. */
	assert_int_equal(rename(p->path, p->old), 0);
	put_dir(p->path);
	assert_false(recording_keep_old(p->path, &moved, &err));
	assert_non_null(strstr(err.text, "r.old"));
	assert_true(is_dir(p->path));
	snprintf(more, sizeof more, "%s/notes", p->old);
	assert_int_equal(unlink(more), 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_and_directories_replace_each_other,
						make_place, remove_place),
		cmocka_unit_test_setup_teardown(other_directories_are_left_alone, make_place,
						remove_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
