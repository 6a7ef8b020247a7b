#include "arch/arch.h"

#include <elf.h>

static const struct arch *const all[] = {&arch_x86_64, &arch_arm64};

const struct arch *arch_by_machine(uint16_t e_machine)
{
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i]->e_machine == e_machine)
			return all[i];
	return NULL;
}

const struct arch *arch_by_name(struct str uname)
{
	if (str_is(uname, "arm64"))
		return &arch_arm64;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (str_is(uname, all[i]->name))
			return all[i];
	return NULL;
}

const struct arch *arch_native(void)
{
#if defined(__x86_64__)
	return &arch_x86_64;
#elif defined(__aarch64__)
	return &arch_arm64;
#else
	return NULL;
#endif
}
