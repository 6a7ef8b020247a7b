#include <fcntl.h>
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

#include "capture/jit_snapshot.h"
#include "object/jit_code.h"
#include "object/test_jitdump.h"
#include "perfdata/record.h"

/* Appends to the map of this very process, or begins it anew. */
static void put_map(const char *text, bool anew)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	FILE *f = fopen(path, anew ? "w" : "a");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_map(void)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	unlink(path);
}

static void look(struct jit_snapshot *j, uint64_t now)
{
	j->looked_at = 0;
	jit_snapshot_look(j, now);
}

/* What is kept: "time:text" for each piece. */
static void assert_kept(struct jit_snapshot *j, const struct jit_hits *hits, const char *expected)
{
	struct str file;
	struct out o;
	out_memory(&o);
	if (jit_snapshot_map(j, 0, hits, &file)) {
		struct cursor c = cursor_of(file.p, file.n, false);
		while (cursor_left(&c)) {
			uint64_t time = cursor_u64(&c), n = cursor_u64(&c);
			out_fmt(&o, "%" PRIu64 ":%.*s", time, (int)n, (const char *)c.p);
			cursor_skip(&c, n);
		}
		assert_false(c.bad);
		free((char *)file.p);
	}
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
}

static void grows(void **state)
{
	(void)state;
	struct jit_snapshot j;
	const struct jit_hits all = {.all = true, .n = 1};
	const uint64_t ips[] = {0x1001, 0x4000};
	const struct jit_hits some = {.v = ips, .n = 2};
	jit_snapshot_init(&j, -2);
	put_map("1000 10 a\n2000 10 b\n", true);
	jit_snapshot_watch(&j, getpid(), 7);
	jit_snapshot_watch(&j, getpid(), 8); /* it maps more */
	assert_int_equal(j.processes.n, 1);
	look(&j, 100);
	put_map("1000 10 c\nhalf a li", false);
	look(&j, 200);
	put_map("ne\n3000 10 d\n", false);
	look(&j, 300);
	assert_kept(&j, &all, "7:1000 10 a\n2000 10 b\n100:1000 10 c\n200:3000 10 d\n");
	assert_kept(&j, &some, "7:1000 10 a\n100:1000 10 c\n");
	/* Written anew, as some runtimes do on demand. */
	put_map("4000 10 e\n", true);
	look(&j, 400);
	assert_kept(&j, &some, "7:1000 10 a\n100:1000 10 c\n300:4000 10 e\n");
	/* The last words before the end, and the file is gone. */
	put_map("4000 8 f\n", false);
	jit_snapshot_exit(&j, getpid());
	remove_map();
	look(&j, 500);
	assert_kept(&j, &some, "7:1000 10 a\n100:1000 10 c\n300:4000 10 e\n400:4000 8 f\n");
	assert_kept(&j, &(struct jit_hits){0}, "");
	/* The number is given to another process. */
	jit_snapshot_watch(&j, getpid(), 600);
	assert_int_equal(j.processes.n, 2);
	jit_snapshot_free(&j);
}

static void not_to_be_trusted(void **state)
{
	(void)state;
	struct jit_snapshot j;
	char path[64];
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	remove_map();
	assert_int_equal(symlink("/etc/passwd", path), 0);
	jit_snapshot_init(&j, -2);
	jit_snapshot_watch(&j, getpid(), 0);
	assert_int_equal(j.refused, 1);
	assert_true(strstr(j.why, "symbolic link") != NULL);
	look(&j, 1);
	assert_int_equal(j.refused, 1); /* said once */
	jit_snapshot_free(&j);
	remove_map();
	if (getuid() != 0)
		return;
	put_map("1000 10 a\n", true);
	assert_int_equal(chown(path, 12345, 12345), 0);
	jit_snapshot_init(&j, -2);
	jit_snapshot_watch(&j, getpid(), 0);
	assert_int_equal(j.refused, 1);
	assert_true(strstr(j.why, "12345") != NULL);
	assert_int_equal(j.processes.v[0].growth.n, 0);
	jit_snapshot_free(&j);
	/* Older than this process: somebody left it. */
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
	jit_snapshot_init(&j, -2);
	jit_snapshot_watch(&j, getpid(), 0);
	assert_int_equal(j.processes.v[0].growth.n, 0);
	jit_snapshot_free(&j);
	remove_map();
}

static void only_what_was_hit(void **state)
{
	(void)state;
	char dir[] = "/tmp/kiln-dump-XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/jit-%d.dump", dir, (int)getpid());
	for (int swap = 0; swap < 2; swap++) {
		struct dump_maker m;
		struct jit_snapshot j;
		struct str kept;
		dump_begin(&m, swap, 0);
		dump_load(&m, 1, 0x1000, 0x10, 1, "cold");
		dump_record(&m, 2, 16, 2); /* lines of the next one */
		dump_u64(&m, 0x2000);
		dump_u64(&m, 0);
		dump_load(&m, 3, 0x2000, 0x10, 2, "hot");
		dump_load(&m, 4, 0x3000, 0x10, 3, "moved");
		dump_move(&m, 5, 0x3000, 0x4000, 0x10, 3);
		dump_u32(&m, 0); /* half a record */
		FILE *f = fopen(path, "w");
		fwrite(m.out.buf, m.out.n, 1, f);
		fclose(f);

		jit_snapshot_init(&j, CLOCK_MONOTONIC);
		struct rec_mmap map = {.pid = getpid(), .path = str_of(path)};
		assert_true(jit_snapshot_mapped(&j, &map, 9));
		assert_true(jit_snapshot_mapped(&j, &map, 10)); /* once is enough */
		assert_int_equal(j.dumps.n, 1);
		map.path = STR("/tmp/jit-.dump");
		assert_false(jit_snapshot_mapped(&j, &map, 9));
		map.path = STR("/usr/lib/libjit-1.so");
		assert_false(jit_snapshot_mapped(&j, &map, 9));
		unlink(path); /* held all the same */
		jit_snapshot_end(&j);
		assert_true(j.clock.recording[0] && j.clock.recording[1] >= j.clock.recording[0]);

		const uint64_t ips[] = {0x200f, 0x4000};
		assert_true(jit_snapshot_dump(&j, 0, &(struct jit_hits){.v = ips, .n = 2}, &kept));
		struct jit_table t = {0};
		assert_true(jit_table_read_dump(&t, kept.p, kept.n, "kept", NULL, NULL));
		assert_int_equal(t.codes.n, 3);
		assert_string_equal(t.codes.v[0].name, "hot");
		assert_string_equal(t.codes.v[1].name, "moved");
		assert_int_equal(t.codes.v[2].addr, 0x4000);
		assert_int_equal(kept.n, m.out.n - 4 - (16 + 40 + 5 + 16));
		jit_table_free(&t);
		free((char *)kept.p);
		const uint64_t elsewhere[] = {0x9000};
		assert_false(jit_snapshot_dump(&j, 0, &(struct jit_hits){.v = elsewhere, .n = 1},
					       &kept));
		jit_snapshot_free(&j);
		(void)out_finish(&m.out);
	}
	rmdir(dir);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(not_to_be_trusted),
		cmocka_unit_test(only_what_was_hit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
