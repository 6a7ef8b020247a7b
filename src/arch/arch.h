/*
 * CPUs as const tables: names, registers, the layout of linker-made code. Every table is built on
 * every machine, because a profile may come from another one.
 */
#ifndef KILN_ARCH_H
#define KILN_ARCH_H

#include "base/base.h"
#include "base/str.h"

/* The PLT of one CPU's linkers: a header and then one entry per relocation. */
struct arch_plt {
	uint8_t header; /* bytes; 0: as large as the section says one entry is */
	uint8_t entry;
};

/* DWARF's numbers of registers, and what a caller may expect of them. */
struct arch_dwarf {
	uint8_t count; /* those that unwinding follows: 0 .. count-1, at most 32 */
	uint8_t sp, fp;
	uint8_t ra;          /* the column of the return address … */
	bool ra_register;    /* … which is a register: a leaf may not have stored it */
	uint32_t saved;      /* bits: calls keep these, unless CFI says otherwise */
	uint64_t ra_mask;    /* bits of a return address; the others may be its signature */
	const uint8_t *perf; /* by number: bit in perf's register masks */
};

struct arch {
	const char *name;   /* as uname -m and the ARCH feature of perf.data say it */
	uint16_t e_machine; /* EM_* */
	uint8_t word;       /* bytes in a user pointer */
	uint8_t reg_ip;     /* bit numbers in perf's register masks */
	uint8_t reg_sp;
	uint8_t reg_fp;
	uint8_t reg_count;       /* names in regs */
	const char *const *regs; /* by bit number, as `perf script -F uregs` prints them */
	struct arch_plt plt;
	struct arch_dwarf dwarf;
	bool mapping_symbols; /* "$x" and "$d" mark code and data, they are not functions */
};

/* NULL when there is no table for it. Several uname names may mean one table (arm64, aarch64). */
const struct arch *arch_by_name(struct str uname);
const struct arch *arch_by_machine(uint16_t e_machine);

/* The CPU this program runs on; NULL when there is no table for it. */
const struct arch *arch_native(void);

/* NULL when perf has no name for that bit. */
static inline const char *arch_reg_name(const struct arch *a, unsigned bit)
{
	return bit < a->reg_count ? a->regs[bit] : NULL;
}

extern const struct arch arch_x86_64;
extern const struct arch arch_arm64;

#endif
