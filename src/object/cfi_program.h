/* The programs of CFI: run once per function, they give the rows of the table. */
#ifndef KILN_CFI_PROGRAM_H
#define KILN_CFI_PROGRAM_H

#include "object/cfi_entries.h"
#include "object/cfi_pool.h"

struct cfi_rows {
	struct cfi_row *v;
	size_t n, cap;
	uint64_t base; /* address of pc 0 */
};

/* The rule from an address on; must not go back. */
void cfi_rows_add(struct cfi_rows *rows, uint64_t addr, uint32_t rule);

/* The rows of one function, up to `end`, where nothing is known any more. */
void cfi_run(struct cfi_pool *pool, struct cfi_entries *e, const struct cfi_fde *f, uint64_t end,
	     struct cfi_rows *rows);

#endif
