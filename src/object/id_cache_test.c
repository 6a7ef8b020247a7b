#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "object/id_cache.h"

struct place {
	char top[64], cache[80], file[80];
};

static int make(void **state)
{
	struct place *p = mem_zalloc(sizeof *p);
	snprintf(p->top, sizeof p->top, "/tmp/id_cache_test.XXXXXX");
	if (!mkdtemp(p->top))
		return -1;
	snprintf(p->cache, sizeof p->cache, "%s/cache", p->top);
	snprintf(p->file, sizeof p->file, "%s/prog", p->top);
	FILE *f = fopen(p->file, "w");
	if (!f)
		return -1;
	fputs("contents", f);
	fclose(f);
	*state = p;
	return 0;
}

static int drop(void **state)
{
	struct place *p = *state;
	struct id_cache_list l;
	id_cache_list(&l, p->cache);
	for (size_t i = 0; i < l.entries.n; i++)
		(void)!id_cache_remove(p->cache, l.entries.v[i].id, NULL);
	id_cache_list_free(&l);
	char build_ids[100];
	snprintf(build_ids, sizeof build_ids, "%s/.build-id", p->cache);
	rmdir(build_ids);
	rmdir(p->cache);
	unlink(p->file);
	int left = rmdir(p->top);
	free(p);
	return left; /* removing everything leaves nothing */
}

static struct build_id id_of(const char *hex)
{
	struct build_id id = {0};
	assert_true(build_id_parse(str_of(hex), &id));
	return id;
}

static const char *const sha1 = "450004ac0ef253ddec1e6ccf8029251638b477b4";
static const char *const md5 = "af09beb32657939a644275c848f9132a";

static void what_is_added_is_found(void **state)
{
	struct place *p = *state;
	struct build_id id = id_of(sha1), other = id_of(md5);
	bool added;
	assert_false(id_cache_has(p->cache, &id));
	assert_true(id_cache_add(p->cache, &id, "/usr/bin/prog", p->file, &added, NULL));
	assert_true(added);
	assert_true(id_cache_has(p->cache, &id));
	assert_false(id_cache_has(p->cache, &other));
	assert_true(id_cache_add(p->cache, &id, "/usr/bin/prog", p->file, &added, NULL));
	assert_false(added);
	assert_true(id_cache_add(p->cache, &other, "[vdso]", p->file, &added, NULL));

	char path[PATH_MAX];
	struct str text;
	snprintf(path, sizeof path, "%s/usr/bin/prog/%s/elf", p->cache, sha1);
	assert_true(file_read(path, 100, &text, NULL));
	assert_true(str_is(text, "contents"));
	free((void *)text.p);
	snprintf(path, sizeof path, "%s/.build-id/af/%s/vdso", p->cache, md5 + 2);
	assert_int_equal(access(path, R_OK), 0);

	struct id_cache_list l;
	id_cache_list(&l, p->cache);
	assert_int_equal(l.entries.n, 2);
	assert_string_equal(l.entries.v[0].id.p, sha1);
	assert_string_equal(l.entries.v[0].path.p, "/usr/bin/prog");
	assert_int_equal(l.entries.v[0].bytes, 8);
	assert_true(l.entries.v[0].used > 0);
	assert_string_equal(l.entries.v[1].path.p, "[vdso]");
	id_cache_list_free(&l);
}

static void removed_is_gone(void **state)
{
	struct place *p = *state;
	struct build_id id = id_of(sha1);
	bool added;
	assert_true(id_cache_add(p->cache, &id, "/usr/bin/prog", p->file, &added, NULL));
	assert_true(id_cache_remove(p->cache, str_of(sha1), NULL));
	assert_false(id_cache_has(p->cache, &id));
	struct err err = {0};
	assert_false(id_cache_remove(p->cache, str_of(sha1), &err));
	assert_non_null(strstr(err.text, "is not in the cache"));
	assert_false(id_cache_remove(p->cache, STR("x"), &err));
}

static void names_do_not_lead_out_of_the_cache(void **state)
{
	struct place *p = *state;
	static const char *const bad[] = {"../x", "/a/../../x", "prog", "", "[a/../..]", "/.."};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct build_id id = id_of(sha1);
		struct err err = {0};
		bool added;
		assert_false(id_cache_add(p->cache, &id, bad[i], p->file, &added, &err));
		assert_false(added);
		assert_true(err.text[0]);
	}
	/* Nor do links that somebody made. */
	char path[PATH_MAX];
	mkdir(p->cache, 0755);
	snprintf(path, sizeof path, "%s/.build-id", p->cache);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/.build-id/45", p->cache);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/.build-id/45/%s", p->cache, sha1 + 2);
	assert_int_equal(symlink("../../../../450004ac0ef253ddec1e6ccf8029251638b477b4", path), 0);
	assert_false(id_cache_remove(p->cache, str_of(sha1), NULL));
	unlink(path);
	snprintf(path, sizeof path, "%s/.build-id/45", p->cache);
	rmdir(path);
}

static void a_file_that_is_not_there_leaves_nothing(void **state)
{
	struct place *p = *state;
	struct build_id id = id_of(sha1);
	struct err err = {0};
	bool added;
	assert_false(id_cache_add(p->cache, &id, "/prog", "/nowhere/prog", &added, &err));
	assert_non_null(strstr(err.text, "/nowhere/prog"));
	assert_false(id_cache_has(p->cache, &id));
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/prog/%s", p->cache, sha1);
	rmdir(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_added_is_found, make, drop),
		cmocka_unit_test_setup_teardown(removed_is_gone, make, drop),
		cmocka_unit_test_setup_teardown(names_do_not_lead_out_of_the_cache, make, drop),
		cmocka_unit_test_setup_teardown(a_file_that_is_not_there_leaves_nothing, make,
						drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
