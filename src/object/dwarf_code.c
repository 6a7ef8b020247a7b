#include "object/dwarf_code.h"

#include "object/dwarf_walk.h"

/* Blocks and inlined calls nest no deeper in code that compilers make; what is deeper is not read.
 */
#define DEPTH_MAX 2048

struct dwarf_code *dwarf_unit_code(struct dwarf_unit *u)
{
	struct dwarf_code *code = atomic_load_explicit(&u->code, memory_order_acquire);
	if (code)
		return code;
	dwarf_unit_root(u);
	pthread_mutex_lock(&u->data->lock);
	code = atomic_load_explicit(&u->code, memory_order_relaxed);
	if (!code) {
		code = mem_zalloc(sizeof *code);
		pthread_mutex_init(&code->lock, NULL);
		code->home = code->unit = u;
		atomic_store_explicit(&u->code, code, memory_order_release);
	}
	pthread_mutex_unlock(&u->data->lock);
	return code;
}

static void functions_free(struct dwarf_functions *f)
{
	for (size_t i = 0; i < f->list.n; i++) {
		struct dwarf_tree *t = f->list.v[i].tree;
		if (t) {
			vec_free(&t->nodes);
			vec_free(&t->spans.list);
		}
	}
	vec_free(&f->list);
	vec_free(&f->spans.list);
}

void dwarf_code_free(struct dwarf_code *code)
{
	if (!code)
		return;
	functions_free(&code->top);
	functions_free(&code->all);
	arena_free(&code->arena);
	pthread_mutex_destroy(&code->lock);
	free(code);
}

/* Attributes without bytes are work, too. In true units there are not many more attributes than
 * bytes. */
static uint64_t work_limit(const struct dwarf_unit *u)
{
	return 8 * (u->end - u->dies) + DWARF_SPECS_MAX;
}

/* Functions stand at the top of a unit or in its name spaces; what compilers put elsewhere (inside
 * of functions and types) is found by a second, deep scan. */
static bool holds_functions(uint16_t tag, uint64_t depth)
{
	return depth == 0 || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

/* Calls fn for every function that has code. Gives whether something was jumped over. */
static bool scan_functions(struct dwarf_unit *u, bool deep,
			   void (*fn)(void *ctx, uint64_t die, const struct dwarf_pc *pc),
			   void *ctx)
{
	struct dwarf_walk w = dwarf_walk_from(u, u->dies);
	const struct dwarf_abbrev *a;
	uint64_t depth = 0, read = 0, die = u->dies, limit = work_limit(u);
	bool skipped = false;
	if (!dwarf_data_spend(u->data, DWARF_WORK_DIES, 0))
		return false;
	for (; read < limit && dwarf_walk_next(&w, &a); die = dwarf_walk_offset(&w)) {
		uint64_t sibling;
		if (!a) {
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		if (a->tag == DW_TAG_subprogram && a->has_pc) {
			struct dwarf_pc pc;
			sibling = dwarf_walk_pc(&w, a, &pc);
			if (!w.c.bad)
				fn(ctx, die, &pc);
		} else {
			sibling = dwarf_walk_skip(&w, a);
		}
		read += dwarf_walk_offset(&w) - die + a->count;
		if (!a->children && depth == 0)
			break;
		if (!a->children)
			continue;
		if (!deep && sibling && !holds_functions(a->tag, depth) &&
		    dwarf_walk_jump(&w, sibling))
			skipped = true;
		else
			depth++;
	}
	(void)dwarf_data_spend(u->data, DWARF_WORK_DIES, read);
	return skipped;
}

/* Where scan_functions() puts what it finds. */
struct found {
	struct dwarf_unit *u;
	struct dwarf_functions *functions;
	struct dwarf_spans *spans; /* instead of the functions: spans of one id */
	uint32_t id;
};

static void add_span(void *ctx, uint64_t die, const struct dwarf_pc *pc)
{
	struct found *f = ctx;
	(void)die;
	dwarf_spans_add(f->spans, f->u, pc, f->id);
}

void dwarf_unit_function_spans(struct dwarf_unit *u, uint32_t id, struct dwarf_spans *out)
{
	struct found f = {.u = u, .spans = out, .id = id};
	(void)scan_functions(u, true, add_span, &f);
}

static void add_function(void *ctx, uint64_t die, const struct dwarf_pc *pc)
{
	struct found *f = ctx;
	struct dwarf_functions *to = f->functions;
	size_t before = to->spans.list.n;
	dwarf_spans_add(&to->spans, f->u, pc, (uint32_t)to->list.n);
	if (to->spans.list.n > before)
		vec_push(&to->list, (struct dwarf_function){.die = die});
}

static bool functions_read(struct dwarf_functions *to, struct dwarf_unit *u, bool deep)
{
	struct found f = {.u = u, .functions = to};
	bool skipped = scan_functions(u, deep, add_function, &f);
	dwarf_spans_paint(&to->spans);
	return skipped;
}

static void add_node(struct dwarf_tree *t, struct dwarf_unit *u, uint64_t die, uint32_t parent,
		     const struct dwarf_pc *pc)
{
	dwarf_spans_add(&t->spans, u, pc, (uint32_t)t->nodes.n);
	vec_push(&t->nodes, (struct dwarf_node){.die = die, .parent = parent});
}

/* The calls inlined into the function. A function inside of it is another one. */
static void read_tree(struct dwarf_tree *t, struct dwarf_unit *u)
{
	uint32_t inside[DEPTH_MAX]; /* the node that DIEs of a depth are in; UINT32_MAX: none */
	uint32_t depth = 0;
	uint64_t die = t->nodes.v[0].die, read = 0, limit = work_limit(u);
	struct dwarf_walk w = dwarf_walk_from(u, die);
	const struct dwarf_abbrev *a;
	if (!dwarf_data_spend(u->data, DWARF_WORK_DIES, 0))
		return;
	for (; read < limit && dwarf_walk_next(&w, &a); die = dwarf_walk_offset(&w)) {
		uint32_t node = depth ? inside[depth] : 0;
		if (!a) {
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		uint64_t sibling = 0;
		if (a->tag == DW_TAG_inlined_subroutine && node != UINT32_MAX) {
			struct dwarf_pc pc;
			sibling = dwarf_walk_pc(&w, a, &pc);
			if (w.c.bad)
				break;
			add_node(t, u, die, node, &pc);
			node = (uint32_t)t->nodes.n - 1;
		} else {
			sibling = dwarf_walk_skip(&w, a);
			if (a->tag == DW_TAG_subprogram && depth)
				node = UINT32_MAX;
		}
		read += dwarf_walk_offset(&w) - die + a->count;
		if (!a->children && depth == 0)
			break;
		if (!a->children || (node == UINT32_MAX && sibling && dwarf_walk_jump(&w, sibling)))
			continue;
		if (depth + 1 == DEPTH_MAX)
			break;
		inside[++depth] = node;
	}
	(void)dwarf_data_spend(u->data, DWARF_WORK_DIES, read);
}

static struct dwarf_tree *function_tree(struct dwarf_code *code, struct dwarf_function *f)
{
	if (f->tree)
		return f->tree;
	struct dwarf_tree *t = arena_new(&code->arena, struct dwarf_tree);
	vec_push(&t->nodes, (struct dwarf_node){.die = f->die});
	read_tree(t, code->unit);
	dwarf_spans_paint(&t->spans);
	return f->tree = t;
}

static const struct dwarf_detail *node_detail(struct dwarf_code *code, struct dwarf_node *n)
{
	if (!n->detail) {
		n->detail = arena_alloc(&code->arena, sizeof *n->detail);
		dwarf_detail_read(n->detail, code->unit, n->die);
	}
	return n->detail;
}

static void place_at_row(struct dwarf_frame *f, const struct dwarf_lines *t,
			 const struct dwarf_row *row)
{
	if (!row)
		return;
	f->file = dwarf_lines_file(t, row->file);
	f->line = row->line;
	f->column = row->column;
	f->discriminator = row->discriminator;
}

static size_t tree_frames(struct dwarf_code *code, struct dwarf_tree *t, uint64_t addr,
			  struct dwarf_frame *out, size_t max)
{
	const struct dwarf_span *hit = dwarf_spans_find(&t->spans, addr);
	const struct dwarf_detail *callee = NULL;
	size_t n = 0;
	for (uint32_t i = hit ? hit->id : 0; n < max; i = t->nodes.v[i].parent) {
		const struct dwarf_detail *d = node_detail(code, &t->nodes.v[i]);
		struct dwarf_frame *f = &out[n++];
		*f = (struct dwarf_frame){.function = d->name,
					  .linkage = d->linkage,
					  .decl_line = d->decl_line,
					  .entry = d->entry,
					  .inlined = i != 0};
		if (callee) {
			f->file = dwarf_lines_file(code->lines, callee->call_file);
			f->line = callee->call_line;
			f->column = callee->call_column;
			f->discriminator = callee->discriminator;
		} else {
			place_at_row(f, code->lines, dwarf_lines_find(code->lines, addr));
		}
		callee = d;
		if (!i)
			break;
	}
	return n;
}

/* The function at an address, and how long the piece of code is that was hit. */
static struct dwarf_function *find_function(struct dwarf_code *code, uint64_t addr, uint64_t *size)
{
	struct dwarf_functions *f = &code->top;
	const struct dwarf_span *hit = dwarf_spans_find(&f->spans, addr);
	if (!hit && code->skipped) {
		f = &code->all;
		if (!code->have_all)
			(void)functions_read(f, code->unit, true);
		code->have_all = true;
		hit = dwarf_spans_find(&f->spans, addr);
	}
	*size = hit ? hit->high - hit->low : UINT64_MAX;
	return hit ? &f->list.v[hit->id] : NULL;
}

size_t dwarf_code_frames(struct dwarf_code *code, uint64_t addr, struct dwarf_frame *out,
			 size_t max, uint64_t *size, dwarf_split_find *split, void *ctx)
{
	size_t n = 0;
	pthread_mutex_lock(&code->lock);
	if (!code->ready) {
		code->lines = dwarf_unit_lines(code->home);
		if (code->home->has_split)
			code->unit = split(ctx, code->home);
		code->skipped = functions_read(&code->top, code->unit, false);
		code->ready = true;
	}
	struct dwarf_function *f = find_function(code, addr, size);
	if (f) {
		n = tree_frames(code, function_tree(code, f), addr, out, max);
	} else if (max) {
		const struct dwarf_row *row = dwarf_lines_find(code->lines, addr);
		out[0] = (struct dwarf_frame){.function = STR("")};
		place_at_row(&out[0], code->lines, row);
		n = row ? 1 : 0;
	}
	pthread_mutex_unlock(&code->lock);
	return n;
}
