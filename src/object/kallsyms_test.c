#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <elf.h>

#include "base/file.h"
#include "base/out.h"
#include "object/object.h"

static void parse(struct kallsyms *k, const char *text)
{
	struct err err = {0};
	if (!kallsyms_parse(k, str_of(text), &err))
		fail_msg("%s", err.text);
}

static const struct symbol *assert_at(const struct kallsyms *k, uint64_t addr, const char *name)
{
	const struct symbol *s = symtab_find(&k->table, addr);
	assert_non_null(s);
	assert_string_equal(s->name, name);
	return s;
}

static void kernel(void **state)
{
	(void)state;
	struct kallsyms k;
	parse(&k, "ffffffff81000000 T _stext\n"
		  "ffffffff81000000 T _text\n"
		  "ffffffff81000100 t local\n"
		  "ffffffff81000180 r read_only\n"
		  "ffffffff81000200 W weak\n"
		  "ffffffff81000300 D data\n"
		  "ffffffff81000340 b zeroed\n"
		  "ffffffff81000380 A absolute\n");
	assert_int_equal(k.text, 0xffffffff81000000);
	assert_false(k.hidden);
	assert_int_equal(k.table.syms.n, 5);
	/* Of two at one address the last in the file. */
	assert_at(&k, 0xffffffff81000050, "_text");
	/* Kinds that do not count do not bound their neighbours either. */
	const struct symbol *s = assert_at(&k, 0xffffffff810001ff, "local");
	assert_int_equal(s->binding, STB_LOCAL);
	assert_int_equal(s->type, STT_FUNC);
	s = assert_at(&k, 0xffffffff81000200, "weak");
	assert_int_equal(s->binding, STB_WEAK);
	s = assert_at(&k, 0xffffffff81000300, "data");
	assert_int_equal(s->type, STT_OBJECT);
	assert_int_equal(s->binding, STB_GLOBAL);
	/* The last one reaches to the end of the page behind its own. */
	s = assert_at(&k, 0xffffffff81001fff, "zeroed");
	assert_int_equal(s->end, 0xffffffff81002000);
	assert_null(symtab_find(&k.table, 0xffffffff81002000));
	assert_null(symtab_find(&k.table, 0xffffffff80ffffff));
	assert_false(k.table.mangled);
	kallsyms_free(&k);
}

/* Modules are not in order, and between them and the kernel is a gap that belongs to nobody. */
static void modules(void **state)
{
	(void)state;
	struct kallsyms k;
	parse(&k, "ffffffff81000000 T _text\n"
		  "ffffffff81000100 T last\n"
		  "ffffffffc0002000 t b_two\t[bbb]\n"
		  "ffffffffc0001100 t a_two\t[aaa]\n"
		  "ffffffffc0001000 t a_one\t[aaa]\n"
		  "ffffffffc0003000 t $d\t[bbb]\n");
	assert_int_equal(k.modules.n, 3);
	assert_int_equal(k.table.syms.n, 5);
	const struct symbol *s = assert_at(&k, 0xffffffff81000100, "last");
	assert_int_equal(s->end, 0xffffffff81002000);
	assert_int_equal(k.module_of.v[s - k.table.syms.v], 0);
	s = assert_at(&k, 0xffffffffc0001050, "a_one");
	assert_true(str_is(k.modules.v[k.module_of.v[s - k.table.syms.v]], "aaa"));
	s = assert_at(&k, 0xffffffffc0001fff, "a_two");
	s = assert_at(&k, 0xffffffffc0002000, "b_two");
	assert_true(str_is(k.modules.v[k.module_of.v[s - k.table.syms.v]], "bbb"));
	kallsyms_free(&k);
}

static void hidden(void **state)
{
	(void)state;
	struct kallsyms k;
	parse(&k, "0000000000000000 T _text\n0000000000000000 t a\n");
	assert_true(k.hidden);
	kallsyms_free(&k);
	parse(&k, "0000000000000000 A percpu\nffffffff81000000 t a\n");
	assert_false(k.hidden);
	kallsyms_free(&k);
}

static void bad_lines(void **state)
{
	(void)state;
	struct kallsyms k;
	struct err err = {0};
	parse(&k, "\nnonsense\nffffffff81000000\nffffffff81000000 T\nffffffff81000000  x\n"
		  "0123456789abcdef0 T too_long\nffffffff81000010 T good");
	assert_int_equal(k.table.syms.n, 1);
	assert_at(&k, 0xffffffff81000010, "good");
	kallsyms_free(&k);
	assert_false(kallsyms_parse(&k, STR("<html>\n"), &err));
	assert_true(err.text[0]);
	assert_false(kallsyms_parse(&k, STR(""), &err));
}

/* Every address gets the same symbol from the lines near it as from all of them. */
static void lines_near_addresses(void **state)
{
	(void)state;
	static const char text[] = "0000000000000000 A absolute\n"
				   "ffffffff81000000 T _stext\n"
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000100 t one\n"
				   "ffffffff81000180 r read_only\n"
				   "ffffffff81000200 t two\n"
				   "ffffffff81000200 T two_alias\n"
				   "ffffffff81000300 t three\n"
				   "nonsense\n"
				   "ffffffff81000400 t four\n"
				   "ffffffff82000000 D data\n"
				   "ffffffffc0000200 t mod_b\t[mod]\n"
				   "ffffffffc0000100 t mod_a\t[mod]\n"
				   "ffffffffc0000300 t mod_c\t[mod]\n"
				   "ffffffffc0000180 t bpf_prog\t[bpf]\n";
	static const uint64_t addrs[] = {
		0xffffffff81000000, 0xffffffff810000ff,
		0xffffffff81000100, 0xffffffff810001ff,
		0xffffffff81000210, 0xffffffff810003ff,
		0xffffffff81000400, 0xffffffff82000010,
		0xffffffffc0000110, 0xffffffffc00001a0,
		0xffffffffc0000210, 0xffffffffc0000310,
		0xffffffffc0009000, 0x1000,
	};
	char path[] = "/tmp/kiln-test-XXXXXX";
	CLEANUP(close_fd) int fd = mkstemp(path);
	assert_true(fd >= 0 && file_write_all(fd, text, sizeof text - 1, path, NULL));
	struct kallsyms all;
	parse(&all, text);
	/* Each set of two, in either order: what is kept for one must not bend the other. */
	for (size_t i = 0; i < ARRAY_LEN(addrs); i++)
		for (size_t j = 0; j < ARRAY_LEN(addrs); j++) {
			uint64_t pair[2] = {addrs[i], addrs[j]};
			struct kallsyms some;
			struct out o;
			out_memory(&o);
			assert_true(kallsyms_near(path, pair, 2, &o));
			out_char(&o, '\0');
			assert_true(o.n < sizeof text);
			parse(&some, o.buf);
			for (size_t k = 0; k < 2; k++) {
				const struct symbol *a = symtab_find(&all.table, pair[k]),
						    *b = symtab_find(&some.table, pair[k]);
				assert_int_equal(!a, !b);
				if (!a)
					continue;
				assert_string_equal(a->name, b->name);
				assert_int_equal(a->end, b->end);
			}
			kallsyms_free(&some);
			(void)out_finish(&o);
		}
	kallsyms_free(&all);
	unlink(path);
	assert_false(kallsyms_near("/nonexistent", NULL, 0, NULL));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_near_addresses),
		cmocka_unit_test(kernel),
		cmocka_unit_test(modules),
		cmocka_unit_test(hidden),
		cmocka_unit_test(bad_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
