/* The stacks of an aggregated profile, with inlined functions put in. */
#include <stdlib.h>

#include "ingest/expand.h"

static enum frame_role role_of_parent(const struct profile *p, const struct expand_options *opt,
				      uint32_t stack)
{
	const struct profile_stack *s = &p->stacks.v[stack];
	return expand_role(p, opt, p->stacks.v[s->parent.v].frame, s->frame);
}

static uint8_t *mark_needed(const struct profile *p, const struct expand_options *opt)
{
	uint8_t *needed = mem_calloc(p->frames.n, 1);
	for (uint32_t i = 1; i < p->stacks.n; i++)
		if (p->stacks.v[i].parent.v)
			needed[p->stacks.v[p->stacks.v[i].parent.v].frame.v] |=
				(uint8_t)(1u << role_of_parent(p, opt, i));
	for (size_t i = 0; i < p->rows.n; i++) {
		needed[p->stacks.v[p->rows.v[i].stack.v].frame.v] |= 1 << ROLE_HERE;
		if (opt->lines)
			needed[p->rows.v[i].leaf.v] |= 1 << ROLE_HERE;
	}
	needed[0] = 0;
	return needed;
}

/* The new stacks; old stack and role lead to one of them. */
struct rebuilt {
	const struct profile *p;
	const struct expansions *e;
	VEC(struct profile_stack) stacks;
	uint32_t *of; /* [old * FRAME_ROLES + role]; 0: not made yet */
};

static uint32_t push_frame(struct rebuilt *b, uint32_t parent, frame_id frame)
{
	vec_push(&b->stacks, (struct profile_stack){{parent}, frame});
	return (uint32_t)b->stacks.n - 1;
}

/* above: the new stack of its parent, in the role of this one's caller. */
static uint32_t push_expanded(struct rebuilt *b, uint32_t old, enum frame_role role, uint32_t above)
{
	uint32_t *known = &b->of[(size_t)old * FRAME_ROLES + role];
	if (*known)
		return *known;
	frame_id frame = b->p->stacks.v[old].frame;
	struct expansion x = expansion_of(b->e, frame, role);
	struct expansion other = expansion_of(b->e, frame, !role);
	if (!x.count && !other.count && b->of[(size_t)old * FRAME_ROLES + !role])
		return *known = b->of[(size_t)old * FRAME_ROLES + !role];
	uint32_t at = above;
	for (uint32_t i = x.count; i-- > 0;)
		at = push_frame(b, at, b->e->list.v[x.first + i]);
	if (!x.count)
		at = push_frame(b, at, frame);
	return *known = at;
}

static void rebuild(struct profile *p, const struct expansions *e, const struct expand_options *opt)
{
	struct rebuilt b = {.p = p, .e = e};
	uint8_t *roles = mem_calloc(p->stacks.n, 1);
	b.of = mem_calloc(p->stacks.n * FRAME_ROLES, sizeof *b.of);
	for (uint32_t i = 1; i < p->stacks.n; i++)
		roles[p->stacks.v[i].parent.v] |= (uint8_t)(1u << role_of_parent(p, opt, i));
	for (size_t i = 0; i < p->rows.n; i++)
		roles[p->rows.v[i].stack.v] |= 1 << ROLE_HERE;

	vec_reserve(&b.stacks, p->stacks.n + p->stacks.n / 4);
	vec_push(&b.stacks, (struct profile_stack){0});
	for (uint32_t i = 1; i < p->stacks.n; i++) {
		uint32_t parent = p->stacks.v[i].parent.v, above = 0;
		if (parent)
			above = b.of[(size_t)parent * FRAME_ROLES + role_of_parent(p, opt, i)];
		for (enum frame_role role = ROLE_HERE; role < FRAME_ROLES; role++)
			if (roles[i] >> role & 1)
				(void)push_expanded(&b, i, role, above);
	}
	for (size_t i = 0; i < p->rows.n; i++)
		p->rows.v[i].stack.v = b.of[(size_t)p->rows.v[i].stack.v * FRAME_ROLES + ROLE_HERE];
	vec_free(&p->stacks);
	p->stacks.v = b.stacks.v;
	p->stacks.n = b.stacks.n;
	p->stacks.cap = b.stacks.cap;
	free(roles);
	free(b.of);
}

void expand_profile(struct profile *p, struct resolver *r, const struct expand_options *opt,
		    struct pool *pool)
{
	if (!expand_wanted(opt))
		return;
	uint8_t *needed = mark_needed(p, opt);
	struct expansions e;
	expansions_find(&e, p, r, needed, opt, pool);
	if (e.of)
		rebuild(p, &e, opt);
	expansions_free(&e);
	free(needed);
}
