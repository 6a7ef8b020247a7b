/* DWARF expressions, as far as CFI may use them: a stack of numbers, registers and memory. */
#include "object/cfi.h"
#include "object/cfi_read.h"

/* Real expressions have a dozen steps; branches backward could make them endless. */
#define STEPS_MAX 1000
#define DEPTH_MAX 64

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct run {
	const struct cfi_eval *env;
	struct str expr;
	struct cursor c;
	unsigned n;
	uint64_t v[DEPTH_MAX];
};

static bool push(struct run *r, uint64_t v)
{
	if (r->n == DEPTH_MAX)
		return false;
	r->v[r->n++] = v;
	return true;
}

static bool push_reg(struct run *r, uint64_t reg, int64_t offset)
{
	if (reg >= 32 || !(r->env->valid >> reg & 1))
		return false;
	return push(r, r->env->regs[reg] + (uint64_t)offset);
}

static bool jump(struct run *r)
{
	int16_t by = (int16_t)cursor_u16(&r->c);
	const uint8_t *start = (const uint8_t *)r->expr.p;
	ptrdiff_t at = r->c.p - start + by;
	if (r->c.bad || at < 0 || at > (ptrdiff_t)r->expr.n)
		return false;
	r->c.p = start + at;
	return true;
}

static bool deref(struct run *r, unsigned size)
{
	return r->n && size >= 1 && size <= 8 &&
	       r->env->read(r->env->ctx, r->v[r->n - 1], size, &r->v[r->n - 1]);
}

/* Numbers written in the expression itself. */
static bool step_constant(struct run *r, uint8_t op)
{
	struct cursor *c = &r->c;
	switch (op) {
	case OP_ADDR:
		return push(r, cursor_u64(c) + r->env->bias);
	case OP_CONST1U:
		return push(r, cursor_u8(c));
	case OP_CONST1S:
		return push(r, (uint64_t)(int64_t)(int8_t)cursor_u8(c));
	case OP_CONST2U:
		return push(r, cursor_u16(c));
	case OP_CONST2S:
		return push(r, (uint64_t)(int64_t)(int16_t)cursor_u16(c));
	case OP_CONST4U:
		return push(r, cursor_u32(c));
	case OP_CONST4S:
		return push(r, (uint64_t)(int64_t)(int32_t)cursor_u32(c));
	case OP_CONST8U:
	case OP_CONST8S:
		return push(r, cursor_u64(c));
	case OP_CONSTU:
		return push(r, cfi_uleb(c));
	case OP_CONSTS:
		return push(r, (uint64_t)cfi_sleb(c));
	default:
		return false;
	}
}

static bool step_stack(struct run *r, uint8_t op)
{
	uint64_t *top = r->v + r->n; /* behind the topmost */
	switch (op) {
	case OP_DUP:
		return r->n >= 1 && push(r, top[-1]);
	case OP_DROP:
		return r->n >= 1 && r->n--;
	case OP_OVER:
		return r->n >= 2 && push(r, top[-2]);
	case OP_PICK: {
		uint8_t i = cursor_u8(&r->c);
		return i < r->n && push(r, top[-1 - i]);
	}
	case OP_SWAP:
	case OP_ROT: {
		unsigned n = op == OP_SWAP ? 2 : 3;
		if (r->n < n)
			return false;
		uint64_t first = top[-1];
		for (unsigned i = 1; i < n; i++)
			top[-(int)i] = top[-(int)i - 1];
		top[-(int)n] = first;
		return true;
	}
	default:
		return false;
	}
}

static bool step_unary(struct run *r, uint8_t op)
{
	if (!r->n)
		return false;
	uint64_t *v = &r->v[r->n - 1];
	switch (op) {
	case OP_ABS:
		*v = (int64_t)*v < 0 ? -*v : *v;
		return true;
	case OP_NEG:
		*v = -*v;
		return true;
	case OP_NOT:
		*v = ~*v;
		return true;
	case OP_PLUS_UCONST:
		*v += cfi_uleb(&r->c);
		return true;
	default:
		return false;
	}
}

static bool divide(int64_t a, int64_t b, uint64_t *out)
{
	if (!b)
		return false;
	*out = b == -1 ? -(uint64_t)a : (uint64_t)(a / b);
	return true;
}

static bool step_binary(struct run *r, uint8_t op)
{
	if (r->n < 2)
		return false;
	uint64_t b = r->v[--r->n], a = r->v[r->n - 1], *out = &r->v[r->n - 1];
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (op) {
	case OP_AND:
		*out = a & b;
		return true;
	case OP_OR:
		*out = a | b;
		return true;
	case OP_XOR:
		*out = a ^ b;
		return true;
	case OP_PLUS:
		*out = a + b;
		return true;
	case OP_MINUS:
		*out = a - b;
		return true;
	case OP_MUL:
		*out = a * b;
		return true;
	case OP_DIV:
		return divide(sa, sb, out);
	case OP_MOD:
		*out = b ? a % b : 0;
		return b;
	case OP_SHL:
		*out = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*out = b < 64 ? a >> b : 0;
		return true;
	case OP_SHRA:
		*out = (uint64_t)(sa >> MIN(b, 63));
		return true;
	case OP_EQ:
		*out = a == b;
		return true;
	case OP_NE:
		*out = a != b;
		return true;
	case OP_GE:
		*out = sa >= sb;
		return true;
	case OP_GT:
		*out = sa > sb;
		return true;
	case OP_LE:
		*out = sa <= sb;
		return true;
	case OP_LT:
		*out = sa < sb;
		return true;
	default:
		return false;
	}
}

static bool step(struct run *r)
{
	uint8_t op = cursor_u8(&r->c);
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(r, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_reg(r, op - OP_BREG0, cfi_sleb(&r->c));
	if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
		return step_constant(r, op);
	if (op >= OP_DUP && op <= OP_ROT)
		return step_stack(r, op);
	switch (op) {
	case OP_NOP:
		return true;
	case OP_DEREF:
		return deref(r, 8);
	case OP_DEREF_SIZE:
		return deref(r, cursor_u8(&r->c));
	case OP_BREGX: {
		uint64_t reg = cfi_uleb(&r->c);
		return push_reg(r, reg, cfi_sleb(&r->c));
	}
	case OP_SKIP:
		return jump(r);
	case OP_BRA:
		if (!r->n)
			return false;
		if (r->v[--r->n])
			return jump(r);
		cursor_skip(&r->c, 2);
		return true;
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
		return step_unary(r, op);
	default:
		return step_binary(r, op);
	}
}

bool cfi_evaluate(const struct cfi_eval *e, struct str expr, const uint64_t *cfa, uint64_t *out)
{
	struct run r;
	r.env = e;
	r.expr = expr;
	r.c = cursor_of(expr.p, expr.n, false);
	r.n = 0;
	if (cfa)
		r.v[r.n++] = *cfa;
	for (int steps = 0; cursor_left(&r.c); steps++)
		if (steps == STEPS_MAX || !step(&r) || r.c.bad)
			return false;
	if (!r.n)
		return false;
	*out = r.v[r.n - 1];
	return true;
}
