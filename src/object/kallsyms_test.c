#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>

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

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel),
		cmocka_unit_test(modules),
		cmocka_unit_test(hidden),
		cmocka_unit_test(bad_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
