/* The entries of .eh_frame and .debug_frame: what functions have in common (CIE), and one per
 * function (FDE). */
#ifndef KILN_CFI_ENTRIES_H
#define KILN_CFI_ENTRIES_H

#include "base/hash.h"
#include "object/cfi.h"
#include "object/cfi_pool.h"
#include "object/cfi_read.h"

struct cfi_cie {
	bool good;
	bool augmented; /* entries have a length of extra data ('z') */
	bool signal;
	uint8_t encoding; /* of the pointers in its FDEs */
	uint64_t code_align;
	int64_t data_align;
	struct str program; /* what holds at the start of every function */
	/* What it leads to; ready when the program has been run. */
	bool ran;
	struct cfi_state start;
};

struct cfi_fde {
	uint64_t start, end; /* addresses in the object; end exclusive */
	uint64_t delta;      /* address in the object - virtual address */
	uint32_t cie;        /* index */
	uint32_t program, program_size;
};

struct cfi_entries {
	const struct cfi_input *in;
	const struct cfi_section *section;
	struct cfi_bases bases;
	VEC(struct cfi_cie) cies;
	struct u64map cie_at; /* offset -> index */
	VEC(struct cfi_fde) fdes;
};

/* Reads all of the section, up to the first entry that contradicts itself. */
void cfi_entries_read(struct cfi_entries *e, const struct cfi_input *in,
		      const struct cfi_section *section);
void cfi_entries_free(struct cfi_entries *e);

#endif
