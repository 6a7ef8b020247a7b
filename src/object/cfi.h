/*
 * CFI: how to find the caller of any place in an object's code, compiled from .eh_frame and
 * .debug_frame.
 *
 * The sections hold small programs per function; running them for each frame of each stack would be
 * slow, and impossible inside of the kernel. So they are run once, for all of the object: the
 * result is a sorted array of rows, each the number of a rule that holds from its pc up to the next
 * row. Functions are alike: a million rows share some hundred rules. All arrays have entries of
 * fixed size and no pointers, so that they can be kept in a file, mapped, or given to a BPF program
 * as they are.
 *
 * Addresses are those of the symbol tables: file offsets.
 */
#ifndef KILN_CFI_H
#define KILN_CFI_H

#include "arch/arch.h"
#include "base/build_id.h"
#include "base/err.h"
#include "base/file.h"
#include "object/elf_file.h"

/* The canonical frame address: what sp was before the call. */
enum cfi_cfa {
	CFI_NONE,       /* nothing is known about this code */
	CFI_REG,        /* reg + value */
	CFI_DEREF,      /* the word at reg + value */
	CFI_PLT,        /* sp + 8, and 8 more when the low 4 bits of pc are at least `value` */
	CFI_EXPRESSION, /* expression `value` */
};

enum cfi_rule_flag {
	CFI_SIGNAL = 1 << 0, /* a signal was delivered here: the caller's pc is exact */
	CFI_SIGNED = 1 << 1, /* the return address is signed (arm64) */
};

struct cfi_rule {
	uint8_t cfa; /* enum cfi_cfa */
	uint8_t reg;
	uint8_t flags;
	uint8_t save_count;
	int32_t value;
	uint32_t first_save;
};

/* Where the caller's value of a register is. */
enum cfi_how {
	CFI_UNLISTED,  /* not in any table: as the arch says for calls; sp is the CFA */
	CFI_UNDEFINED, /* lost; of the return address: this is the outermost frame */
	CFI_SAME,
	CFI_AT_CFA,   /* in memory at CFA + value */
	CFI_CFA_PLUS, /* CFA + value itself */
	CFI_IN_REG,   /* in register `base` */
	CFI_AT_REG,   /* in memory at register `base` + value */
	CFI_AT_EXPR,  /* in memory where expression `value` says */
	CFI_IS_EXPR,  /* what expression `value` says */
};

/* A rule's saves follow each other: the return address first when it is there, then the frame
 * pointer, then the others by number. */
struct cfi_save {
	uint8_t reg;
	uint8_t how;
	uint8_t base;
	uint8_t unused;
	int32_t value;
};

struct cfi_row {
	uint32_t pc; /* address - base */
	uint32_t rule;
};

struct cfi_table {
	const struct arch *arch;
	uint64_t base;
	const struct cfi_row *rows; /* by pc */
	const uint32_t *pages; /* rows with a smaller pc than page << page_shift; one more at the
				  end */
	const struct cfi_rule *rules; /* [0] is CFI_NONE */
	const struct cfi_save *saves;
	const uint8_t *exprs; /* each: u16 length, bytes */
	uint32_t row_count, page_count, rule_count, save_count, expr_size;
	uint32_t page_shift;
	uint8_t *block;    /* all of the above is in here … */
	size_t block_size; /* … as it is in a file, … */
	struct mapped map; /* … or in this file */
};

void cfi_free(struct cfi_table *t);

/* The rule for an address; NULL when nothing is known there. */
const struct cfi_rule *cfi_find(const struct cfi_table *t, uint64_t addr);

static inline const struct cfi_save *cfi_saves(const struct cfi_table *t, const struct cfi_rule *r)
{
	return t->saves + r->first_save;
}

/* The bytes of expression `value`; empty when there is none. */
struct str cfi_expression(const struct cfi_table *t, int32_t value);

/* --- where tables come from ------------------------------------------------------------------ */

struct cfi_section {
	struct str data; /* empty: not there */
	uint64_t addr;   /* where it is loaded: pointers are relative to it */
	bool eh;         /* .eh_frame; else .debug_frame */
};

struct cfi_input {
	const struct arch *arch;
	struct cfi_section sections[2]; /* where both speak of an address, the first holds */
	const struct elf_load *loads;   /* virtual addresses to file offsets … */
	uint32_t load_count;            /* … 0: addresses stay as they are */
	uint64_t text, got;             /* what pointers may be relative to; 0: unknown */
};

/* False when there is not a single row. Lies in the input end the function they are in. */
MUST_USE bool cfi_build(struct cfi_table *t, const struct cfi_input *in);

/* From the file that ran and, when it is not NULL, its separate debug file. False when neither has
 * CFI for a CPU we know. */
MUST_USE bool cfi_build_elf(struct cfi_table *t, const struct elf_file *run,
			    const struct elf_file *debug);

/* --- the cache on disk: DIR/BUILD-ID.cfi -------------------------------------------------------
 *
 * What is read from there is checked as any input is. Failing to write is nobody's trouble. */

MUST_USE bool cfi_cache_load(struct cfi_table *t, const char *dir, const struct build_id *id);
/* Oldest entries make room when all of them together are larger than `limit` bytes. */
void cfi_cache_store(const struct cfi_table *t, const char *dir, const struct build_id *id,
		     uint64_t limit);

/* The bytes of such a file; the table must have been built here. Borrowed from it. */
struct str cfi_block(struct cfi_table *t, const struct build_id *id);
/* A table out of the bytes of a cache file, borrowed. False when they are damaged. */
MUST_USE bool cfi_open_block(struct cfi_table *t, const uint8_t *p, size_t n,
			     const struct build_id *id);

/* --- expressions ------------------------------------------------------------------------------ */

struct cfi_eval {
	const uint64_t *regs;
	uint32_t valid; /* bits: registers with a known value */
	uint64_t bias;  /* run-time address - address in the file */
	bool (*read)(void *ctx, uint64_t addr, unsigned size, uint64_t *out);
	void *ctx;
};

/* Starts with the CFA on the stack when there is one. False when the expression is malformed, takes
 * too long or asks for what is not known. */
MUST_USE bool cfi_evaluate(const struct cfi_eval *e, struct str expr, const uint64_t *cfa,
			   uint64_t *out);

#endif
