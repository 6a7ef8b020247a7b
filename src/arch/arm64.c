#include "arch/arch.h"

#include <elf.h>

/* Bits of PERF_REG_ARM64_*. */
static const char *const regs[] = {
	[0] = "x0",   [1] = "x1",   [2] = "x2",   [3] = "x3",   [4] = "x4",   [5] = "x5",
	[6] = "x6",   [7] = "x7",   [8] = "x8",   [9] = "x9",   [10] = "x10", [11] = "x11",
	[12] = "x12", [13] = "x13", [14] = "x14", [15] = "x15", [16] = "x16", [17] = "x17",
	[18] = "x18", [19] = "x19", [20] = "x20", [21] = "x21", [22] = "x22", [23] = "x23",
	[24] = "x24", [25] = "x25", [26] = "x26", [27] = "x27", [28] = "x28", [29] = "x29",
	[30] = "lr",  [31] = "sp",  [32] = "pc",  [46] = "vg",
};

/* x0 .. x30, sp: the same numbers. */
static const uint8_t dwarf_to_perf[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

const struct arch arch_arm64 = {
	.name = "aarch64",
	.e_machine = EM_AARCH64,
	.word = 8,
	.reg_ip = 32,
	.reg_sp = 31,
	.reg_fp = 29,
	.reg_count = ARRAY_LEN(regs),
	.regs = regs,
	.dwarf = {.count = ARRAY_LEN(dwarf_to_perf),
		  .sp = 31,
		  .fp = 29,
		  .ra = 30,
		  .ra_register = true,
		  .saved = 0x7ff80000, /* x19 .. x30 */
		  .ra_mask = ((uint64_t)1 << 48) - 1,
		  .perf = dwarf_to_perf},
	.plt = {.header = 32, .entry = 16},
	.mapping_symbols = true,
};
