#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perfdata/embedded.h"
#include "perfdata/record.h"
#include "perfdata/test_maker.h"

#define EVENT 77

static struct embedded_object file_object(const char *path)
{
	return (struct embedded_object){.kind = EMBEDDED_FILE,
					.flags = EMBEDDED_GONE,
					.build_id = {.size = 3, .bytes = {1, 2, 3}},
					.path = str_of(path)};
}

/* The payload of the record at p, as the reader gets it; *size is the record's. */
static struct cursor payload(const uint8_t *p, size_t *size)
{
	*size = load16(p + 6);
	assert_int_equal(load32(p), RECORD_EVENT_UPDATE);
	assert_int_equal(*size % 8, 0);
	assert_int_equal(load64(p + 8), UPDATE_SYMBOLS);
	assert_int_equal(load64(p + 16), EVENT);
	return cursor_of(p + 24, *size - 24, false);
}

static void comes_back(void **state)
{
	(void)state;
	struct embedded_writer w;
	struct embedded_object o = file_object("/bin/x");
	struct embedded_symbol s;
	size_t size;
	embedded_writer_init(&w, EVENT);
	embedded_begin(&w, &o);
	embedded_add(&w, &(struct embedded_symbol){16, 32, 1, 2, STR("main")});
	embedded_add(&w, &(struct embedded_symbol){32, 40, 0, 2, STR("f")});
	embedded_end(&w);
	struct cursor c = payload((uint8_t *)w.out.buf, &size);
	assert_int_equal(size, w.out.n);
	struct embedded_object back;
	assert_true(embedded_object(&c, &back));
	assert_int_equal(back.kind, EMBEDDED_FILE);
	assert_int_equal(back.flags, EMBEDDED_GONE);
	assert_true(build_id_eq(&back.build_id, &o.build_id));
	assert_true(str_is(back.path, "/bin/x"));
	assert_true(embedded_symbol(&c, &s));
	assert_true(s.start == 16 && s.end == 32 && s.binding == 1 && s.type == 2);
	assert_true(str_is(s.name, "main"));
	assert_true(embedded_symbol(&c, &s));
	assert_true(str_is(s.name, "f"));
	assert_false(embedded_symbol(&c, &s));
	embedded_writer_free(&w);
}

/* More than one record can hold: each names the object, and nothing is lost between them. */
static void many_symbols(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	struct embedded_writer w;
	struct embedded_object o = file_object("/bin/many"), back;
	struct embedded_symbol s;
	size_t size, found = 0, records = 0;
	embedded_writer_init(&w, EVENT);
	embedded_begin(&w, &o);
	for (uint64_t i = 0; i < COUNT; i++)
		embedded_add(&w, &(struct embedded_symbol){i * 8, i * 8 + 8, 0, 0,
							   STR("a_name_of_some_length")});
	embedded_end(&w);
	for (size_t at = 0; at < w.out.n; at += size, records++) {
		struct cursor c = payload((uint8_t *)w.out.buf + at, &size);
		assert_true(embedded_object(&c, &back));
		assert_true(str_is(back.path, "/bin/many"));
		for (; embedded_symbol(&c, &s); found++)
			assert_int_equal(s.start, found * 8);
	}
	assert_int_equal(found, COUNT);
	assert_true(records > 1);
	embedded_writer_free(&w);
}

static void nothing_to_say(void **state)
{
	(void)state;
	struct embedded_writer w;
	struct embedded_object o = file_object("/bin/x");
	embedded_writer_init(&w, EVENT);
	embedded_begin(&w, &o);
	embedded_end(&w);
	assert_int_equal(w.out.n, 0);
	/* A name too long for any record is left out, and leaves no half record. */
	char *name = malloc(70000);
	memset(name, 'x', 70000);
	embedded_add(&w, &(struct embedded_symbol){1, 2, 0, 0, {name, 70000}});
	embedded_end(&w);
	assert_int_equal(w.out.n, 0);
	free(name);
	embedded_writer_free(&w);
}

static void put_head(struct maker *m, uint32_t version, uint32_t kind, uint32_t id_size)
{
	m->o.n = 0;
	mk_u32(m, version);
	mk_u32(m, kind);
	mk_u32(m, 0);
	mk_u32(m, 4711);
	mk_u32(m, id_size);
	mk_zeros(m, BUILD_ID_MAX);
	mk_text(m, "/p", 1);
}

static bool head_is_good(struct maker *m, size_t n)
{
	struct embedded_object o;
	struct cursor c = cursor_of(m->o.buf, n, m->swap);
	return embedded_object(&c, &o) && o.pid == 4711 && str_is(o.path, "/p");
}

static void damaged(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct maker m;
		mk_init(&m, swap);
		put_head(&m, 1, EMBEDDED_PERF_MAP, 20);
		assert_true(head_is_good(&m, m.o.n));
		for (size_t n = 0; n < m.o.n; n++)
			assert_false(head_is_good(&m, n));
		put_head(&m, 2, EMBEDDED_FILE, 0);
		assert_false(head_is_good(&m, m.o.n));
		put_head(&m, 1, EMBEDDED_CFI + 1, 0);
		assert_false(head_is_good(&m, m.o.n));
		put_head(&m, 1, EMBEDDED_FILE, 21);
		assert_false(head_is_good(&m, m.o.n));
		(void)out_finish(&m.o);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(many_symbols),
		cmocka_unit_test(nothing_to_say),
		cmocka_unit_test(damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
