#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "perfdata/blob.h"

/* The payloads of the records, one after the other; false at the end. */
static bool next_payload(const struct out *o, size_t *at, struct cursor *c)
{
	if (*at >= o->n)
		return false;
	uint16_t size = load16(o->buf + *at + 6);
	assert_int_equal(size % 8, 0);
	*c = cursor_of(o->buf + *at + 24, size - 24u, false);
	*at += size;
	return true;
}

static char *noise(size_t n)
{
	char *p = mem_alloc(n);
	uint64_t seed = 3;
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		p[i] = (char)(seed >> 56);
	}
	return p;
}

static void there_and_back(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 40000, 200000};
	for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
		struct embedded_writer w;
		struct embedded_object o = {
			.kind = EMBEDDED_JITDUMP, .pid = 77, .path = STR("/tmp/jit-77.dump")};
		struct blob_piece head = {.number = 3, .since = 9};
		head.clock = (struct blob_clock){{1, 2}, {3, 4}};
		char *file = noise(sizes[k] + 1);
		embedded_writer_init(&w, 5);
		assert_true(blob_write(&w, &o, &head, str_make(file, sizes[k])));
		struct blob b = {0};
		struct cursor c;
		size_t at = 0, pieces = 0;
		struct str back;
		while (next_payload(&w.out, &at, &c)) {
			struct embedded_object found;
			struct blob_piece piece;
			if (pieces)
				assert_false(blob_unpack(&b, &back)); /* not all there yet */
			assert_true(embedded_object(&c, &found));
			assert_int_equal(found.kind, EMBEDDED_JITDUMP);
			assert_int_equal(found.pid, 77);
			assert_true(blob_read(&c, &piece));
			assert_int_equal(piece.number, 3);
			assert_int_equal(piece.since, 9);
			assert_memory_equal(&piece.clock, &head.clock, sizeof head.clock);
			assert_true(blob_add(&b, &piece));
			pieces++;
		}
		assert_int_equal(pieces, sizes[k] > 48000 ? 5 : 1);
		assert_true(blob_unpack(&b, &back));
		assert_int_equal(back.n, sizes[k]);
		assert_memory_equal(back.p, file, sizes[k]);
		free((char *)back.p);
		blob_free(&b);
		free(file);
		embedded_writer_free(&w);
	}
}

static void lies(void **state)
{
	(void)state;
	struct blob b = {0};
	struct str back;
	struct blob_piece p = {.whole = 100, .packed = 8, .bytes = STR("abcd")};
	assert_true(blob_add(&b, &p));
	assert_false(blob_unpack(&b, &back));
	p.at = 8;
	assert_false(blob_add(&b, &p)); /* a gap */
	p.at = 4;
	p.whole = 101;
	assert_false(blob_add(&b, &p)); /* of another file */
	p.whole = 100;
	assert_true(blob_add(&b, &p));
	assert_false(blob_unpack(&b, &back)); /* no zstd */
	assert_false(blob_add(&b, &p));
	blob_free(&b);
	/* More than anything that small unpacks to. */
	p = (struct blob_piece){.whole = UINT64_MAX, .packed = 4, .bytes = STR("abcd")};
	assert_true(blob_add(&b, &p));
	assert_false(blob_unpack(&b, &back));
	blob_free(&b);
	assert_false(blob_unpack(&b, &back));
}

static void cut_short(void **state)
{
	(void)state;
	struct embedded_writer w;
	struct embedded_object o = {.kind = EMBEDDED_TIMED_MAP, .path = STR("x")};
	struct blob_piece head = {0}, piece;
	embedded_writer_init(&w, 5);
	assert_true(blob_write(&w, &o, &head, STR("some text")));
	struct cursor whole;
	size_t at = 0;
	assert_true(next_payload(&w.out, &at, &whole));
	assert_true(embedded_object(&whole, &o));
	size_t need = 88 + 8; /* the head, and some of the bytes */
	for (size_t n = 0; n < need; n++) {
		char *copy = mem_dup(whole.p, n + 1);
		struct cursor c = cursor_of(copy, n, false);
		assert_false(blob_read(&c, &piece));
		free(copy);
	}
	embedded_writer_free(&w);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(lies),
		cmocka_unit_test(cut_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
