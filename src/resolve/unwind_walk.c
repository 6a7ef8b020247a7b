#include "resolve/unwind_walk.h"

/* Per stack. Nearly all expressions have rules of their own (see cfi.h): real stacks have a few
 * that do not. */
#define EXPRESSIONS_MAX 256

static bool read_stack(struct unwind_walk *w, uint64_t addr, uint64_t *out)
{
	uint64_t at = addr - w->stack_start;
	if (w->stack_size < 8 || at > w->stack_size - 8) {
		w->missing = true;
		return false;
	}
	*out = load64(w->stack + at);
	return true;
}

/* The difference between where the object's bytes are and where its headers say. */
static bool load_bias(const struct unwind_walk *w, uint64_t *bias)
{
	const struct unwind_place *p = w->place;
	uint64_t vaddr;
	if (!p->object->image.n || !elf_vaddr_of(&p->object->elf, p->addr + p->bias, &vaddr))
		return false;
	*bias = p->addr - vaddr;
	return true;
}

/* For expressions: any size, and constants of the object too. */
static bool read_memory(void *ctx, uint64_t addr, unsigned size, uint64_t *out)
{
	struct unwind_walk *w = ctx;
	uint64_t at = addr - w->stack_start, bias;
	if (w->stack_size >= size && at <= w->stack_size - size) {
		*out = 0;
		memcpy(out, w->stack + at, size);
		return true;
	}
	if (load_bias(w, &bias) && unwind_object_read(w->place->object, addr - bias, size, out))
		return true;
	w->missing = true;
	return false;
}

static bool evaluate(struct unwind_walk *w, const uint64_t *regs, uint32_t valid, int32_t value,
		     const uint64_t *cfa, uint64_t *out)
{
	struct cfi_eval e = {.regs = regs, .valid = valid, .read = read_memory, .ctx = w};
	if (w->evaluated++ >= EXPRESSIONS_MAX)
		return false;
	if (!load_bias(w, &e.bias))
		e.bias = 0;
	return cfi_evaluate(&e, cfi_expression(w->place->table, value), cfa, out);
}

static bool find_cfa(struct unwind_walk *w, const struct cfi_rule *r, uint64_t *cfa)
{
	uint64_t base = w->regs[r->reg];
	bool known = w->valid >> r->reg & 1;
	switch (r->cfa) {
	case CFI_REG:
		*cfa = base + (uint64_t)(int64_t)r->value;
		return known;
	case CFI_DEREF:
		return known && read_stack(w, base + (uint64_t)(int64_t)r->value, cfa);
	case CFI_PLT:
		*cfa = base + 8 + ((w->pc & 15) >= (uint64_t)r->value ? 8 : 0);
		return known;
	case CFI_EXPRESSION:
		return evaluate(w, w->regs, w->valid, r->value, NULL, cfa);
	default:
		return false;
	}
}

/* The caller's registers as they are being found; `regs` and `valid` are those of the callee. */
struct callee {
	const uint64_t *regs;
	uint32_t valid;
	uint64_t cfa, sp;
};

static bool find_saved(struct unwind_walk *w, const struct callee *c, const struct cfi_save *s,
		       uint64_t *out)
{
	uint64_t value = (uint64_t)(int64_t)s->value, at;
	bool known = c->valid >> s->base & 1;
	switch (s->how) {
	case CFI_SAME:
		*out = c->regs[s->reg];
		return c->valid >> s->reg & 1;
	case CFI_AT_CFA:
		/* A function that is about to return has popped what lies below sp; compilers do
		 * not always say so. */
		if (c->cfa + value < c->sp) {
			*out = c->regs[s->reg];
			return c->valid >> s->reg & 1;
		}
		return read_stack(w, c->cfa + value, out);
	case CFI_CFA_PLUS:
		*out = c->cfa + value;
		return true;
	case CFI_IN_REG:
		*out = c->regs[s->base];
		return known;
	case CFI_AT_REG:
		return known && read_stack(w, c->regs[s->base] + value, out);
	case CFI_AT_EXPR:
		return evaluate(w, c->regs, c->valid, s->value, &c->cfa, &at) &&
		       read_memory(w, at, 8, out);
	case CFI_IS_EXPR:
		return evaluate(w, c->regs, c->valid, s->value, &c->cfa, out);
	default:
		return false;
	}
}

/* Rules that only look at the CFA can be applied in place. */
static bool needs_copy(const struct cfi_save *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (s[i].how != CFI_AT_CFA)
			return true;
	return false;
}

static void restore_registers(struct unwind_walk *w, const struct cfi_rule *r, uint64_t cfa)
{
	const struct arch_dwarf *a = &w->arch->dwarf;
	const struct cfi_save *s = cfi_saves(w->place->table, r);
	uint64_t copy[ARRAY_LEN(w->regs)];
	struct callee c = {.regs = w->regs, .valid = w->valid, .cfa = cfa, .sp = w->regs[a->sp]};
	if (needs_copy(s, r->save_count)) {
		memcpy(copy, w->regs, sizeof copy);
		c.regs = copy;
	}
	w->valid &= a->saved;
	w->regs[a->sp] = cfa;
	w->valid |= (uint32_t)1 << a->sp;
	for (unsigned i = 0; i < r->save_count; i++, s++) {
		uint64_t value;
		uint32_t bit = (uint32_t)1 << s->reg;
		if (find_saved(w, &c, s, &value)) {
			w->regs[s->reg] = value;
			w->valid |= bit;
		} else {
			w->valid &= ~bit;
		}
	}
}

static bool says_outermost(const struct cfi_table *t, const struct cfi_rule *r)
{
	const struct cfi_save *s = cfi_saves(t, r);
	return r->save_count && s->reg == t->arch->dwarf.ra && s->how == CFI_UNDEFINED;
}

/* The return address is in a register though calls put it on the stack: this is the end of longjmp
 * or of the C++ runtime, about to jump there. Nobody called from there. */
static bool jumps(const struct cfi_table *t, const struct cfi_rule *r)
{
	const struct cfi_save *s = cfi_saves(t, r);
	return r->save_count && !t->arch->dwarf.ra_register && s->reg == t->arch->dwarf.ra &&
	       s->how == CFI_IN_REG;
}

static enum unwind_step go_to(struct unwind_walk *w, uint64_t ra, bool exact)
{
	ra &= w->arch->dwarf.ra_mask;
	if (!ra)
		return STEP_OUTERMOST;
	w->pc = ra;
	w->exact = exact;
	if (!w->arch->dwarf.ra_register) { /* expressions know pc by this number */
		w->regs[w->arch->dwarf.ra] = ra;
		w->valid |= (uint32_t)1 << w->arch->dwarf.ra;
	}
	return STEP_CALLER;
}

enum unwind_step unwind_step_cfi(struct unwind_walk *w)
{
	const struct cfi_rule *r = w->place->rule;
	const struct arch_dwarf *a = &w->arch->dwarf;
	uint64_t cfa, sp = w->regs[a->sp], pc = w->pc;
	if (says_outermost(w->place->table, r))
		return STEP_OUTERMOST;
	w->missing = false;
	if (!find_cfa(w, r, &cfa))
		return w->missing ? STEP_CUT : STEP_UNKNOWN;
	bool signal = r->flags & CFI_SIGNAL;
	/* Callers are above. Only the innermost frame may be empty: its return address can be in a
	 * register. */
	if (!signal && (cfa < sp || (cfa == sp && !w->exact)))
		return STEP_NONE;
	w->missing = false;
	restore_registers(w, r, cfa);
	if (!(w->valid >> a->ra & 1))
		return w->missing ? STEP_CUT : STEP_NONE;
	uint64_t ra = w->regs[a->ra];
	if (!signal && w->regs[a->sp] == sp && (ra & a->ra_mask) == pc)
		return STEP_NONE;
	return go_to(w, ra, signal || jumps(w->place->table, r));
}

enum unwind_step unwind_step_frame(struct unwind_walk *w)
{
	const struct arch_dwarf *a = &w->arch->dwarf;
	uint64_t fp = w->regs[a->fp], sp = w->regs[a->sp], outer, ra;
	if (!(w->valid >> a->fp & 1))
		return STEP_NONE;
	if (!fp)
		return STEP_OUTERMOST;
	/* A frame is above the stack pointer, and not far: else this is no frame pointer. */
	if ((fp & 7) || fp < sp || fp - sp > (8 << 20))
		return STEP_NONE;
	w->missing = false;
	if (!read_stack(w, fp, &outer) || !read_stack(w, fp + 8, &ra))
		return STEP_CUT;
	w->regs[a->fp] = outer;
	w->regs[a->sp] = fp + 16;
	w->valid = (uint32_t)1 << a->fp | (uint32_t)1 << a->sp;
	return go_to(w, ra, false);
}

/* --- return addresses ---------------------------------------------------------------------------
 */

/* The last bytes before the return address end in "call": E8 and four bytes, or FF /2 with whatever
 * its address needs. */
static bool x86_call(const uint8_t *end, size_t n)
{
	if (n >= 5 && end[-5] == 0xe8)
		return true;
	for (size_t size = 2; size <= 7 && size <= n; size++) {
		const uint8_t *p = end - size;
		uint8_t mod = p[1] >> 6, rm = p[1] & 7;
		if (p[0] != 0xff || (p[1] >> 3 & 7) != 2)
			continue;
		size_t need = 2;
		if (mod != 3 && rm == 4)
			need++; /* scale and index */
		if (mod == 1)
			need++;
		else if (mod == 2 || (mod == 0 && rm == 5))
			need += 4;
		if (need == size)
			return true;
	}
	return false;
}

/* bl, blr and its signed forms */
static bool arm64_call(const uint8_t *end, size_t n)
{
	if (n < 4)
		return false;
	uint32_t insn = load32(end - 4);
	return insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000 ||
	       (insn & 0xfefff800) == 0xd63f0800;
}

bool unwind_follows_call(const struct arch *a, const struct unwind_place *place)
{
	struct str image = place->object->image;
	uint64_t end = place->addr + 1 + place->bias;
	if (!image.n || end > image.n)
		return true;
	/* Handlers return to code that nobody called. */
	if (place->rule && (place->rule->flags & CFI_SIGNAL))
		return true;
	const uint8_t *p = (const uint8_t *)image.p + end;
	return a->dwarf.ra_register ? arm64_call(p, (size_t)end) : x86_call(p, (size_t)end);
}

bool unwind_follows_syscall(const struct arch *a, const struct unwind_place *place)
{
	struct str image = place->object->image;
	uint64_t end = place->addr + place->bias;
	if (end > image.n || end < 4)
		return false;
	const uint8_t *p = (const uint8_t *)image.p + end;
	if (a->dwarf.ra_register)
		return load32(p - 4) == 0xd4000001; /* svc 0 */
	return p[-2] == 0x0f && p[-1] == 0x05;
}
