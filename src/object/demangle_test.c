#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "object/demangle.h"
#include "object/object.h"

static const struct {
	const char *name, *expected;
} names[] = {
	{"main", "main"},
	{"_start", "_start"},
	{"_Z3fooi", "foo"},
	{"_ZN2ns4workIlEET_S1_", "ns::work<long>"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
	{"_ZN3FooC1Ev", "Foo::Foo"},
	{"_ZNSt6localeC1Ev@@GLIBCXX_3.4", "std::locale::locale"},
	{"_Z3foov@plt", "foo@plt"},
	{"puts@plt", "puts@plt"},
	{"@plt", "@plt"},
	{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
	{"_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
	 "<alloc::string::String as core::fmt::Debug>::fmt"},
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"camlStdlib__List__map_123", "Stdlib.List.map_123"},
	{"camlFoo__$2b$2b_7", "Foo.++_7"},
	{"camlp4", "camlp4"},
	{"Ljava/lang/String;indexOf(ILjava/lang/Object;[J)V",
	 "java.lang.String.indexOf(int, java.lang.Object, long[])"},
	{"strange(name", "strange(name"},
	{"_Z", "_Z"},
	{"", ""},
};

static void as_perf_shows(void **state)
{
	(void)state;
	struct arena a = {0};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str s = demangle(&a, str_of(names[i].name));
		if (!str_is(s, names[i].expected))
			fail_msg("%s: %.*s, not %s", names[i].name, (int)s.n, s.p,
				 names[i].expected);
	}
	arena_free(&a);
}

/* A name of 500 bytes that stands for P<P<P<…>, P<…>>, …>, 2^50 of them. */
static void bounded(void **state)
{
	(void)state;
	char name[2048] = "S_I1AS0_E";
	for (int k = 1; k <= 50; k++) {
		static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char index[4] = {0}, outer[2048];
		if (k < 36)
			index[0] = digits[k];
		else
			snprintf(index, sizeof index, "1%c", digits[k - 36]);
		snprintf(outer, sizeof outer, "S_I%sS%s_E", name, index);
		snprintf(name, sizeof name, "%s", outer);
	}
	char mangled[2100];
	snprintf(mangled, sizeof mangled, "_Z1fI1P%sEvv", name + 2);

	struct arena a = {0};
	clock_t start = clock();
	struct str s = demangle(&a, str_of(mangled));
	assert_true(str_is(s, mangled));
	assert_true(clock() - start < CLOCKS_PER_SEC);
	assert_true(a.total < (1u << 20));
	arena_free(&a);
}

static void shapes(void **state)
{
	(void)state;
	struct name_shape s = name_shape(STR("__libc_start"), false);
	assert_int_equal(s.underscores, 2);
	assert_int_equal(s.length, 12);
	s = name_shape(STR("_Z3fooi"), true);
	assert_int_equal(s.underscores, 0);
	assert_int_equal(s.length, 3);
	s = name_shape(STR("_Z3fooi"), false);
	assert_int_equal(s.underscores, 1);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_perf_shows),
		cmocka_unit_test(bounded),
		cmocka_unit_test(shapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
