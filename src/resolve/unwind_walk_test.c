/* Which bytes before an address make it a return address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "resolve/unwind_walk.h"

static const struct {
	struct str bytes;
	bool call, syscall;
} x86[] =
	{
		{STR("\x90\x90\xe8\1\2\3\4"), true, false},     /* call rel32 */
		{STR("\x90\x90\x90\x90\xff\xd0"), true, false}, /* call *%rax */
		{STR("\x90\x90\x90\x41\xff\xd4"), true, false}, /* call *%r12 */
		{STR("\x90\x90\x90\xff\x10"), true, false},     /* call *(%rax) */
		{STR("\x90\x90\x90\xff\x14\xc5"), true,
		 false},                                    /* call *(%rbp,%rax,8): short form */
		{STR("\x90\x90\xff\x50\x08"), true, false}, /* call *8(%rax) */
		{STR("\x90\xff\x54\x24\x08"), true, false}, /* call *8(%rsp) */
		{STR("\xff\x15\1\2\3\4"), true, false},     /* call *x(%rip) */
		{STR("\xff\x90\1\2\3\4"), true, false},     /* call *x(%rax) */
		{STR("\xff\x94\x24\1\2\3\4"), true, false}, /* call *x(%rsp) */
		{STR("\x90\x90\x90\x90\x90\x90\x90"), false, false},
		{STR("\x90\x90\x90\x90\xff\xe0"), false, false}, /* jmp *%rax */
		{STR("\x90\x90\xe9\1\2\3\4"), false, false},     /* jmp */
		{STR("\x90\x90\x90\x90\x90\xc3"), false, false}, /* ret */
		{STR("\x90\x90\x90\x0f\x05"), false, true},      /* syscall */
		{STR("\xd0"), false, false},
},
  arm64[] = {
	  {STR("\x00\x00\x00\x94"), true, false},  /* bl */
	  {STR("\x00\x02\x3f\xd6"), true, false},  /* blr x16 */
	  {STR("\x11\x0a\x3f\xd7"), true, false},  /* blraa x16, x17 */
	  {STR("\x1f\x0a\x3f\xd6"), true, false},  /* blraaz x16 */
	  {STR("\x00\x00\x00\x14"), false, false}, /* b */
	  {STR("\xc0\x03\x5f\xd6"), false, false}, /* ret */
	  {STR("\x01\x00\x00\xd4"), false, true},  /* svc 0 */
	  {STR("\x94"), false, false},
};

static void check(const struct arch *a, struct str bytes, bool call, bool syscall)
{
	struct unwind_object o = {.image = bytes};
	struct unwind_place p = {.object = &o, .addr = 0x400000 + bytes.n, .bias = -0x400000ul};
	assert_int_equal(unwind_follows_syscall(a, &p), syscall);
	p.addr--;
	assert_int_equal(unwind_follows_call(a, &p), call);
	/* Where handlers return to, nobody called. */
	struct cfi_rule signal = {.flags = CFI_SIGNAL};
	p.rule = &signal;
	assert_true(unwind_follows_call(a, &p));
	/* Bytes that are not known may be anything. */
	p.rule = NULL;
	p.addr += 100;
	assert_true(unwind_follows_call(a, &p));
	assert_false(unwind_follows_syscall(a, &p));
}

static void calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(x86); i++)
		check(&arch_x86_64, x86[i].bytes, x86[i].call, x86[i].syscall);
	for (size_t i = 0; i < ARRAY_LEN(arm64); i++)
		check(&arch_arm64, arm64[i].bytes, arm64[i].call, arm64[i].syscall);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {cmocka_unit_test(calls)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
