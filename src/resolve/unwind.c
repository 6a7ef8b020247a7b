#include "resolve/unwind.h"

#include <stdlib.h>

#include "base/hash.h"
#include "resolve/unwind_jit.h"
#include "resolve/unwind_objects.h"
#include "resolve/unwind_walk.h"

/* The largest copy has 64 KiB, the smallest frame 16 bytes. */
#define FRAMES_MAX 8192
/* A power of two: places of addresses seen lately. */
#define PLACES 8192
#define RANGES 8
/* How many of the outermost frames are looked for in the kernel's chain. */
#define COMMON_MAX 64

struct unwinder {
	const struct session *session;
	const struct arch *arch;
	struct unwind_objects objects;
	struct unwind_jit jit;
	struct unwind_place *places;
	/* Neighbouring addresses of one address space. */
	uint64_t range_space;
	unsigned range_next;
	struct session_place ranges[RANGES];
	/* Where perf keeps each register, for the mask seen last. */
	uint64_t mask;
	uint8_t at[32];
	uint32_t has;
	struct unwind_source source; /* find NULL: none */
	VEC(uint64_t) ips;
};

struct unwinder *unwinder_new(const struct session *s, const char *machine,
			      const struct resolve_options *opt)
{
	const struct arch *arch = machine ? arch_by_name(str_of(machine)) : arch_native();
	if (!arch)
		return NULL;
	struct unwinder *u = mem_zalloc(sizeof *u);
	u->session = s;
	u->arch = arch;
	unwind_objects_init(&u->objects, s, arch, opt);
	u->jit = (struct unwind_jit){.jits = opt->jits, .arch = arch};
	u->places = mem_calloc(PLACES, sizeof *u->places);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	unwind_objects_free(&u->objects);
	unwind_jit_free(&u->jit);
	free(u->places);
	vec_free(&u->ips);
	free(u);
}

void unwinder_add_source(struct unwinder *u, const struct unwind_source *source)
{
	u->source = *source;
}

void unwinder_keep(struct unwinder *u, const struct build_id *id, struct str block)
{
	vec_push(&u->objects.kept, (struct unwind_kept){*id, block});
}

/* --- places ----------------------------------------------------------------------------------- */

static struct session_place find_range(struct unwinder *u, const struct unwind_input *in,
				       uint64_t addr)
{
	if (u->range_space != in->space) {
		memset(u->ranges, 0, sizeof u->ranges);
		u->range_space = in->space;
	}
	for (size_t i = 0; i < RANGES; i++)
		if (addr - u->ranges[i].lo < u->ranges[i].hi - u->ranges[i].lo)
			return u->ranges[i];
	struct session_place p = session_place_at(u->session, in->process, false, addr, in->time);
	u->ranges[u->range_next++ % RANGES] = p;
	return p;
}

static bool is_code(const struct session_object *o)
{
	return o->kind == OBJECT_FILE || o->kind == OBJECT_ANON || o->kind == OBJECT_VDSO;
}

static void fill_place(struct unwinder *u, const struct unwind_input *in, struct unwind_place *p,
		       uint64_t addr)
{
	struct session_place at = find_range(u, in, addr);
	*p = (struct unwind_place){
		.space = in->space, .addr = addr, .id = at.object, .bias = at.bias};
	if (!at.object.v || !is_code(session_object(u->session, at.object)))
		return;
	p->object = unwind_object(&u->objects, at.object);
	p->table = &p->object->table;
	if (p->table->row_count)
		p->rule = cfi_find(p->table, addr + at.bias);
	if (!p->rule)
		p->rule = unwind_jit_rule(&u->jit, at.object, addr + at.bias, &p->table);
	const struct cfi_table *t = NULL;
	if (!p->rule && u->source.find)
		t = u->source.find(u->source.ctx, at.object, addr + at.bias);
	if (t) {
		p->table = t;
		p->rule = cfi_find(t, addr + at.bias);
	}
}

static const struct unwind_place *find_place(struct unwinder *u, const struct unwind_input *in,
					     uint64_t addr)
{
	struct unwind_place *p = &u->places[hash_mix(addr, in->space) % PLACES];
	if (p->addr != addr || p->space != in->space)
		fill_place(u, in, p, addr);
	return p;
}

/* --- the walk --------------------------------------------------------------------------------- */

static void learn_mask(struct unwinder *u, uint64_t mask)
{
	const struct arch_dwarf *a = &u->arch->dwarf;
	u->mask = mask;
	u->has = 0;
	for (unsigned i = 0; i < a->count; i++) {
		unsigned bit = a->perf[i];
		if (!(mask >> bit & 1))
			continue;
		u->has |= (uint32_t)1 << i;
		u->at[i] = (uint8_t)__builtin_popcountll(mask & (((uint64_t)1 << bit) - 1));
	}
}

static bool begin(struct unwinder *u, const struct unwind_input *in, struct unwind_walk *w)
{
	const struct arch *a = u->arch;
	if (!in->regs || !(in->mask >> a->reg_ip & 1))
		return false;
	if (u->mask != in->mask)
		learn_mask(u, in->mask);
	w->arch = a;
	w->valid = u->has;
	for (unsigned i = 0; i < a->dwarf.count; i++)
		w->regs[i] = u->has >> i & 1 ? load64(in->regs + (size_t)8 * u->at[i]) : 0;
	uint64_t below = in->mask & (((uint64_t)1 << a->reg_ip) - 1);
	w->pc = load64(in->regs + 8 * (size_t)__builtin_popcountll(below));
	w->exact = true;
	w->evaluated = 0;
	w->stack = in->stack;
	w->stack_size = in->stack && (w->valid >> a->dwarf.sp & 1) ? in->stack_size : 0;
	w->stack_start = w->regs[a->dwarf.sp];
	return true;
}

/* Where the walk is now. Behind a system call nothing may be known: the code that signal handlers
 * return to ends there. */
static const struct unwind_place *place_of(struct unwinder *u, const struct unwind_input *in,
					   const struct unwind_walk *w)
{
	const struct unwind_place *p = find_place(u, in, w->exact ? w->pc : w->pc - 1);
	if (w->exact && p->object && !p->rule && unwind_follows_syscall(u->arch, p))
		p = find_place(u, in, w->pc - 1);
	return p;
}

static enum unwind_step step(struct unwind_walk *w)
{
	enum unwind_step s = w->place->rule ? unwind_step_cfi(w) : STEP_UNKNOWN;
	return s == STEP_UNKNOWN ? unwind_step_frame(w) : s;
}

/* A function without CFI at its very beginning or end, where its frame is not yet or no more: the
 * return address is on top of the stack, or below the frame pointer just pushed. Elsewhere code
 * addresses are hardly ever there. */
static bool step_bare(struct unwinder *u, const struct unwind_input *in, struct unwind_walk *w)
{
	uint64_t ra[2];
	const struct arch_dwarf *a = &u->arch->dwarf;
	if (a->ra_register || w->stack_size < sizeof ra)
		return false;
	memcpy(ra, w->stack, sizeof ra);
	bool pushed = ra[0] == w->regs[a->fp];
	const struct unwind_place *p = find_place(u, in, ra[pushed] - 1);
	if (!p->object || !unwind_follows_call(u->arch, p))
		return false;
	w->regs[a->sp] += pushed ? 16 : 8;
	w->valid &= a->saved | (uint32_t)1 << a->sp;
	w->pc = ra[pushed];
	w->exact = false;
	return true;
}

static void walk(struct unwinder *u, const struct unwind_input *in, struct unwind_walk *w,
		 struct unwind_result *out)
{
	vec_push(&u->ips, w->pc);
	w->place = place_of(u, in, w);
	while (u->ips.n < FRAMES_MAX) {
		const struct unwind_place *here = w->place;
		if (!here->object) {
			out->end = UNWIND_LOST;
			return;
		}
		here->object->wanted = true;
		object_id id = here->id;
		bool guessed = !here->rule;
		bool bare = w->exact && guessed && step_bare(u, in, w);
		enum unwind_step s = bare ? STEP_CALLER : step(w);
		if (s == STEP_OUTERMOST) {
			out->end = UNWIND_WHOLE;
			return;
		}
		const struct unwind_place *next = s == STEP_CALLER ? place_of(u, in, w) : NULL;
		if (!next || !next->object || (guessed && !unwind_follows_call(u->arch, next))) {
			out->end = s == STEP_CUT ? UNWIND_CUT : UNWIND_LOST;
			out->lost_in = id;
			return;
		}
		w->place = next;
		/* Nobody called from where handlers return to: it is the code's first byte. */
		bool exact = w->exact || (next->rule && (next->rule->flags & CFI_SIGNAL));
		vec_push(&u->ips, exact ? w->pc : w->pc - 1);
	}
	out->end = UNWIND_CUT;
}

/* --- the kernel's chain ----------------------------------------------------------------------- */

/* Continues behind the last caller that both know. When they have none in common, the kernel's
 * begins where the copy of the stack had ended already. */
static bool splice(struct unwinder *u, const struct unwind_input *in)
{
	size_t from = 1, last = u->ips.n > COMMON_MAX ? u->ips.n - COMMON_MAX : 1;
	for (size_t i = u->ips.n; i-- > last && from == 1;)
		for (size_t k = 1; k < in->chain_count && from == 1; k++)
			if (in->chain[k] - 1 == u->ips.v[i])
				from = k + 1;
	bool any = false;
	for (size_t k = from; k < in->chain_count && u->ips.n < FRAMES_MAX; k++) {
		uint64_t ip = in->chain[k] & u->arch->dwarf.ra_mask;
		if (ip)
			vec_push(&u->ips, ip - 1);
		any |= ip != 0;
	}
	return any;
}

struct unwind_result unwinder_run(struct unwinder *u, const struct unwind_input *in)
{
	struct unwind_walk w;
	struct unwind_result r = {.end = UNWIND_LOST};
	vec_clear(&u->ips);
	if (!begin(u, in, &w))
		return r;
	walk(u, in, &w, &r);
	if (r.end != UNWIND_WHOLE && in->chain_count > 1)
		r.spliced = splice(u, in);
	r.ips = u->ips.v;
	r.count = u->ips.n;
	return r;
}

bool unwinder_leaf_caller(struct unwinder *u, const struct unwind_input *in, uint64_t *caller)
{
	struct unwind_walk w;
	const struct arch_dwarf *a = &u->arch->dwarf;
	if (!a->ra_register || !begin(u, in, &w))
		return false;
	w.place = place_of(u, in, &w);
	const struct cfi_rule *r = w.place->rule;
	/* Stored already: then the frame pointer's chain has it. */
	if (!r || (r->save_count && cfi_saves(w.place->table, r)->reg == a->ra) ||
	    !(w.valid >> a->ra & 1))
		return false;
	*caller = w.regs[a->ra] & a->ra_mask;
	return *caller && find_place(u, in, *caller - 1)->object;
}

void unwinder_tell(const struct unwinder *u, struct diags *d)
{
	for (uint32_t i = 1; i < session_object_count(u->session); i++) {
		const struct unwind_object *o = u->objects.v[i];
		const struct session_object *so = session_object(u->session, (object_id){i});
		if (!o || !o->wanted || o->table.row_count || so->kind != OBJECT_FILE)
			continue;
		struct str path = session_str(u->session, so->path);
		diag_add(d, DIAG_NO_CFI, 1,
			 "no unwind information for %.*s%s: stacks through it follow frame "
			 "pointers, if it has any",
			 (int)path.n, path.p,
			 o->image.n   ? ""
			 : o->changed ? " (its file is another one now)"
				      : " (no such ELF file)");
	}
}
