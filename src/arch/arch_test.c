#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "arch/arch.h"

static void names(void **state)
{
	(void)state;
	assert_ptr_equal(arch_by_name(STR("x86_64")), &arch_x86_64);
	assert_ptr_equal(arch_by_name(STR("aarch64")), &arch_arm64);
	assert_ptr_equal(arch_by_name(STR("arm64")), &arch_arm64);
	assert_null(arch_by_name(STR("x86_6")));
	assert_null(arch_by_name(STR("")));
	assert_ptr_equal(arch_by_machine(EM_AARCH64), &arch_arm64);
	assert_ptr_equal(arch_by_machine(EM_X86_64), &arch_x86_64);
	assert_null(arch_by_machine(EM_NONE));
}

static void native(void **state)
{
	(void)state;
	struct utsname u;
	assert_int_equal(uname(&u), 0);
	if (arch_native())
		assert_ptr_equal(arch_by_name(str_of(u.machine)), arch_native());
	else
		skip();
}

static void registers(void **state)
{
	(void)state;
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.reg_ip), "IP");
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.reg_sp), "SP");
	assert_string_equal(arch_reg_name(&arch_x86_64, arch_x86_64.reg_fp), "BP");
	assert_string_equal(arch_reg_name(&arch_x86_64, 23), "R15");
	assert_null(arch_reg_name(&arch_x86_64, 24));
	assert_null(arch_reg_name(&arch_x86_64, 64));
	assert_string_equal(arch_reg_name(&arch_arm64, arch_arm64.reg_ip), "pc");
	assert_string_equal(arch_reg_name(&arch_arm64, arch_arm64.reg_sp), "sp");
	assert_string_equal(arch_reg_name(&arch_arm64, arch_arm64.reg_fp), "x29");
	assert_null(arch_reg_name(&arch_arm64, 40));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(native),
		cmocka_unit_test(registers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
