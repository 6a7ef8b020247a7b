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
struct node_value {
	uint32_t stamp;
	uint64_t weight, count;
};

struct callgraph_work {
	VEC(struct item) stack; /* items of all tasks */
	VEC(struct task) tasks;
	VEC(struct item) set, next;
	VEC(struct group) groups;
	VEC(struct group) kept;
	struct node_mark *sym_group;   /* by sym */
	struct node_mark *node_item;   /* by trie node: merges equal callers */
	struct node_value *node_value; /* by trie node: what VIEW_OWN sees, for one entry */
	uint32_t stamp, value_stamp;
};

void callgraph_init(struct callgraph *g, const struct hist *h, const struct hist_keys *keys,
		    const struct callgraph_options *opt, bool children, uint64_t weight)
{
	*g = (struct callgraph){
		.h = h, .keys = keys, .opt = opt, .children = children, .total_weight = weight};
	struct callgraph_work *w = g->work = mem_zalloc(sizeof *w);
	w->sym_group = mem_calloc(keys->sym_count, sizeof *w->sym_group);
	if (opt->caller_first || children)
		w->node_value = mem_calloc(h->trie.nodes.n, sizeof *w->node_value);
	if (!opt->caller_first)
		w->node_item = mem_calloc(h->trie.nodes.n, sizeof *w->node_item);
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
		free(w->node_value);
		free(w);
	}
	vec_free(&g->nodes);
	vec_free(&g->syms);
	vec_free(&g->ends);
	*g = (struct callgraph){0};
}

/* --- what an entry begins with --------------------------------------------------------------- */

static const struct trie_node *trie_node(const struct callgraph *g, uint32_t n)
{
	return &g->h->trie.nodes.v[n];
}

static struct node_value *value_at(struct callgraph *g, uint32_t node)
{
	struct node_value *v = &g->work->node_value[node];
	if (v->stamp != g->work->value_stamp)
		*v = (struct node_value){.stamp = g->work->value_stamp};
	return v;
}

static void push(struct callgraph *g, struct item item)
{
	if (item.count)
		vec_push(&g->work->next, item);
}

/* Loose ends are sorted by entry. */
static size_t first_loose(const struct callgraph *g, uint32_t entry)
{
	size_t low = 0, high = g->h->trie.loose.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (g->h->trie.loose.v[mid].entry < entry)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Calls fn for every node where samples of the entry end. */
static void each_end(struct callgraph *g, uint32_t entry,
		     void (*fn)(struct callgraph *, uint32_t node, uint64_t weight, uint64_t count))
{
	for (uint32_t n = g->h->entries.v[entry].first_node; n; n = trie_node(g, n)->next_of_entry)
		if (trie_node(g, n)->self_count)
			fn(g, n, trie_node(g, n)->self_weight, trie_node(g, n)->self_count);
	const struct callgraph_trie *t = &g->h->trie;
	for (size_t i = first_loose(g, entry); i < t->loose.n && t->loose.v[i].entry == entry; i++)
		fn(g, t->loose.v[i].node, t->loose.v[i].weight, t->loose.v[i].count);
}

static void add_to_path(struct callgraph *g, uint32_t node, uint64_t weight, uint64_t count)
{
	for (; node; node = trie_node(g, node)->parent) {
		struct node_value *v = value_at(g, node);
		v->weight += weight;
		v->count += count;
	}
}

static struct item item_at(struct callgraph *g, uint32_t node, enum view view)
{
	struct node_value own = *value_at(g, node);
	if (view == VIEW_OWN)
		return (struct item){node, view, own.weight, own.count};
	const struct trie_node *n = trie_node(g, node);
	return (struct item){node, view, n->weight - own.weight, n->count - own.count};
}

static void push_callees(struct callgraph *g, uint32_t node, enum view view)
{
	for (uint32_t n = trie_node(g, node)->first_child; n; n = trie_node(g, n)->next)
		push(g, item_at(g, n, view));
}

static void begin_caller_first(struct callgraph *g, uint32_t entry)
{
	each_end(g, entry, add_to_path);
	uint32_t first = g->h->entries.v[entry].first_node;
	uint32_t root = first;
	if (!root) {
		size_t i = first_loose(g, entry);
		if (i < g->h->trie.loose.n && g->h->trie.loose.v[i].entry == entry)
			root = g->h->trie.loose.v[i].node;
	}
	while (root && trie_node(g, root)->parent)
		root = trie_node(g, root)->parent;
	if (root)
		push_callees(g, root, VIEW_OWN);
	if (!g->children)
		return;
	for (uint32_t n = first; n; n = trie_node(g, n)->next_of_entry)
		if (!trie_node(g, n)->outer)
			push(g, item_at(g, n, VIEW_OTHER));
}

static void push_end(struct callgraph *g, uint32_t node, uint64_t weight, uint64_t count)
{
	push(g, (struct item){node, VIEW_OWN, weight, count});
}

/* The sample counts for its entry where it ended, not again further up its stack. */
static void subtract_loose(struct callgraph *g, uint32_t entry)
{
	const struct callgraph_trie *t = &g->h->trie;
	for (size_t i = first_loose(g, entry); i < t->loose.n && t->loose.v[i].entry == entry;
	     i++) {
		uint32_t n = t->loose.v[i].node;
		while (n && trie_node(g, n)->entry != entry)
			n = trie_node(g, n)->parent;
		if (!n)
			continue;
		value_at(g, n)->weight -= t->loose.v[i].weight;
		value_at(g, n)->count -= t->loose.v[i].count;
	}
}

static void begin_callee_first(struct callgraph *g, uint32_t entry)
{
	if (!g->children) {
		each_end(g, entry, push_end);
		return;
	}
	/* Each sample counts at the innermost of the entry's nodes on its stack. */
	uint32_t first = g->h->entries.v[entry].first_node;
	for (uint32_t i = first; i; i = trie_node(g, i)->next_of_entry) {
		const struct trie_node *n = trie_node(g, i);
		value_at(g, i)->weight += n->weight;
		value_at(g, i)->count += n->count;
		if (n->outer) {
			value_at(g, n->outer)->weight -= n->weight;
			value_at(g, n->outer)->count -= n->count;
		}
	}
	subtract_loose(g, entry);
	for (uint32_t n = first; n; n = trie_node(g, n)->next_of_entry)
		push(g, item_at(g, n, VIEW_OWN));
	const struct callgraph_trie *t = &g->h->trie;
	for (size_t i = first_loose(g, entry); i < t->loose.n && t->loose.v[i].entry == entry; i++)
		push_end(g, t->loose.v[i].node, t->loose.v[i].weight, t->loose.v[i].count);
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
 * come out in that order. */
static int cmp_address(const struct hist_keys *k, uint32_t a, uint32_t b)
{
	const struct profile_frame *x = profile_frame_at(k->p, hist_keys_frame(k, a));
	const struct profile_frame *y = profile_frame_at(k->p, hist_keys_frame(k, b));
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
	double share = g->opt->min_percent / 100.0;
	if (g->opt->mode != CALLGRAPH_FRACTAL)
		return (uint64_t)((double)g->total_weight * share);
	double exact = (double)above->below_weight * share;
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
		if (w->groups.v[i].weight >= least)
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
		if (w->groups.n != 1 || w->groups.v[0].count != g->nodes.v[task.node].count)
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
	w->value_stamp++;
	vec_push(&g->nodes, (struct callgraph_node){0});
	if (g->opt->mode == CALLGRAPH_NONE || g->h->trie.nodes.n < 2)
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
