/* Inlined functions and source lines of timed views: frames are expanded when they are printed. */
#include <stdlib.h>

#include "ingest/ingest_state.h"

struct expand_options ingest_expand_options(const struct ingest *in)
{
	return (struct expand_options){.inlines = in->opt.inlines,
				       .lines = in->opt.lines,
				       .full_path = in->opt.full_path,
				       .demangle = in->opt.resolve.demangle,
				       .unwound = in->copied};
}

void ingest_expand_chains(struct ingest *in)
{
	struct expand_options how = ingest_expand_options(in);
	const struct profile *p = in->profile;
	if (!expand_wanted(&how))
		return;
	uint8_t *needed = mem_calloc(p->frames.n, 1);
	for (size_t i = 1; i < in->chains.list.n; i++) {
		const struct chain *c = &in->chains.list.v[i];
		const frame_id *frames = in->chains.frames.v + c->first;
		if (how.lines)
			needed[c->leaf.v] |= 1 << ROLE_HERE;
		for (uint32_t k = 0; k < c->depth; k++) {
			enum frame_role role = k ? expand_role(p, &how, frames[k], frames[k - 1])
						 : ROLE_HERE;
			needed[frames[k].v] |= (uint8_t)(1u << role);
		}
	}
	expansions_find(&in->expansions, in->profile, in->resolver, needed, &how, in->pool);
	free(needed);
}

bool ingest_expands(const struct ingest *in)
{
	return in->expansions.of;
}

struct ingest_chain ingest_expanded(const struct ingest *in, const struct ingest_chain *chain,
				    size_t i)
{
	struct expand_options how = ingest_expand_options(in);
	enum frame_role role = i ? expand_role(in->profile, &how, chain->frames[i],
					       chain->frames[i - 1])
				 : ROLE_HERE;
	struct expansion x = expansion_of(&in->expansions, chain->frames[i], role);
	return (struct ingest_chain){.leaf = chain->frames[i],
				     .frames = in->expansions.list.v + x.first,
				     .depth = x.count};
}
