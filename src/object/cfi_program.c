#include "object/cfi_program.h"

/* Compilers nest two or three. */
#define REMEMBER_MAX 16
#define ROWS_MAX (1u << 24)

enum {
	/* in the two high bits; the operand is in the others */
	CFA_ADVANCE_LOC = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	/* whole bytes */
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02,
	CFA_ADVANCE_LOC2 = 0x03,
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_MIPS_ADVANCE_LOC8 = 0x1d,
	CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_GNU_WINDOW_SAVE = 0x2d, /* on arm64: negate_ra_state */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct machine {
	struct cfi_pool *pool;
	struct cfi_entries *entries;
	const struct cfi_cie *cie;
	const struct cfi_state *start; /* what restore goes back to; NULL: in a CIE itself */
	struct cfi_state now;
	struct cfi_state *kept; /* REMEMBER_MAX of them */
	unsigned kept_count;
	struct cursor c;
	/* Of a function: */
	const struct cfi_fde *fde;
	uint64_t addr, end;
	struct cfi_rows *rows;
};

/* --- rows ------------------------------------------------------------------------------------- */

void cfi_rows_add(struct cfi_rows *rows, uint64_t addr, uint32_t rule)
{
	if (!rows->n)
		rows->base = addr;
	uint64_t pc = addr - rows->base;
	if (pc > UINT32_MAX) {
		pc = UINT32_MAX;
		rule = 0;
	}
	if (rows->n && rows->v[rows->n - 1].pc == pc)
		rows->n--;
	uint32_t before = rows->n ? rows->v[rows->n - 1].rule : 0;
	if (before == rule)
		return;
	if (rows->n == rows->cap) {
		if (rows->n >= ROWS_MAX)
			return;
		rows->cap = rows->cap ? rows->cap + rows->cap / 2 : 1024;
		rows->v = mem_realloc_array(rows->v, rows->cap, sizeof *rows->v);
	}
	rows->v[rows->n++] = (struct cfi_row){(uint32_t)pc, rule};
}

static void emit(struct machine *m)
{
	cfi_rows_add(m->rows, m->addr, cfi_pool_rule(m->pool, &m->now));
}

/* False when the function's end is reached, or the new place lies before the present one. */
static bool advance_to(struct machine *m, uint64_t addr)
{
	if (!m->fde || addr < m->addr)
		return false;
	if (addr > m->addr)
		emit(m);
	m->addr = addr;
	return addr < m->end;
}

static bool advance(struct machine *m, uint64_t delta)
{
	uint64_t by;
	if (__builtin_mul_overflow(delta, m->cie->code_align, &by) || by > m->end - m->addr)
		by = m->end - m->addr;
	return advance_to(m, m->addr + by);
}

/* --- registers -------------------------------------------------------------------------------- */

static bool fits(int64_t v)
{
	return v == (int32_t)v;
}

/* Registers that are not followed (vectors, flags) may have rules; they change nothing. */
static bool followed(const struct machine *m, uint64_t reg)
{
	return reg < m->pool->arch->dwarf.count;
}

static bool set(struct machine *m, uint64_t reg, enum cfi_how how, uint8_t base, int64_t value)
{
	if (!followed(m, reg))
		return true;
	if (!fits(value))
		return false;
	const struct arch_dwarf *a = &m->pool->arch->dwarf;
	/* What is so anyway is not listed: more rules are equal. */
	if (how == CFI_SAME && (a->saved >> reg & 1))
		how = CFI_UNLISTED;
	if (how == CFI_UNLISTED)
		value = 0;
	cfi_state_set(&m->now, (struct cfi_save){.reg = (uint8_t)reg,
						 .how = (uint8_t)how,
						 .base = base,
						 .value = (int32_t)value});
	return true;
}

static bool set_offset(struct machine *m, uint64_t reg, enum cfi_how how, int64_t factored)
{
	int64_t offset;
	return !__builtin_mul_overflow(factored, m->cie->data_align, &offset) &&
	       set(m, reg, how, 0, offset);
}

static bool restore(struct machine *m, uint64_t reg)
{
	if (!followed(m, reg))
		return true;
	if (!m->start)
		return false;
	struct cfi_save save = m->start->saves[reg];
	save.reg = (uint8_t)reg;
	cfi_state_set(&m->now, save);
	return true;
}

static bool set_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	if (!followed(m, reg) || !fits(offset))
		return false;
	m->now.cfa = CFI_REG;
	m->now.reg = (uint8_t)reg;
	m->now.value = (int32_t)offset;
	return true;
}

static bool set_cfa_offset(struct machine *m, int64_t offset)
{
	return m->now.cfa == CFI_REG && set_cfa(m, m->now.reg, offset);
}

/* --- expressions ------------------------------------------------------------------------------ */

enum {
	OP_DEREF = 0x06,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
};

static struct str take_expression(struct machine *m)
{
	uint64_t n = cfi_uleb(&m->c);
	const uint8_t *p = n <= cursor_left(&m->c) ? cursor_bytes(&m->c, (size_t)n) : NULL;
	if (!p)
		cursor_fail(&m->c);
	return str_make((const char *)p, p ? (size_t)n : 0);
}

/* "register + constant", the form of nearly all expressions; *rest gets what follows. */
static bool is_based(const struct machine *m, struct str e, uint8_t *reg, int32_t *value,
		     struct str *rest)
{
	struct cursor c = cursor_of(e.p, e.n, false);
	uint8_t op = cursor_u8(&c);
	int64_t offset = cfi_sleb(&c);
	if (c.bad || op < OP_BREG0 || op > OP_BREG31 || !followed(m, op - OP_BREG0) ||
	    !fits(offset))
		return false;
	*reg = op - OP_BREG0;
	*value = (int32_t)offset;
	*rest = str_make((const char *)c.p, cursor_left(&c));
	return true;
}

/* What binutils and lld write for .plt: entries push a word at their byte 11 (or so).
 * sp + 8 + ((pc & 15 >= N) << 3) */
static bool is_plt(struct str e, int32_t *value)
{
	static const uint8_t head[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a},
			     tail[] = {0x2a, 0x33, 0x24, 0x22};
	if (e.n != sizeof head + 1 + sizeof tail || memcmp(e.p, head, sizeof head) != 0 ||
	    memcmp(e.p + sizeof head + 1, tail, sizeof tail) != 0)
		return false;
	uint8_t literal = (uint8_t)e.p[sizeof head];
	*value = literal - 0x30;
	return literal >= 0x30 && literal <= 0x3f;
}

static bool set_cfa_expression(struct machine *m)
{
	struct str e = take_expression(m), rest;
	uint8_t reg;
	int32_t value;
	if (is_based(m, e, &reg, &value, &rest) && rest.n == 0) {
		m->now.cfa = CFI_REG;
	} else if (is_based(m, e, &reg, &value, &rest) && rest.n == 1 && rest.p[0] == OP_DEREF) {
		m->now.cfa = CFI_DEREF;
	} else if (m->pool->arch == &arch_x86_64 && is_plt(e, &value)) {
		m->now.cfa = CFI_PLT;
		reg = m->pool->arch->dwarf.sp;
	} else if (cfi_pool_expression(m->pool, e, &value)) {
		m->now.cfa = CFI_EXPRESSION;
		reg = 0;
	} else {
		return false;
	}
	m->now.reg = reg;
	m->now.value = value;
	return true;
}

static bool set_expression(struct machine *m, enum cfi_how how)
{
	uint64_t reg = cfi_uleb(&m->c);
	struct str e = take_expression(m), rest;
	uint8_t base;
	int32_t value;
	if (!followed(m, reg))
		return true;
	if (how == CFI_AT_EXPR && is_based(m, e, &base, &value, &rest) && !rest.n)
		return set(m, reg, CFI_AT_REG, base, value);
	return cfi_pool_expression(m->pool, e, &value) && set(m, reg, how, 0, value);
}

/* --- instructions ----------------------------------------------------------------------------- */

static bool remember(struct machine *m)
{
	if (m->kept_count == REMEMBER_MAX)
		return false;
	m->kept[m->kept_count++] = m->now;
	return true;
}

static bool recall(struct machine *m)
{
	if (!m->kept_count)
		return false;
	m->now = m->kept[--m->kept_count];
	return true;
}

static bool set_loc(struct machine *m)
{
	uint64_t vaddr;
	struct cfi_bases b = m->entries->bases;
	if (!m->fde)
		return false;
	b.func = m->fde->start - m->fde->delta;
	return cfi_pointer(&m->c, &b, m->cie->encoding, &vaddr) &&
	       advance_to(m, MIN(vaddr + m->fde->delta, m->end));
}

static bool in_register(struct machine *m)
{
	uint64_t reg = cfi_uleb(&m->c), base = cfi_uleb(&m->c);
	return followed(m, base) ? set(m, reg, CFI_IN_REG, (uint8_t)base, 0)
				 : set(m, reg, CFI_UNDEFINED, 0, 0);
}

static bool negate_ra_state(struct machine *m)
{
	if (m->pool->arch == &arch_arm64)
		m->now.flags ^= CFI_SIGNED;
	return m->pool->arch == &arch_arm64;
}

/* Those about the CFA and about where code is. */
static bool step_cfa(struct machine *m, uint8_t op)
{
	struct cursor *c = &m->c;
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		return set_loc(m);
	case CFA_ADVANCE_LOC1:
		return advance(m, cursor_u8(c));
	case CFA_ADVANCE_LOC2:
		return advance(m, cursor_u16(c));
	case CFA_ADVANCE_LOC4:
		return advance(m, cursor_u32(c));
	case CFA_MIPS_ADVANCE_LOC8:
		return advance(m, cursor_u64(c));
	case CFA_REMEMBER_STATE:
		return remember(m);
	case CFA_RESTORE_STATE:
		return recall(m);
	case CFA_DEF_CFA: {
		uint64_t reg = cfi_uleb(c);
		return set_cfa(m, reg, (int64_t)cfi_uleb(c));
	}
	case CFA_DEF_CFA_SF: {
		uint64_t reg = cfi_uleb(c);
		int64_t offset;
		return !__builtin_mul_overflow(cfi_sleb(c), m->cie->data_align, &offset) &&
		       set_cfa(m, reg, offset);
	}
	case CFA_DEF_CFA_REGISTER:
		return m->now.cfa == CFI_REG && set_cfa(m, cfi_uleb(c), m->now.value);
	case CFA_DEF_CFA_OFFSET:
		return set_cfa_offset(m, (int64_t)cfi_uleb(c));
	case CFA_DEF_CFA_OFFSET_SF: {
		int64_t offset;
		return !__builtin_mul_overflow(cfi_sleb(c), m->cie->data_align, &offset) &&
		       set_cfa_offset(m, offset);
	}
	case CFA_DEF_CFA_EXPRESSION:
		return set_cfa_expression(m);
	case CFA_GNU_ARGS_SIZE: /* for exceptions only */
		(void)cfi_uleb(c);
		return true;
	case CFA_GNU_WINDOW_SAVE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return negate_ra_state(m);
	default:
		return false;
	}
}

/* Those about a register, which comes first. */
static bool step_register(struct machine *m, uint8_t op)
{
	struct cursor *c = &m->c;
	if (op == CFA_REGISTER)
		return in_register(m);
	if (op == CFA_EXPRESSION || op == CFA_VAL_EXPRESSION)
		return set_expression(m, op == CFA_EXPRESSION ? CFI_AT_EXPR : CFI_IS_EXPR);
	uint64_t reg = cfi_uleb(c);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		return set_offset(m, reg, CFI_AT_CFA, (int64_t)cfi_uleb(c));
	case CFA_OFFSET_EXTENDED_SF:
		return set_offset(m, reg, CFI_AT_CFA, cfi_sleb(c));
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		return set_offset(m, reg, CFI_AT_CFA, (int64_t)(-cfi_uleb(c)));
	case CFA_VAL_OFFSET:
		return set_offset(m, reg, CFI_CFA_PLUS, (int64_t)cfi_uleb(c));
	case CFA_VAL_OFFSET_SF:
		return set_offset(m, reg, CFI_CFA_PLUS, cfi_sleb(c));
	case CFA_RESTORE_EXTENDED:
		return restore(m, reg);
	case CFA_UNDEFINED:
		return set(m, reg, CFI_UNDEFINED, 0, 0);
	case CFA_SAME_VALUE:
		return set(m, reg, CFI_SAME, 0, 0);
	default:
		return false;
	}
}

static bool step(struct machine *m)
{
	uint8_t byte = cursor_u8(&m->c), low = byte & 0x3f;
	switch (byte & 0xc0) {
	case CFA_ADVANCE_LOC:
		return advance(m, low);
	case CFA_OFFSET:
		return set_offset(m, low, CFI_AT_CFA, (int64_t)cfi_uleb(&m->c));
	case CFA_RESTORE:
		return restore(m, low);
	}
	switch (byte) {
	case CFA_OFFSET_EXTENDED:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
	case CFA_RESTORE_EXTENDED:
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
	case CFA_REGISTER:
	case CFA_EXPRESSION:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
	case CFA_VAL_EXPRESSION:
		return step_register(m, byte);
	default:
		return step_cfa(m, byte);
	}
}

/* False when it ended early, at its function's end or by an error. */
static bool run(struct machine *m)
{
	while (cursor_left(&m->c))
		if (!step(m) || m->c.bad)
			return false;
	return true;
}

static void run_cie(struct cfi_pool *pool, struct cfi_entries *e, struct cfi_cie *cie)
{
	struct cfi_state kept[REMEMBER_MAX];
	struct machine m = {.pool = pool, .entries = e, .cie = cie, .kept = kept};
	m.c = cursor_of(cie->program.p, cie->program.n, false);
	m.now = (struct cfi_state){.list = CFI_NO_LIST, .flags = cie->signal ? CFI_SIGNAL : 0};
	cie->good = run(&m);
	(void)cfi_pool_rule(pool, &m.now); /* numbers its list, which most functions begin with */
	cie->start = m.now;
	cie->ran = true;
}

void cfi_run(struct cfi_pool *pool, struct cfi_entries *e, const struct cfi_fde *f, uint64_t end,
	     struct cfi_rows *rows)
{
	struct cfi_cie *cie = &e->cies.v[f->cie];
	if (!cie->ran)
		run_cie(pool, e, cie);
	if (!cie->good)
		return;
	struct cfi_state kept[REMEMBER_MAX];
	struct machine m = {.pool = pool,
			    .entries = e,
			    .cie = cie,
			    .start = &cie->start,
			    .now = cie->start,
			    .kept = kept,
			    .fde = f,
			    .addr = f->start,
			    .end = MIN(f->end, end),
			    .rows = rows};
	m.c = cursor_of(e->section->data.p + f->program, f->program_size, false);
	bool whole = run(&m);
	/* What follows an error is unknown, but for the last place reached before it. */
	if (m.addr < m.end && whole)
		emit(&m);
	else if (m.addr < m.end)
		cfi_rows_add(rows, m.addr, 0);
	cfi_rows_add(rows, m.end, 0);
}
