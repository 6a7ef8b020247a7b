#include "profile/reroot.h"

#include <stdlib.h>

#define MATCH_MAX 32        /* frames that are compared */
#define CANDIDATES_MAX 4096 /* places looked at for one stack */

/* A place where a whole stack of the thread goes through. */
struct place {
	uint32_t node; /* a stack of the trie */
	uint32_t next; /* the next one with the same function; 0: none */
};

/* All that is known of one thread; used again for the next. */
struct rooter {
	struct profile *p;
	uint32_t *thread_of;      /* per node: the thread that went through it last … */
	uint64_t *samples_of;     /* … and how often */
	VEC(struct place) places; /* [0] unused */
	struct u64map by_function;
	struct u64map answers; /* node at which a cut stack was judged -> node it was found at */
};

/* Equal for frames of one function; without one, for one address. */
static uint64_t frame_key(const struct profile *p, frame_id frame)
{
	func_id func = p->frames.v[frame.v].func;
	return func.v && p->funcs.v[func.v].name.v ? func.v : (uint64_t)frame.v << 32;
}

static uint64_t node_key(const struct profile *p, uint32_t node)
{
	return frame_key(p, p->stacks.v[node].frame);
}

static void learn(struct rooter *r, const struct profile_row *row)
{
	for (uint32_t n = row->stack.v; n; n = r->p->stacks.v[n].parent.v) {
		if (r->thread_of[n] == row->thread.v) {
			r->samples_of[n] += row->count;
			continue;
		}
		r->thread_of[n] = row->thread.v;
		r->samples_of[n] = row->count;
		uint64_t key = node_key(r->p, n);
		const uint32_t *first = u64map_get(&r->by_function, key);
		vec_push(&r->places, (struct place){.node = n, .next = first ? *first : 0});
		u64map_put(&r->by_function, key, (uint32_t)r->places.n - 1);
	}
}

static size_t depth_of(const struct profile *p, uint32_t node)
{
	return profile_stack_depth(p, (stack_id){node});
}

/* The ancestor of `node` at which the outermost of the n nodes stands, when all functions on the
 * way agree; 0: they do not. nodes: outermost first. */
static uint32_t match_up(const struct profile *p, const uint32_t *nodes, size_t n, uint32_t node)
{
	for (size_t i = n; i-- > 0;) {
		if (!node || node_key(p, node) != node_key(p, nodes[i]))
			return 0;
		if (i)
			node = p->stacks.v[node].parent.v;
	}
	return node;
}

static bool is_better(const struct rooter *r, uint32_t node, uint32_t than)
{
	if (!than)
		return true;
	if (r->samples_of[node] != r->samples_of[than])
		return r->samples_of[node] > r->samples_of[than];
	size_t a = depth_of(r->p, node), b = depth_of(r->p, than);
	return a != b ? a < b : node < than;
}

/* Where the first n nodes of a cut stack are found; 0: nowhere with a root above. */
static uint32_t find_run(const struct rooter *r, const uint32_t *nodes, size_t n)
{
	const uint32_t *first = u64map_get(&r->by_function, node_key(r->p, nodes[n - 1]));
	uint32_t best = 0, tries = 0;
	for (uint32_t at = first ? *first : 0; at && tries < CANDIDATES_MAX; tries++) {
		uint32_t found = match_up(r->p, nodes, n, r->places.v[at].node);
		if (found && r->p->stacks.v[found].parent.v && is_better(r, found, best))
			best = found;
		at = r->places.v[at].next;
	}
	return best;
}

static uint32_t find_place(struct rooter *r, const uint32_t *nodes, size_t n)
{
	uint32_t last = nodes[n - 1], best = 0;
	const uint32_t *known = u64map_get(&r->answers, last);
	if (known)
		return *known;
	for (size_t k = n; k && !best; k /= 2)
		best = find_run(r, nodes, k);
	u64map_put(&r->answers, last, best);
	return best;
}

/* Its nodes, outermost first, as many as are compared. */
static size_t outermost(const struct profile *p, uint32_t stack, uint32_t nodes[MATCH_MAX])
{
	size_t depth = depth_of(p, stack), n = MIN(depth, (size_t)MATCH_MAX);
	for (size_t at = depth; at-- > 0; stack = p->stacks.v[stack].parent.v)
		if (at < n)
			nodes[at] = stack;
	return n;
}

static bool reroot(struct rooter *r, struct profile_row *row)
{
	struct profile *p = r->p;
	uint32_t nodes[MATCH_MAX];
	size_t n = outermost(p, row->stack.v, nodes);
	uint32_t place = n ? find_place(r, nodes, n) : 0;
	if (!place)
		return false;
	size_t depth = depth_of(p, row->stack.v);
	frame_id *frames = mem_calloc(depth, sizeof *frames);
	profile_stack_frames(p, row->stack, frames, depth);
	stack_id stack = p->stacks.v[place].parent;
	for (size_t i = 0; i < depth; i++)
		stack = profile_stack(p, stack, frames[i]);
	free(frames);
	row->stack = stack;
	row->cut = false;
	return true;
}

static void next_thread(struct rooter *r)
{
	u64map_free(&r->by_function);
	u64map_free(&r->answers);
	vec_clear(&r->places);
	vec_push(&r->places, (struct place){0});
}

/* Row numbers by thread; first[t] is where those of thread t begin. */
static uint32_t *rows_by_thread(const struct profile *p, uint32_t *first)
{
	uint32_t *order = mem_calloc(p->rows.n + 1, sizeof *order);
	for (size_t i = 0; i < p->rows.n; i++)
		first[p->rows.v[i].thread.v + 1]++;
	for (size_t t = 1; t <= p->threads.n; t++)
		first[t] += first[t - 1];
	uint32_t *at = mem_dup(first, (p->threads.n + 1) * sizeof *first);
	for (size_t i = 0; i < p->rows.n; i++)
		order[at[p->rows.v[i].thread.v]++] = (uint32_t)i;
	free(at);
	return order;
}

struct reroot_result profile_reroot(struct profile *p)
{
	struct reroot_result result = {0};
	struct rooter r = {.p = p};
	for (size_t i = 0; i < p->rows.n; i++)
		result.cut += p->rows.v[i].cut ? p->rows.v[i].count : 0;
	if (!result.cut)
		return result;
	r.thread_of = mem_calloc(p->stacks.n, sizeof *r.thread_of);
	r.samples_of = mem_calloc(p->stacks.n, sizeof *r.samples_of);
	uint32_t *first = mem_calloc(p->threads.n + 2, sizeof *first);
	uint32_t *order = rows_by_thread(p, first);
	for (size_t t = 0; t < p->threads.n; t++) {
		next_thread(&r);
		for (uint32_t i = first[t]; i < first[t + 1]; i++)
			if (!p->rows.v[order[i]].cut)
				learn(&r, &p->rows.v[order[i]]);
		for (uint32_t i = first[t]; i < first[t + 1]; i++) {
			struct profile_row *row = &p->rows.v[order[i]];
			if (row->cut && reroot(&r, row))
				result.rerooted += row->count;
		}
	}
	next_thread(&r);
	vec_free(&r.places);
	free(r.thread_of);
	free(r.samples_of);
	free(first);
	free(order);
	return result;
}
