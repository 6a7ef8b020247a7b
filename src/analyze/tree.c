#include "analyze/tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/out.h"

/* While it grows, a node is this; parents have smaller indexes than children here too. */
struct grown {
	uint32_t parent;
	uint32_t name;
	uint8_t kind, flags;
	uint64_t self;
};

struct builder {
	struct tree *t;
	const struct profile *p;
	const struct tree_options *opt;
	VEC(struct grown) nodes;
	struct index children;  /* (parent, name) -> node */
	uint32_t *string_names; /* by string_id of the profile: 1 + name id, 0 not yet known */
	uint32_t *frame_names;  /* the same by frame_id */
	uint32_t *thread_roots; /* by thread_id: the first-level node; inverted: 1 + name id */
	struct out scratch;     /* for names put together */
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* --- names ---------------------------------------------------------------------------------- */

static uint32_t intern(struct builder *b, struct str name)
{
	if (b->opt->folded && (memchr(name.p, ';', name.n) || memchr(name.p, '\n', name.n) ||
			       memchr(name.p, '\r', name.n))) {
		char *copy = mem_dup(name.p, name.n);
		for (size_t i = 0; i < name.n; i++)
			copy[i] = copy[i] == ';'                       ? ':'
				  : copy[i] == '\n' || copy[i] == '\r' ? ' '
								       : copy[i];
		uint32_t id = strtab_intern(&b->t->names, str_make(copy, name.n)).v;
		free(copy);
		return id;
	}
	return strtab_intern(&b->t->names, name).v;
}

static uint32_t string_name(struct builder *b, string_id s)
{
	uint32_t *known = &b->string_names[s.v];
	if (!*known)
		*known = 1 + intern(b, profile_str(b->p, s));
	return *known - 1;
}

static const char *suffix(const struct tree_options *opt, const struct profile_frame *f)
{
	if (opt->mark_inlined && f->flags & FRAME_INLINED)
		return "_[i]";
	if (opt->mark_kernel && (f->kind == CODE_KERNEL || f->kind == CODE_GUEST_KERNEL))
		return "_[k]";
	if (opt->mark_jit && f->flags & FRAME_JIT)
		return "_[j]";
	return "";
}

static void put_unresolved(struct builder *b, const struct profile_frame *f)
{
	struct str object = profile_str(b->p, b->p->objects.v[f->object.v].name);
	/* "[kernel.kallsyms]" has its brackets already. */
	if (object.n > 1 && object.p[0] == '[' && object.p[object.n - 1] == ']')
		object = str_make(object.p + 1, object.n - 2);
	out_char(&b->scratch, '[');
	out_str(&b->scratch, object.n ? object : STR("unknown"));
	if (b->opt->addresses)
		out_fmt(&b->scratch, " <%" PRIx64 ">", f->addr);
	out_char(&b->scratch, ']');
}

static uint32_t frame_name(struct builder *b, frame_id id)
{
	uint32_t *known = &b->frame_names[id.v];
	if (*known)
		return *known - 1;
	const struct profile_frame *f = &b->p->frames.v[id.v];
	string_id name = b->p->funcs.v[f->func.v].name;
	const char *end = suffix(b->opt, f);
	if (str_ends(profile_str(b->p, name), end))
		end = "";
	if ((name.v || b->opt->verbatim) && !*end) {
		*known = 1 + string_name(b, name);
	} else {
		b->scratch.n = 0;
		if (name.v)
			out_str(&b->scratch, profile_str(b->p, name));
		else
			put_unresolved(b, f);
		out_cstr(&b->scratch, end);
		*known = 1 + intern(b, out_text(&b->scratch));
	}
	return *known - 1;
}

static void put_number(struct out *o, int32_t n)
{
	if (n < 0)
		out_char(o, '?');
	else
		out_u64(o, (uint32_t)n);
}

static uint32_t thread_name(struct builder *b, thread_id id)
{
	const struct profile_thread *t = &b->p->threads.v[id.v];
	struct out *o = &b->scratch;
	o->n = 0;
	out_str(o, profile_str(b->p, t->comm));
	if (b->opt->root != TREE_ROOT_COMM) {
		out_char(o, '-');
		put_number(o, t->pid);
	}
	if (b->opt->root == TREE_ROOT_COMM_TID) {
		out_char(o, '/');
		put_number(o, t->tid);
	}
	return intern(b, out_text(o));
}

/* --- growing -------------------------------------------------------------------------------- */

static uint32_t child(struct builder *b, uint32_t parent, uint32_t name)
{
	uint64_t h = hash_mix(parent, name);
	for (struct index_probe i = index_probe(&b->children, h); index_next(&b->children, &i);) {
		const struct grown *g = &b->nodes.v[i.value];
		if (g->parent == parent && g->name == name)
			return i.value;
	}
	uint32_t id = (uint32_t)b->nodes.n;
	vec_push(&b->nodes, (struct grown){.parent = parent, .name = name});
	index_put(&b->children, h, id);
	return id;
}

static uint32_t frame_child(struct builder *b, uint32_t parent, frame_id frame)
{
	size_t before = b->nodes.n;
	uint32_t id = child(b, parent, frame_name(b, frame));
	const struct profile_frame *f = &b->p->frames.v[frame.v];
	struct grown *g = &b->nodes.v[id];
	/* Inlined is what is never called here. */
	bool inlined = f->flags & FRAME_INLINED && (id == before || g->flags & FRAME_INLINED);
	g->kind = MAX(g->kind, f->kind);
	g->flags |= f->flags;
	if (!inlined)
		g->flags &= (uint8_t)~FRAME_INLINED;
	return id;
}

static bool wanted(const struct builder *b, const struct profile_row *r)
{
	return !b->opt->event.v || r->event.v == b->opt->event.v;
}

static void add_self(struct builder *b, uint32_t node, const struct profile_row *r)
{
	uint64_t *self = &b->nodes.v[node].self;
	*self = add_saturated(*self, b->opt->weights ? r->weight : r->count);
}

static bool has_root(const struct builder *b, const struct profile_row *r)
{
	return r->thread.v && b->opt->root != TREE_ROOT_NONE;
}

static void grow_inverted(struct builder *b)
{
	for (size_t i = 0; i < b->p->rows.n; i++) {
		const struct profile_row *r = &b->p->rows.v[i];
		if (!wanted(b, r))
			continue;
		uint32_t node = 0;
		for (stack_id s = r->stack; s.v; s = b->p->stacks.v[s.v].parent)
			node = frame_child(b, node, b->p->stacks.v[s.v].frame);
		if (!r->stack.v && r->leaf.v)
			node = frame_child(b, node, r->leaf);
		if (has_root(b, r)) {
			uint32_t *name = &b->thread_roots[r->thread.v];
			if (!*name)
				*name = 1 + thread_name(b, r->thread);
			node = child(b, node, *name - 1);
		}
		add_self(b, node, r);
	}
}

/* The rows wanted, ordered by the first-level node they belong under (a counting sort), so that
 * grow() deals with one such node after the other. */
struct rooted {
	uint32_t root;
	uint32_t row;
};

static size_t rows_by_root(struct builder *b, struct rooted **out)
{
	const struct profile *p = b->p;
	struct rooted *rows = mem_alloc(p->rows.n * sizeof *rows + 1);
	size_t n = 0;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct profile_row *r = &p->rows.v[i];
		if (!wanted(b, r))
			continue;
		uint32_t root = 0;
		if (has_root(b, r)) {
			uint32_t *known = &b->thread_roots[r->thread.v];
			if (!*known)
				*known = child(b, 0, thread_name(b, r->thread));
			root = *known;
		}
		rows[n++] = (struct rooted){root, (uint32_t)i};
	}
	size_t *starts = mem_calloc(b->nodes.n + 1, sizeof *starts);
	for (size_t i = 0; i < n; i++)
		starts[rows[i].root + 1]++;
	for (size_t i = 1; i <= b->nodes.n; i++)
		starts[i] += starts[i - 1];
	*out = mem_alloc(n * sizeof **out + 1);
	for (size_t i = 0; i < n; i++)
		(*out)[starts[rows[i].root]++] = rows[i];
	free(starts);
	free(rows);
	return n;
}

static void grow(struct builder *b)
{
	/* Where a stack ended up, under the first-level node it was last seen below. */
	struct place {
		uint32_t root; /* 1 + node; 0 none */
		uint32_t node;
	} *places = mem_calloc(b->p->stacks.n, sizeof *places);
	VEC(uint32_t) path = {0};
	struct rooted *rows;
	size_t n = rows_by_root(b, &rows);
	for (size_t i = 0; i < n; i++) {
		const struct profile_row *r = &b->p->rows.v[rows[i].row];
		uint32_t root = rows[i].root;
		stack_id s = r->stack;
		vec_clear(&path);
		for (; s.v && places[s.v].root != root + 1; s = b->p->stacks.v[s.v].parent)
			vec_push(&path, s.v);
		uint32_t node = s.v ? places[s.v].node : root;
		while (path.n) {
			uint32_t at = path.v[--path.n];
			node = frame_child(b, node, b->p->stacks.v[at].frame);
			places[at] = (struct place){root + 1, node};
		}
		if (!r->stack.v && r->leaf.v)
			node = frame_child(b, node, r->leaf);
		add_self(b, node, r);
	}
	free(rows);
	free(places);
	vec_free(&path);
}

/* --- laying out ----------------------------------------------------------------------------- */

struct ranked {
	struct str text;
	uint32_t name;
};

static int ranked_cmp(const void *a, const void *b)
{
	return str_cmp(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* By name id: its place among all names in byte order. */
static uint32_t *rank_names(const struct strtab *names)
{
	size_t n = names->items.n;
	struct ranked *sorted = mem_alloc(n * sizeof *sorted + 1);
	uint32_t *rank = mem_alloc(n * sizeof *rank + 1);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct ranked){names->items.v[i], (uint32_t)i};
	qsort(sorted, n, sizeof *sorted, ranked_cmp);
	for (size_t i = 0; i < n; i++)
		rank[sorted[i].name] = (uint32_t)i;
	free(sorted);
	return rank;
}

/* All nodes but the root, ordered by (parent, rank of name): two counting sorts, the second keeps
 * the order of the first. starts[p] is where the children of p begin; it has n + 1 entries. */
static uint32_t *order_nodes(const struct builder *b, const uint32_t *rank, uint32_t *starts)
{
	size_t n = b->nodes.n, names = b->t->names.items.n;
	uint32_t *by_name = mem_alloc(n * sizeof *by_name);
	uint32_t *order = mem_alloc(n * sizeof *order);
	uint32_t *at = mem_calloc(MAX(names, n) + 1, sizeof *at);
	for (size_t i = 1; i < n; i++)
		at[rank[b->nodes.v[i].name] + 1]++;
	for (size_t i = 1; i <= names; i++)
		at[i] += at[i - 1];
	for (size_t i = 1; i < n; i++)
		by_name[at[rank[b->nodes.v[i].name]]++] = (uint32_t)i;

	memset(starts, 0, (n + 1) * sizeof *starts);
	for (size_t i = 1; i < n; i++)
		starts[b->nodes.v[i].parent + 1]++;
	for (size_t i = 1; i <= n; i++)
		starts[i] += starts[i - 1];
	memcpy(at, starts, n * sizeof *at);
	for (size_t i = 0; i + 1 < n; i++)
		order[at[b->nodes.v[by_name[i]].parent]++] = by_name[i];
	free(at);
	free(by_name);
	return order;
}

static void lay_out(struct builder *b)
{
	size_t n = b->nodes.n;
	struct tree *t = b->t;
	uint32_t *rank = rank_names(&t->names);
	uint32_t *starts = mem_alloc((n + 1) * sizeof *starts);
	uint32_t *order = order_nodes(b, rank, starts);
	free(rank);

	/* Sizes of subtrees, children before parents; then places, parents before children. */
	uint32_t *place = mem_calloc(n, sizeof *place);
	uint32_t *size = mem_alloc(n * sizeof *size);
	for (size_t i = 0; i < n; i++)
		size[i] = 1;
	for (size_t i = n; i-- > 1;)
		size[b->nodes.v[i].parent] += size[i];
	vec_reserve(&t->nodes, n);
	t->nodes.n = n;
	for (size_t i = 0; i < n; i++) {
		const struct grown *g = &b->nodes.v[i];
		uint32_t parent = place[g->parent];
		uint32_t depth = i ? t->nodes.v[parent].depth + 1 : 0;
		t->nodes.v[place[i]] = (struct tree_node){.parent = parent,
							  .end = place[i] + size[i],
							  .depth = depth,
							  .name = {g->name},
							  .kind = g->kind,
							  .flags = g->flags,
							  .self = g->self,
							  .total = g->self};
		t->max_depth = MAX(t->max_depth, depth);
		uint32_t next = place[i] + 1;
		for (uint32_t c = starts[i]; c < starts[i + 1]; c++) {
			place[order[c]] = next;
			next += size[order[c]];
		}
	}
	for (size_t i = n; i-- > 1;) {
		const struct tree_node *c = &t->nodes.v[i];
		uint64_t *total = &t->nodes.v[c->parent].total;
		*total = add_saturated(*total, c->total);
	}
	free(size);
	free(place);
	free(order);
	free(starts);
}

void tree_build(struct tree *t, const struct profile *p, const struct tree_options *opt)
{
	*t = (struct tree){0};
	struct builder b = {.t = t, .p = p, .opt = opt};
	(void)strtab_intern(&t->names, STR(""));
	b.string_names = mem_calloc(p->strings.items.n, sizeof *b.string_names);
	b.frame_names = mem_calloc(p->frames.n, sizeof *b.frame_names);
	b.thread_roots = mem_calloc(p->threads.n, sizeof *b.thread_roots);
	out_memory(&b.scratch);
	vec_push(&b.nodes, (struct grown){.name = strtab_intern(&t->names, STR("all")).v});
	/* About as many nodes as stacks: saves growing the index on the way. */
	index_reserve(&b.children, p->stacks.n);
	if (opt->inverted)
		grow_inverted(&b);
	else
		grow(&b);
	free(b.string_names);
	free(b.frame_names);
	free(b.thread_roots);
	index_free(&b.children);
	(void)out_finish(&b.scratch);
	lay_out(&b);
	vec_free(&b.nodes);
}

void tree_free(struct tree *t)
{
	vec_free(&t->nodes);
	strtab_free(&t->names);
	*t = (struct tree){0};
}
