/* Rules, lists of saves and expressions while a table is built: equal ones are kept once. */
#ifndef KILN_CFI_POOL_H
#define KILN_CFI_POOL_H

#include "base/hash.h"
#include "object/cfi.h"

#define CFI_REGS 32
/* No compiler makes half as many; a lying file shall not fill the memory. */
#define CFI_POOL_MAX (1u << 20)

/* What is known at one pc. */
struct cfi_state {
	uint8_t cfa, reg, flags;
	int32_t value;
	uint32_t listed;     /* bits: registers with an entry in `saves` */
	uint32_t list;       /* number of their interned list; CFI_NO_LIST: changed since */
	uint64_t saves_hash; /* over the listed ones, in any order */
	struct cfi_save saves[CFI_REGS];
};
#define CFI_NO_LIST UINT32_MAX

struct cfi_list {
	uint64_t hash;
	uint32_t first, count;
};

struct cfi_pool {
	const struct arch *arch;
	bool full;                  /* nothing more is taken, nor looked for: the input lies */
	VEC(struct cfi_rule) rules; /* [0]: CFI_NONE */
	VEC(struct cfi_list) lists;
	VEC(struct cfi_save) saves;
	VEC(uint8_t) exprs;
	struct index rule_index, list_index, expr_index;
};

void cfi_pool_init(struct cfi_pool *p, const struct arch *arch);
void cfi_pool_free(struct cfi_pool *p);

/* Sets what is known of a register; CFI_UNLISTED: nothing. */
void cfi_state_set(struct cfi_state *s, struct cfi_save save);

/* The number of the state's rule; 0 when the pool is full. */
uint32_t cfi_pool_rule(struct cfi_pool *p, struct cfi_state *s);

/* The number of an expression; false when it is too long or the pool is full. */
MUST_USE bool cfi_pool_expression(struct cfi_pool *p, struct str bytes, int32_t *value);

#endif
