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

static void free_functions(struct dwarf_code *code)
{
	for (size_t i = 0; i < code->functions.n; i++) {
		struct dwarf_tree *t = code->functions.v[i].tree;
		if (t) {
			vec_free(&t->nodes);
			vec_free(&t->spans.list);
		}
	}
	vec_free(&code->functions);
	vec_free(&code->spans.list);
}

void dwarf_code_free(struct dwarf_code *code)
{
	if (!code)
		return;
	free_functions(code);
	arena_free(&code->arena);
	pthread_mutex_destroy(&code->lock);
	free(code);
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
	uint64_t depth = 0, read = 0, die = u->dies;
	bool skipped = false;
	if (!dwarf_data_spend(u->data, DWARF_WORK_DIES, 0))
		return false;
	for (; dwarf_walk_next(&w, &a); die = dwarf_walk_offset(&w)) {
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
		read += dwarf_walk_offset(&w) - die;
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

struct spans_only {
	struct dwarf_unit *u;
	struct dwarf_spans *out;
	uint32_t id;
};

static void add_span(void *ctx, uint64_t die, const struct dwarf_pc *pc)
{
	struct spans_only *s = ctx;
	(void)die;
	dwarf_spans_add(s->out, s->u, pc, s->id);
}

void dwarf_unit_function_spans(struct dwarf_unit *u, uint32_t id, struct dwarf_spans *out)
{
	struct spans_only s = {u, out, id};
	(void)scan_functions(u, true, add_span, &s);
}

static void add_function(void *ctx, uint64_t die, const struct dwarf_pc *pc)
{
	struct dwarf_code *code = ctx;
	size_t before = code->spans.list.n;
	dwarf_spans_add(&code->spans, code->unit, pc, (uint32_t)code->functions.n);
	if (code->spans.list.n > before)
		vec_push(&code->functions, (struct dwarf_function){.die = die});
}

static void list_functions(struct dwarf_code *code, bool deep)
{
	free_functions(code);
	code->skipped = scan_functions(code->unit, deep, add_function, code);
	dwarf_spans_paint(&code->spans);
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
	uint64_t die = t->nodes.v[0].die, first = die;
	struct dwarf_walk w = dwarf_walk_from(u, die);
	const struct dwarf_abbrev *a;
	if (!dwarf_data_spend(u->data, DWARF_WORK_DIES, 0))
		return;
	for (; dwarf_walk_next(&w, &a); die = dwarf_walk_offset(&w)) {
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
		if (!a->children && depth == 0)
			break;
		if (!a->children || (node == UINT32_MAX && sibling && dwarf_walk_jump(&w, sibling)))
			continue;
		if (depth + 1 == DEPTH_MAX)
			break;
		inside[++depth] = node;
	}
	(void)dwarf_data_spend(u->data, DWARF_WORK_DIES, dwarf_walk_offset(&w) - first);
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

static const struct dwarf_span *find_function(struct dwarf_code *code, uint64_t addr)
{
	const struct dwarf_span *hit = dwarf_spans_find(&code->spans, addr);
	if (hit || !code->skipped)
		return hit;
	list_functions(code, true);
	return dwarf_spans_find(&code->spans, addr);
}

size_t dwarf_code_frames(struct dwarf_code *code, uint64_t addr, struct dwarf_frame *out,
			 size_t max, uint64_t *size, dwarf_split_find *split, void *ctx)
{
	size_t n = 0;
	*size = UINT64_MAX;
	pthread_mutex_lock(&code->lock);
	if (!code->ready) {
		code->lines = dwarf_unit_lines(code->home);
		if (code->home->has_split)
			code->unit = split(ctx, code->home);
		list_functions(code, false);
		code->ready = true;
	}
	const struct dwarf_span *hit = find_function(code, addr);
	if (hit) {
		struct dwarf_tree *t = function_tree(code, &code->functions.v[hit->id]);
		n = tree_frames(code, t, addr, out, max);
		*size = hit->high - hit->low;
	} else if (max) {
		const struct dwarf_row *row = dwarf_lines_find(code->lines, addr);
		out[0] = (struct dwarf_frame){.function = STR("")};
		place_at_row(&out[0], code->lines, row);
		n = row ? 1 : 0;
	}
	pthread_mutex_unlock(&code->lock);
	return n;
}
