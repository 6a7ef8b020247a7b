#include "analyze/callgraph_trie.h"

#include <stdlib.h>

void callgraph_trie_init(struct callgraph_trie *t, const struct profile *p)
{
	*t = (struct callgraph_trie){0};
	vec_push(&t->nodes, (struct trie_node){0});
	t->memo = mem_calloc(p->stacks.n, sizeof *t->memo);
}

static void free_building(struct callgraph_trie *t)
{
	free(t->memo);
	t->memo = NULL;
	vec_free(&t->path);
	index_free(&t->index);
}

void callgraph_trie_free(struct callgraph_trie *t)
{
	free_building(t);
	vec_free(&t->nodes);
	vec_free(&t->loose);
}

void callgraph_trie_root(struct callgraph_trie *t)
{
	t->root = (uint32_t)t->nodes.n;
	vec_push(&t->nodes, (struct trie_node){0});
}

static uint32_t child(struct callgraph_trie *t, uint32_t parent, uint32_t sym)
{
	uint64_t h = hash_mix((uint64_t)parent << 32 | sym, 0);
	for (struct index_probe at = index_probe(&t->index, h); index_next(&t->index, &at);) {
		const struct trie_node *n = &t->nodes.v[at.value];
		if (n->parent == parent && n->sym == sym)
			return at.value;
	}
	uint32_t id = (uint32_t)t->nodes.n;
	vec_push(&t->nodes, (struct trie_node){.parent = parent,
					       .sym = sym,
					       .next = t->nodes.v[parent].first_child,
					       .depth = t->nodes.v[parent].depth + 1});
	t->nodes.v[parent].first_child = id;
	index_put(&t->index, h, id);
	return id;
}

uint32_t callgraph_trie_add(struct callgraph_trie *t, const struct hist_keys *k, stack_id stack)
{
	const struct profile_stack *stacks = k->p->stacks.v;
	uint32_t at = stack.v;
	vec_clear(&t->path);
	for (; at && t->memo[at].root != t->root; at = stacks[at].parent.v)
		vec_push(&t->path, at);
	uint32_t node = at ? t->memo[at].node : t->root;
	while (t->path.n) {
		at = t->path.v[--t->path.n];
		node = child(t, node, k->frame_sym[stacks[at].frame.v]);
		t->memo[at].root = t->root;
		t->memo[at].node = node;
	}
	return node;
}

void callgraph_trie_sum(struct callgraph_trie *t)
{
	free_building(t);
	struct trie_node *nodes = t->nodes.v;
	for (size_t i = 1; i < t->nodes.n; i++) {
		nodes[i].weight = nodes[i].self_weight;
		nodes[i].count = nodes[i].self_count;
	}
	for (size_t i = 0; i < t->loose.n; i++) {
		nodes[t->loose.v[i].node].weight += t->loose.v[i].weight;
		nodes[t->loose.v[i].node].count += t->loose.v[i].count;
	}
	for (size_t i = t->nodes.n; i-- > 1;) {
		nodes[nodes[i].parent].weight += nodes[i].weight;
		nodes[nodes[i].parent].count += nodes[i].count;
	}
}

/* Depth first through one trie; innermost[e] is the latest node of entry e on the way down. */
static void link_below(struct trie_node *nodes, uint32_t root, uint32_t *innermost)
{
	uint32_t n = nodes[root].first_child;
	while (n) {
		nodes[n].outer = innermost[nodes[n].entry];
		innermost[nodes[n].entry] = n;
		if (nodes[n].first_child) {
			n = nodes[n].first_child;
			continue;
		}
		for (; n != root; n = nodes[n].parent) {
			innermost[nodes[n].entry] = nodes[n].outer;
			if (nodes[n].next) {
				n = nodes[n].next;
				break;
			}
		}
		if (n == root)
			return;
	}
}

void callgraph_trie_link(struct callgraph_trie *t, size_t entry_count)
{
	uint32_t *innermost = mem_calloc(entry_count, sizeof *innermost);
	for (uint32_t i = 1; i < t->nodes.n; i++)
		if (!t->nodes.v[i].parent)
			link_below(t->nodes.v, i, innermost);
	free(innermost);
}
