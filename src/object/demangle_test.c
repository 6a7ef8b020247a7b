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
	{"camlStdlib__List__map_123", "Stdlib.List.map"},
	{"camlStdlib__Map.add_200", "Stdlib.Map.add"},
	{"camlProf.build__all_477", "Prof.build__all"},
	{"camlFoo__$2b$2b_7", "Foo.++"},
	{"camlProf__f$27_609", "Prof.f'"},
	{"camlProf__caf$e9_12", "Prof.caf\u00e9"},
	{"camlProf__fun_922", "Prof.fun_922"},
	{"camlProf.fun_922", "Prof.fun_922"},
	{"camlProf__myfun_922", "Prof.myfun"},
	{"camlDune__exe__Main__go_3", "Main.go"},
	{"camlMain__entry", "Main.entry"},
	{"camlMain__x$0a_1", "Main.x$0a"},
	{"camlMain__", "Main__"},
	{"camlMain__1", "Main.1"},
	{"_D3foo3barFiZv", "foo.bar"},
	{"_D4core6memory2GC6enableFNbZv", "core.memory.GC.enable"},
	{"_D3std5stdio__T7writelnTAyaZQnFNfQjZv", "std.stdio.writeln!(immutable(char)[]).writeln"},
	{"_Dnothing", "_Dnothing"},
	{"main.go.func1", "main.go.func1"},
	{"camlp4", "camlp4"},
	{"Ljava/lang/String;indexOf(ILjava/lang/Object;[J)V",
	 "java.lang.String.indexOf(int, java.lang.Object, long[])"},
	{"strange(name", "strange(name"},
	{"_Z", "_Z"},
	{"", ""},
};

static void as_shown(void **state)
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

/* D's names have no limit of their own: one that refers back too often stays as it is. */
static void bounded_d(void **state)
{
	(void)state;
	char name[512] = "_D1aFHiiHQeQg";
	for (int k = 0; k < 60; k++)
		strcat(name, "HQeQg");
	strcat(name, "Zv");
	struct arena a = {0};
	assert_true(str_is(demangle(&a, str_of(name)), name));
	arena_free(&a);
}

static void map_names(void **state)
{
	(void)state;
	struct arena a = {0};
	assert_true(str_is(demangle_map_name(&a, STR("Lcom/foo/Bar;::run")), "com.foo.Bar::run"));
	assert_true(str_is(demangle_map_name(&a, STR("Lcom/foo;::a/b")), "com.foo::a/b"));
	assert_true(str_is(demangle_map_name(&a, STR("L;::")), "L;::"));
	assert_true(str_is(demangle_map_name(&a, STR("LazyCompile:~f a.js:1")),
			   "LazyCompile:~f a.js:1"));
	assert_true(str_is(demangle_map_name(&a, STR("Interpreter")), "Interpreter"));
	assert_true(str_is(demangle_map_name(&a, STR("")), ""));
	arena_free(&a);
}

static void clones(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"foo", "foo"},
		{"foo.cold", "foo"},
		{"foo.cold.12", "foo"},
		{"_ZN2ns3fooEv.part.0.constprop.1.isra.2", "_ZN2ns3fooEv"},
		{"foo.llvm.1234567890", "foo"},
		{"foo.lto_priv.0", "foo"},
		{"foo.localalias", "foo"},
		{"memcpy@@GLIBC_2.14", "memcpy"},
		{"memcpy@GLIBC_2.2.5", "memcpy"},
		{"memcpy@plt", "memcpy@plt"},
		{"main.run.func1", "main.run.func1"},
		{"v.1", "v.1"},
		{".cold", ".cold"},
		{".cold.1", ".cold.1"},
		{"a..cold", "a."},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str s = name_without_clone(str_of(cases[i][0]));
		if (!str_is(s, cases[i][1]))
			fail_msg("%s: %.*s, not %s", cases[i][0], (int)s.n, s.p, cases[i][1]);
	}
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
	/* As perf has it, with the number. */
	s = name_shape(STR("camlList__map_123"), true);
	assert_int_equal(s.length, strlen("List.map_123"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_shown),  cmocka_unit_test(bounded), cmocka_unit_test(bounded_d),
		cmocka_unit_test(map_names), cmocka_unit_test(clones),  cmocka_unit_test(shapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
