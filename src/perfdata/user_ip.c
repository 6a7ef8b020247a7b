#include "arch/arch.h"
#include "perfdata/record.h"

bool sample_user_ip(const struct sample *s, const struct attr *a, const char *machine, bool swap,
		    uint64_t *ip)
{
	const struct arch *arch = machine ? arch_by_name(str_of(machine)) : arch_native();
	if (!s->user_regs || !arch || !(a->sample_regs_user >> arch->reg_ip & 1))
		return false;
	uint64_t below = a->sample_regs_user & (((uint64_t)1 << arch->reg_ip) - 1);
	*ip = load64(s->user_regs + 8 * (size_t)__builtin_popcountll(below));
	if (swap)
		*ip = swap64(*ip);
	return true;
}
