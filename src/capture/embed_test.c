#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/counters.h"
#include "capture/embed.h"
#include "perfdata/writer.h"

#define EVENT_ID 5

/* Looked for by name; not static, so that it keeps it. */
int embed_test_target(int x);

__attribute__((noinline)) int embed_test_target(int x)
{
	return x * 3;
}

static uintptr_t target(void)
{
	return (uintptr_t)embed_test_target;
}

static struct counters one_counter(uint64_t sample_type, uint64_t read_format)
{
	struct counters cs = {0};
	struct counter k = {.attr = {.sample_type = sample_type, .read_format = read_format}};
	vec_push(&k.fds, (struct counter_fd){.id = EVENT_ID});
	vec_push(&cs.v, k);
	return cs;
}

static void free_counters(struct counters *cs)
{
	vec_free(&cs->v.v[0].fds);
	vec_free(&cs->v);
}

static void see(struct embed *e, uint32_t type, const struct out *body)
{
	struct record r = {.type = type,
			   .misc = PERF_RECORD_MISC_USER,
			   .size = (uint16_t)(body->n + 8),
			   .body = (const uint8_t *)body->buf,
			   .body_size = body->n};
	embed_see(e, &r);
}

static void u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void pair(struct out *o, int32_t low, int32_t high)
{
	out_bytes(o, &low, sizeof low);
	out_bytes(o, &high, sizeof high);
}

/* A sample of ip with a call chain of one more address. */
static void see_sample(struct embed *e, int32_t pid, uint64_t ip, uint64_t caller)
{
	struct out o;
	out_memory(&o);
	u64(&o, ip);
	pair(&o, pid, pid);
	u64(&o, 3);
	u64(&o, PERF_CONTEXT_USER);
	u64(&o, ip);
	u64(&o, caller);
	see(e, PERF_RECORD_SAMPLE, &o);
	(void)out_finish(&o);
}

/* The mapping of this program's own code, as the kernel would tell it. */
static void see_own_mapping(struct embed *e, int32_t pid)
{
	struct str text, rest, line;
	assert_true(file_read("/proc/self/maps", 1 << 24, &text, NULL));
	rest = text;
	while (str_line(&rest, &line)) {
		uint64_t start, end, offset, inode;
		unsigned major, minor;
		char perms[5], path[4096];
		char copy[4400];
		snprintf(copy, sizeof copy, "%.*s", (int)line.n, line.p);
		if (sscanf(copy,
			   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]",
			   &start, &end, perms, &offset, &major, &minor, &inode, path) != 8 ||
		    target() < start || target() >= end)
			continue;
		struct out o;
		out_memory(&o);
		pair(&o, pid, pid);
		u64(&o, start);
		u64(&o, end - start);
		u64(&o, offset);
		pair(&o, (int32_t)major, (int32_t)minor);
		u64(&o, inode);
		u64(&o, 0);
		pair(&o, PROT_READ | PROT_EXEC, MAP_PRIVATE);
		size_t n = strlen(path) + 1;
		out_bytes(&o, path, n);
		while (o.n % 8)
			out_char(&o, '\0');
		see(e, PERF_RECORD_MMAP2, &o);
		(void)out_finish(&o);
	}
	free((void *)text.p);
}

static void see_fork(struct embed *e, int32_t child, int32_t parent)
{
	struct out o;
	out_memory(&o);
	pair(&o, child, parent);
	pair(&o, child, parent);
	u64(&o, 0);
	see(e, PERF_RECORD_FORK, &o);
	(void)out_finish(&o);
}

/* Writes a recording with nothing but symbols; how many there are, and whether the target's name
 * is among them. */
static size_t written(struct embed *e, bool *has_target)
{
	char path[] = "/tmp/kiln-embed-test.XXXXXX";
	int fd = mkstemp(path);
	struct err err = {0};
	struct diags diags = {0};
	const uint64_t id = EVENT_ID;
	struct writer_event ev = {.name = "x", .ids = &id, .id_count = 1};
	assert_true(fd >= 0);
	close(fd);
	struct perfdata_writer *w = perfdata_writer_open(path, &err);
	assert_non_null(w);
	assert_true(perfdata_writer_begin(w, &ev, 1, &err));
	assert_true(embed_write(e, w, EVENT_ID, &diags, &err));
	assert_true(perfdata_writer_close(w, &err));

	struct perfdata *pd = perfdata_open(path, &(struct perfdata_options){0}, &diags, &err);
	size_t n = 0;
	*has_target = false;
	assert_non_null(pd);
	for (size_t i = 0; i < perfdata_embedded_count(pd); i++) {
		struct cursor c = perfdata_embedded(pd, i);
		struct embedded_object o;
		struct embedded_symbol s;
		assert_true(embedded_object(&c, &o));
		for (; embedded_symbol(&c, &s); n++)
			*has_target |= str_is(s.name, "embed_test_target");
	}
	perfdata_close(pd);
	(void)unlink(path);
	return n;
}

#define SAMPLE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)

static void names_what_was_hit(void **state)
{
	(void)state;
	struct counters cs = one_counter(SAMPLE, 0);
	struct embed e;
	bool found;
	embed_init(&e, CAPTURE_EMBED_HOT, &cs);
	/* In the call chain only; and the sample comes before its mapping, as from another ring. */
	see_sample(&e, getpid(), 0x1000, target() + 1);
	see_own_mapping(&e, getpid());
	assert_int_equal(written(&e, &found), 1);
	assert_true(found);
	/* Again, for the next file. */
	assert_int_equal(written(&e, &found), 1);
	embed_free(&e);

	embed_init(&e, CAPTURE_EMBED_ALL, &cs);
	see_own_mapping(&e, getpid());
	assert_int_equal(written(&e, &found), 0); /* nothing hit, nothing kept */
	see_sample(&e, getpid(), target(), 0x1000);
	assert_true(written(&e, &found) > 10);
	assert_true(found);
	embed_free(&e);
	free_counters(&cs);
}

/* Of two events each has its own layout; the id tells whose a sample is. */
static void two_events(void **state)
{
	(void)state;
	static const uint64_t where[] = {PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_ID};
	for (size_t i = 0; i < ARRAY_LEN(where); i++) {
		struct counters cs = one_counter(where[i] | PERF_SAMPLE_IP | PERF_SAMPLE_TID, 0);
		struct counter second = {.attr = {.sample_type = where[i] | SAMPLE}};
		struct embed e;
		struct out o;
		vec_push(&second.fds, (struct counter_fd){.id = EVENT_ID + 1});
		vec_push(&cs.v, second);
		embed_init(&e, CAPTURE_EMBED_HOT, &cs);
		out_memory(&o);
		if (where[i] == PERF_SAMPLE_IDENTIFIER)
			u64(&o, EVENT_ID + 1);
		u64(&o, 0x1000);
		pair(&o, 1, 1);
		if (where[i] == PERF_SAMPLE_ID)
			u64(&o, EVENT_ID + 1);
		u64(&o, 1);
		u64(&o, 0x2000);
		see(&e, PERF_RECORD_SAMPLE, &o);
		assert_int_equal(e.hits.n, 2);
		assert_int_equal(e.hits.v[0].ip, 0x1000);
		assert_int_equal(e.hits.v[1].ip, 0x2000);
		(void)out_finish(&o);
		embed_free(&e);
		vec_free(&cs.v.v[1].fds);
		free_counters(&cs);
	}
}

/* A child that never execs has its parent's mappings. */
static void forked(void **state)
{
	(void)state;
	const int32_t child = 4194303;
	struct counters cs = one_counter(SAMPLE, 0);
	struct embed e;
	bool found;
	embed_init(&e, CAPTURE_EMBED_HOT, &cs);
	see_own_mapping(&e, getpid());
	see_sample(&e, child, target(), 0x1000);
	assert_int_equal(written(&e, &found), 0);
	see_fork(&e, child, getpid());
	assert_int_equal(written(&e, &found), 1);
	assert_true(found);
	/* Forks that go round in a circle end too. */
	see_fork(&e, getpid(), child);
	assert_int_equal(written(&e, &found), 1);
	embed_free(&e);
	free_counters(&cs);
}

static void only_what_is_needed(void **state)
{
	(void)state;
	struct counters cs = one_counter(SAMPLE, 0);
	struct embed e;
	bool found;
	embed_init(&e, CAPTURE_EMBED_NEEDED, &cs);
	see_own_mapping(&e, getpid());
	see_sample(&e, getpid(), target(), 0x1000);
	/* This program's file is there. */
	assert_int_equal(written(&e, &found), 0);
	/* Somebody puts another one in its place. */
	e.objects.v[0].inode++;
	assert_int_equal(written(&e, &found), 1);
	assert_true(found);
	embed_free(&e);

	embed_init(&e, CAPTURE_EMBED_NONE, &cs);
	see_own_mapping(&e, getpid());
	see_sample(&e, getpid(), target(), 0x1000);
	assert_int_equal(written(&e, &found), 0);
	embed_free(&e);
	free_counters(&cs);
}

/* Records that are shorter than they say do not lead us astray. */
static void short_samples(void **state)
{
	(void)state;
	static const uint64_t formats[] = {0, PERF_FORMAT_GROUP | PERF_FORMAT_ID};
	uint64_t words[] = {target(), (uint32_t)getpid(), 1ull << 60, 1ull << 61, 2};
	for (size_t f = 0; f < ARRAY_LEN(formats); f++) {
		struct counters cs = one_counter(SAMPLE | PERF_SAMPLE_READ, formats[f]);
		struct embed e;
		embed_init(&e, CAPTURE_EMBED_HOT, &cs);
		for (size_t n = 0; n <= ARRAY_LEN(words); n++) {
			uint64_t *copy = n ? mem_dup(words, n * 8) : NULL;
			struct record r = {.type = PERF_RECORD_SAMPLE,
					   .body = (uint8_t *)copy,
					   .body_size = n * 8};
			embed_see(&e, &r);
			free(copy);
		}
		assert_true(e.hits.n >= 1 && e.hits.n <= 2);
		embed_free(&e);
		free_counters(&cs);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_was_hit),
		cmocka_unit_test(two_events),
		cmocka_unit_test(forked),
		cmocka_unit_test(only_what_is_needed),
		cmocka_unit_test(short_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
