#include "analyze/callgraph.h"

#include <stdlib.h>

/*
 * A graph grows from the top by sets: the trie nodes that one graph node stands for. One step moves
 * the whole set to the callers (or the callees), groups what it finds by sym, and goes on only with
 * the groups that reach the threshold. So the work follows what will be shown.
 *
 * Caller first, an entry's graph has two parts. Samples taken in the entry itself are shown from
 * the root on; others from the outermost place where the entry is on their stack. VIEW_OWN counts
 * the former, VIEW_OTHER what is left of each trie node.
 */
enum view { VIEW_OWN, VIEW_OTHER };

struct item {
	uint32_t node;
	enum view view;
	uint64_t weight, count;
};

struct group {
	uint32_t sym;
	uint32_t items; /* how many; while they are handed out, where the next one goes */
	uint64_t weight, count;
};

struct task {
	uint32_t node; /* of the graph */
	uint32_t sym;  /* its first frame */
	size_t items;  /* the topmost ones of the stack belong to it, from here */
};

/* Marks that go stale all at once: one is valid while its stamp is the current one. */
struct node_mark {
	uint32_t stamp, item;
};
/* What VIEW_OWN sees of a trie node. */
struct own_value {
	uint32_t stamp;
	bool linked; /* into its parent's list */
	uint32_t first_child, next;
	uint64_t weight, count;
};

struct callgraph_work {
	VEC(struct item) stack; /* items of all tasks */
	VEC(struct task) tasks;
	VEC(struct item) set, next;
	VEC(struct group) groups;
	VEC(struct group) kept;
	struct node_mark *sym_group; /* by sym */
	struct node_mark *node_item; /* by trie node: merges equal callers */
	struct own_value *own;       /* by trie node, for one entry */
	uint32_t stamp, own_stamp;
};

static uint64_t least_weight(const struct callgraph *g)
{
	return (uint64_t)((double)g->total_weight * (g->opt->min_percent / 100.0));
}

void callgraph_init(struct callgraph *g, const struct hist *h, const struct hist_keys *keys,
		    const struct callgraph_options *opt, bool children, uint64_t weight)
{
	*g = (struct callgraph){
		.keys = keys, .opt = opt, .children = children, .total_weight = weight};
	struct trie_options how = {.children = children,
				   .threshold = least_weight(g),
				   .everything = opt->mode == CALLGRAPH_FRACTAL};
	callgraph_trie_build(&g->trie, h, keys, &how);
	struct callgraph_work *w = g->work = mem_zalloc(sizeof *w);
	w->sym_group = mem_calloc((size_t)keys->sym_count + keys->place_count,
				  sizeof *w->sym_group);
	if (opt->caller_first || children)
		w->own = mem_calloc(g->trie.nodes.n, sizeof *w->own);
	if (!opt->caller_first)
		w->node_item = mem_calloc(g->trie.nodes.n, sizeof *w->node_item);
}

void callgraph_free(struct callgraph *g)
{
	struct callgraph_work *w = g->work;
	if (w) {
		vec_free(&w->stack);
		vec_free(&w->tasks);
		vec_free(&w->set);
		vec_free(&w->next);
		vec_free(&w->groups);
		vec_free(&w->kept);
		free(w->sym_group);
		free(w->node_item);
		free(w->own);
		free(w);
	}
	callgraph_trie_free(&g->trie);
	vec_free(&g->nodes);
	vec_free(&g->syms);
	vec_free(&g->ends);
	*g = (struct callgraph){0};
}

/* --- what an entry begins with --------------------------------------------------------------- */

static const struct trie_node *trie_node(const struct callgraph *g, uint32_t n)
{
	return &g->trie.nodes.v[n];
}

static struct own_value *own_at(struct callgraph *g, uint32_t node)
{
	struct own_value *v = &g->work->own[node];
	if (v->stamp != g->work->own_stamp)
		*v = (struct own_value){.stamp = g->work->own_stamp};
	return v;
}

static void push(struct callgraph *g, struct item item)
{
	if (item.count)
		vec_push(&g->work->next, item);
}

/* The entry's first end; those of one entry are neighbours. */
static size_t first_end(const struct callgraph *g, uint32_t entry)
{
	size_t low = 0, high = g->trie.ends.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (g->trie.ends.v[mid].entry < entry)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_end_of(const struct callgraph *g, size_t i, uint32_t entry)
{
	return i < g->trie.ends.n && g->trie.ends.v[i].entry == entry;
}

/* Counts the entry's own samples at every node they pass; the nodes they pass are linked like a
 * trie of their own. Returns its root. */
static uint32_t mark_own(struct callgraph *g, uint32_t entry)
{
	uint32_t root = 0;
	for (size_t i = first_end(g, entry); is_end_of(g, i, entry); i++) {
		const struct trie_end *e = &g->trie.ends.v[i];
		for (uint32_t n = e->node, below = 0; n; below = n, n = trie_node(g, n)->parent) {
			struct own_value *v = own_at(g, n);
			v->weight += e->weight;
			v->count += e->count;
			if (below && !own_at(g, below)->linked) {
				own_at(g, below)->linked = true;
				own_at(g, below)->next = v->first_child;
				v->first_child = below;
			}
			root = n;
		}
	}
	return root;
}

static struct item item_at(struct callgraph *g, uint32_t node, enum view view)
{
	struct own_value own = *own_at(g, node);
	if (view == VIEW_OWN)
		return (struct item){node, view, own.weight, own.count};
	const struct trie_node *n = trie_node(g, node);
	return (struct item){node, view, n->weight - own.weight, n->count - own.count};
}

static void push_callees(struct callgraph *g, uint32_t node, enum view view)
{
	if (view == VIEW_OWN) {
		for (uint32_t n = own_at(g, node)->first_child; n; n = own_at(g, n)->next)
			push(g, item_at(g, n, view));
		return;
	}
	for (uint32_t n = trie_node(g, node)->first_child; n; n = trie_node(g, n)->next)
		push(g, item_at(g, n, view));
}

static void begin_caller_first(struct callgraph *g, uint32_t entry)
{
	uint32_t root = mark_own(g, entry);
	if (root)
		push_callees(g, root, VIEW_OWN);
	if (!g->children)
		return;
	for (uint32_t n = g->trie.first_node[entry]; n; n = trie_node(g, n)->next_of_entry)
		if (!trie_node(g, n)->outer)
			push(g, item_at(g, n, VIEW_OTHER));
}

/* Each sample counts at the innermost of the entry's nodes on its stack. */
static void begin_with_children(struct callgraph *g, uint32_t entry)
{
	uint32_t first = g->trie.first_node[entry];
	for (uint32_t i = first; i; i = trie_node(g, i)->next_of_entry) {
		const struct trie_node *n = trie_node(g, i);
		own_at(g, i)->weight += n->weight;
		own_at(g, i)->count += n->count;
		if (n->outer) {
			own_at(g, n->outer)->weight -= n->weight;
			own_at(g, n->outer)->count -= n->count;
		}
	}
	/* The sampled address need not be on top of the stack: then the whole stack counts, and not
	 * again from further up. */
	for (size_t i = first_end(g, entry); is_end_of(g, i, entry); i++) {
		const struct trie_end *e = &g->trie.ends.v[i];
		uint32_t n = e->node;
		if (trie_node(g, n)->entry == entry)
			continue;
		push(g, (struct item){n, VIEW_OWN, e->weight, e->count});
		while (n && trie_node(g, n)->entry != entry)
			n = trie_node(g, n)->parent;
		if (n) {
			own_at(g, n)->weight -= e->weight;
			own_at(g, n)->count -= e->count;
		}
	}
	for (uint32_t n = first; n; n = trie_node(g, n)->next_of_entry)
		push(g, item_at(g, n, VIEW_OWN));
}

static void begin_callee_first(struct callgraph *g, uint32_t entry)
{
	if (g->children) {
		begin_with_children(g, entry);
		return;
	}
	for (size_t i = first_end(g, entry); is_end_of(g, i, entry); i++) {
		const struct trie_end *e = &g->trie.ends.v[i];
		push(g, (struct item){e->node, VIEW_OWN, e->weight, e->count});
	}
}

/* --- one step -------------------------------------------------------------------------------- */

static void step_to_callers(struct callgraph *g)
{
	struct callgraph_work *w = g->work;
	uint32_t stamp = ++w->stamp;
	for (size_t i = 0; i < w->set.n; i++) {
		uint32_t caller = trie_node(g, w->set.v[i].node)->parent;
		if (!trie_node(g, caller)->parent)
			continue;
		struct node_mark *mark = &w->node_item[caller];
		if (mark->stamp == stamp) {
			w->next.v[mark->item].weight += w->set.v[i].weight;
			w->next.v[mark->item].count += w->set.v[i].count;
			continue;
		}
		*mark = (struct node_mark){stamp, (uint32_t)w->next.n};
		vec_push(&w->next, w->set.v[i]);
		vec_last(&w->next).node = caller;
	}
}

static void step(struct callgraph *g)
{
	struct callgraph_work *w = g->work;
	vec_clear(&w->next);
	if (!g->opt->caller_first) {
		step_to_callers(g);
		return;
	}
	for (size_t i = 0; i < w->set.n; i++)
		push_callees(g, w->set.v[i].node, w->set.v[i].view);
}

/* Groups w->next by sym. */
static void group_next(struct callgraph *g)
{
	struct callgraph_work *w = g->work;
	uint32_t stamp = ++w->stamp;
	vec_clear(&w->groups);
	for (size_t i = 0; i < w->next.n; i++) {
		const struct item *item = &w->next.v[i];
		uint32_t sym = trie_node(g, item->node)->sym;
		struct node_mark *mark = &w->sym_group[sym];
		if (mark->stamp != stamp) {
			*mark = (struct node_mark){stamp, (uint32_t)w->groups.n};
			vec_push(&w->groups, (struct group){.sym = sym});
		}
		struct group *group = &w->groups.v[mark->item];
		group->items++;
		group->weight += item->weight;
		group->count += item->count;
	}
}

/* --- order ----------------------------------------------------------------------------------- */

/* perf keeps siblings in a tree ordered by object and address, greatest first, and equal weights
 * come out in that order. Inlined functions, which have no address, are ordered by name. */
static int cmp_address(const struct hist_keys *k, uint32_t a, uint32_t b)
{
	const struct profile_frame *x = profile_frame_at(k->p, hist_keys_frame(k, a));
	const struct profile_frame *y = profile_frame_at(k->p, hist_keys_frame(k, b));
	if ((x->flags | y->flags) & FRAME_INLINED && x->func.v != y->func.v)
		return str_cmp(profile_str(k->p, k->p->funcs.v[y->func.v].name),
			       profile_str(k->p, k->p->funcs.v[x->func.v].name));
	if (x->object.v != y->object.v)
		return x->object.v < y->object.v ? 1 : -1;
	const struct profile_func *f = &k->p->funcs.v[x->func.v], *g = &k->p->funcs.v[y->func.v];
	if (f->name.v && g->name.v && f->start != g->start)
		return f->start < g->start ? 1 : -1;
	if (f->name.v && g->name.v && f->name.v != g->name.v)
		return str_cmp(profile_str(k->p, f->name), profile_str(k->p, g->name));
	return (x->addr < y->addr) - (x->addr > y->addr);
}

static bool by_chain(const struct callgraph_options *opt)
{
	return opt->mode == CALLGRAPH_FLAT || opt->mode == CALLGRAPH_FOLDED;
}

static int cmp_groups(const void *x, const void *y, void *ctx)
{
	const struct callgraph *g = ctx;
	const struct group *a = x, *b = y;
	if (a->weight != b->weight && !by_chain(g->opt))
		return a->weight < b->weight ? 1 : -1;
	int c = cmp_address(g->keys, a->sym, b->sym);
	return c ? c : (a->sym > b->sym) - (a->sym < b->sym);
}

/* --- the graph ------------------------------------------------------------------------------- */

static uint64_t threshold(const struct callgraph *g, const struct callgraph_node *above)
{
	if (g->opt->mode != CALLGRAPH_FRACTAL)
		return least_weight(g);
	double exact = (double)above->below_weight * (g->opt->min_percent / 100.0);
	return (uint64_t)exact + (exact > (double)(uint64_t)exact);
}

bool callgraph_worth(const struct callgraph *g, uint64_t weight)
{
	return g->opt->mode == CALLGRAPH_FRACTAL || weight >= threshold(g, NULL);
}

/* Makes a node below `above` of every group that is heavy enough, and a task for each. */
static void fork_below(struct callgraph *g, uint32_t above)
{
	struct callgraph_work *w = g->work;
	for (size_t i = 0; i < w->groups.n; i++) {
		g->nodes.v[above].below_weight += w->groups.v[i].weight;
		g->nodes.v[above].below_count += w->groups.v[i].count;
	}
	uint64_t least = threshold(g, &g->nodes.v[above]);
	vec_clear(&w->kept);
	for (size_t i = 0; i < w->groups.n; i++)
		if (w->groups.v[i].weight >= least && !trie_nameless(g->keys, w->groups.v[i].sym))
			vec_push(&w->kept, w->groups.v[i]);
	qsort_r(w->kept.v, w->kept.n, sizeof *w->kept.v, cmp_groups, g);

	/* Where each kept group's items go on the stack; others have no place in the marks. */
	uint32_t stamp = ++w->stamp;
	uint32_t *link = &g->nodes.v[above].first_child;
	size_t top = w->stack.n;
	for (size_t i = 0; i < w->kept.n; i++) {
		struct group *group = &w->kept.v[i];
		uint32_t id = (uint32_t)g->nodes.n;
		*link = id;
		vec_push(&g->nodes, (struct callgraph_node){.parent = above,
							    .weight = group->weight,
							    .count = group->count});
		link = &g->nodes.v[id].next;
		vec_push(&w->tasks, (struct task){id, group->sym, top});
		w->sym_group[group->sym] = (struct node_mark){stamp, (uint32_t)top};
		top += group->items;
	}
	vec_reserve(&w->stack, top - w->stack.n);
	w->stack.n = top;
	for (size_t i = 0; i < w->next.n; i++) {
		struct node_mark *mark = &w->sym_group[trie_node(g, w->next.v[i].node)->sym];
		if (mark->stamp == stamp)
			w->stack.v[mark->item++] = w->next.v[i];
	}
}

/* The newest task: its node takes frames as long as every chain goes the same way, then forks. */
static void run_task(struct callgraph *g)
{
	struct callgraph_work *w = g->work;
	struct task task = w->tasks.v[--w->tasks.n];
	vec_clear(&w->set);
	vec_append(&w->set, w->stack.v + task.items, w->stack.n - task.items);
	w->stack.n = task.items;

	g->nodes.v[task.node].first_sym = (uint32_t)g->syms.n;
	uint32_t sym = task.sym;
	for (;;) {
		vec_push(&g->syms, sym);
		g->nodes.v[task.node].sym_count++;
		step(g);
		group_next(g);
		if (w->groups.n != 1 || w->groups.v[0].count != g->nodes.v[task.node].count ||
		    trie_nameless(g->keys, w->groups.v[0].sym))
			break;
		sym = w->groups.v[0].sym;
		vec_clear(&w->set);
		vec_append(&w->set, w->next.v, w->next.n);
	}
	fork_below(g, task.node);
}

static uint64_t own_weight(const struct callgraph_node *n)
{
	return n->weight - n->below_weight;
}

static int cmp_ends(const void *x, const void *y, void *ctx)
{
	const struct callgraph *g = ctx;
	const struct callgraph_end *a = x, *b = y;
	uint64_t v = own_weight(&g->nodes.v[a->node]), w = own_weight(&g->nodes.v[b->node]);
	return v == w ? (a->found > b->found) - (a->found < b->found) : v < w ? 1 : -1;
}

static uint32_t deepest_first(const struct callgraph *g, uint32_t n)
{
	while (g->nodes.v[n].first_child)
		n = g->nodes.v[n].first_child;
	return n;
}

/* perf finds what hangs below a node before the node itself; equal ones stay in that order. */
static void list_ends(struct callgraph *g)
{
	uint64_t least = threshold(g, &g->nodes.v[0]);
	for (uint32_t n = deepest_first(g, 0); n;) {
		uint64_t own = own_weight(&g->nodes.v[n]);
		if (own && own >= least)
			vec_push(&g->ends, (struct callgraph_end){n, (uint32_t)g->ends.n});
		uint32_t next = g->nodes.v[n].next;
		n = next ? deepest_first(g, next) : g->nodes.v[n].parent;
	}
	qsort_r(g->ends.v, g->ends.n, sizeof *g->ends.v, cmp_ends, g);
}

void callgraph_of(struct callgraph *g, uint32_t entry)
{
	struct callgraph_work *w = g->work;
	vec_clear(&g->nodes);
	vec_clear(&g->syms);
	vec_clear(&g->ends);
	vec_clear(&w->next);
	w->own_stamp++;
	vec_push(&g->nodes, (struct callgraph_node){0});
	if (g->opt->mode == CALLGRAPH_NONE || g->trie.nodes.n < 2)
		return;
	if (g->opt->caller_first)
		begin_caller_first(g, entry);
	else
		begin_callee_first(g, entry);
	group_next(g);
	fork_below(g, 0);
	while (w->tasks.n)
		run_task(g);
	if (by_chain(g->opt))
		list_ends(g);
}
