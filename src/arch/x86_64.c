#include "arch/arch.h"

#include <elf.h>

/* Bits of PERF_REG_X86_*; the 8 bits after R15 are unused, XMM registers take two bits each. */
static const char *const regs[] = {
	[0] = "AX",     [1] = "BX",     [2] = "CX",     [3] = "DX",     [4] = "SI",
	[5] = "DI",     [6] = "BP",     [7] = "SP",     [8] = "IP",     [9] = "FLAGS",
	[10] = "CS",    [11] = "SS",    [12] = "DS",    [13] = "ES",    [14] = "FS",
	[15] = "GS",    [16] = "R8",    [17] = "R9",    [18] = "R10",   [19] = "R11",
	[20] = "R12",   [21] = "R13",   [22] = "R14",   [23] = "R15",   [32] = "XMM0",
	[33] = "XMM0",  [34] = "XMM1",  [35] = "XMM1",  [36] = "XMM2",  [37] = "XMM2",
	[38] = "XMM3",  [39] = "XMM3",  [40] = "XMM4",  [41] = "XMM4",  [42] = "XMM5",
	[43] = "XMM5",  [44] = "XMM6",  [45] = "XMM6",  [46] = "XMM7",  [47] = "XMM7",
	[48] = "XMM8",  [49] = "XMM8",  [50] = "XMM9",  [51] = "XMM9",  [52] = "XMM10",
	[53] = "XMM10", [54] = "XMM11", [55] = "XMM11", [56] = "XMM12", [57] = "XMM12",
	[58] = "XMM13", [59] = "XMM13", [60] = "XMM14", [61] = "XMM14", [62] = "XMM15",
	[63] = "XMM15",
};

/* ax dx cx bx si di bp sp r8 .. r15, return address */
static const uint8_t dwarf_to_perf[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.e_machine = EM_X86_64,
	.word = 8,
	.reg_ip = 8,
	.reg_sp = 7,
	.reg_fp = 6,
	.reg_count = ARRAY_LEN(regs),
	.regs = regs,
	.dwarf = {.count = ARRAY_LEN(dwarf_to_perf),
		  .sp = 7,
		  .fp = 6,
		  .ra = 16,
		  .saved = 1 << 3 | 1 << 6 | 0xf000, /* bx, bp, r12 .. r15 */
		  .ra_mask = UINT64_MAX,
		  .perf = dwarf_to_perf},
};
