/*
 * A table as one block of bytes, which is also the file in the cache:
 *
 *   header | rows | pages | rules | saves | expressions
 *
 * each part beginning at a multiple of 8, numbers in the machine's own order. The header holds the
 * build id of the object, and a checksum over all that follows it.
 */
#ifndef KILN_CFI_BLOCK_H
#define KILN_CFI_BLOCK_H

#include "object/cfi.h"
#include "object/cfi_pool.h"
#include "object/cfi_program.h"

/* Puts what was built into a block that the table owns. */
void cfi_block_make(struct cfi_table *t, const struct cfi_pool *pool, const struct cfi_rows *rows);

/* The block's header with this build id: what a file begins with. Its size is CFI_HEADER_SIZE. */
#define CFI_HEADER_SIZE 96
void cfi_block_header(const struct cfi_table *t, const struct build_id *id,
		      uint8_t out[CFI_HEADER_SIZE]);

#endif
