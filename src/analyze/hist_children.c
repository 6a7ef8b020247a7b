#include "analyze/hist_children.h"

#include <stdlib.h>

void children_init(struct children *c, const struct hist_keys *keys)
{
	*c = (struct children){.keys = keys};
	c->memo = mem_calloc(keys->p->stacks.n, sizeof *c->memo);
	/* Room for all at once: what is not used is not touched, and growing would copy. */
	vec_reserve(&c->nodes, keys->p->stacks.n + 1);
}

void children_free(struct children *c)
{
	vec_free(&c->nodes);
	vec_free(&c->path);
	free(c->memo);
	*c = (struct children){0};
}

void children_begin(struct children *c, uint32_t who)
{
	c->who = who;
	vec_clear(&c->nodes);
	vec_push(&c->nodes, (struct children_node){0});
}

bool children_has_place(const struct children *c, uint32_t node, uint32_t place)
{
	for (; node; node = c->nodes.v[node].parent)
		if (c->keys->frame_place[c->nodes.v[node].frame] == place)
			return true;
	return false;
}

static uint32_t new_node(struct children *c, uint32_t parent, uint32_t frame)
{
	uint32_t place = c->keys->frame_place[frame];
	uint32_t bit = 1u << (hash_mix(place, 0) & 31);
	const struct children_node *above = &c->nodes.v[parent];
	struct children_node n = {.parent = parent,
				  .frame = frame & INT32_MAX,
				  .depth = (uint16_t)MIN(above->depth + 1, UINT16_MAX),
				  .seen = above->seen | bit};
	n.repeats = (above->seen & bit) && children_has_place(c, parent, place);
	vec_push(&c->nodes, n);
	return (uint32_t)c->nodes.n - 1;
}

uint32_t children_node(struct children *c, stack_id stack)
{
	const struct profile_stack *stacks = c->keys->p->stacks.v;
	uint32_t at = stack.v;
	if (at && c->memo[at].who == c->who)
		return c->memo[at].node;
	vec_clear(&c->path);
	for (; at && c->memo[at].who != c->who; at = stacks[at].parent.v)
		vec_push(&c->path, at);
	uint32_t node = at ? c->memo[at].node : 0;
	while (c->path.n) {
		at = c->path.v[--c->path.n];
		node = new_node(c, node, stacks[at].frame.v);
		c->memo[at].who = c->who;
		c->memo[at].node = node;
	}
	return node;
}

void children_sum(struct children *c)
{
	struct children_node *nodes = c->nodes.v;
	for (size_t i = c->nodes.n; i-- > 1;) {
		struct children_node *n = &nodes[i], *above = &nodes[n->parent];
		n->deepest = MAX(n->deepest, n->depth);
		above->deepest = MAX(above->deepest, n->deepest);
		above->weight += n->weight;
	}
}
