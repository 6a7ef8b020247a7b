#include "object/dwarf_name.h"

#include "object/dwarf_walk.h"

/* A concrete function refers to its abstract instance, that to a declaration in a class; chains are
 * not longer, but may be circles. */
#define CHAIN_MAX 16

struct place {
	struct dwarf_unit *u;
	uint64_t die;
};

/* DIEs still to be looked at. */
struct chain {
	struct place todo[CHAIN_MAX];
	unsigned n, seen;
	struct str linkage, plain;
	uint32_t decl_line;
};

static void chain_add(struct chain *chain, const struct dwarf_unit *u, const struct dwarf_value *v)
{
	struct place p;
	if (chain->n < CHAIN_MAX && dwarf_value_target(u, v, &p.u, &p.die))
		chain->todo[chain->n++] = p;
}

/* The names of one DIE; what it refers to is added. A name found earlier is nearer, and stays. */
static void chain_take(struct chain *chain, struct dwarf_unit *u, uint16_t attr,
		       const struct dwarf_value *v)
{
	switch (attr) {
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		if (!chain->linkage.n)
			chain->linkage = dwarf_value_text(u, v);
		break;
	case DW_AT_name:
		if (!chain->plain.n)
			chain->plain = dwarf_value_text(u, v);
		break;
	case DW_AT_decl_line:
		if (!chain->decl_line)
			chain->decl_line = (uint32_t)v->u;
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		chain_add(chain, u, v);
		break;
	}
}

static void detail_take(struct dwarf_detail *d, uint16_t attr, const struct dwarf_value *v)
{
	switch (attr) {
	case DW_AT_call_file:
		d->call_file = v->u;
		break;
	case DW_AT_call_line:
		d->call_line = (uint32_t)v->u;
		break;
	case DW_AT_call_column:
		d->call_column = (uint32_t)v->u;
		break;
	case DW_AT_GNU_discriminator:
		d->discriminator = (uint32_t)v->u;
		break;
	}
}

static uint64_t lowest(const struct dwarf_unit *u, const struct dwarf_pc *pc)
{
	struct dwarf_spans spans = {0};
	dwarf_spans_add(&spans, u, pc, 0);
	uint64_t low = spans.list.n ? spans.list.v[0].low : 0;
	for (size_t i = 1; i < spans.list.n; i++)
		low = MIN(low, spans.list.v[i].low);
	vec_free(&spans.list);
	return low;
}

void dwarf_detail_read(struct dwarf_detail *out, struct dwarf_unit *u, uint64_t die)
{
	struct chain chain = {.todo = {{u, die}}, .n = 1};
	struct dwarf_pc pc = {0};
	*out = (struct dwarf_detail){0};
	for (; chain.n && chain.seen < CHAIN_MAX && !chain.linkage.n; chain.seen++) {
		struct place at = chain.todo[--chain.n];
		struct dwarf_walk w = dwarf_walk_from(at.u, at.die);
		const struct dwarf_abbrev *a;
		if (!dwarf_walk_next(&w, &a) || !a)
			continue;
		for (uint32_t i = 0; i < a->count && !w.c.bad; i++) {
			struct dwarf_value v;
			dwarf_value_read(at.u, &w.c, &a->specs[i], &v);
			chain_take(&chain, at.u, a->specs[i].attr, &v);
			if (!chain.seen) {
				detail_take(out, a->specs[i].attr, &v);
				dwarf_pc_take(&pc, a->specs[i].attr, &v);
			}
		}
	}
	out->linkage = chain.linkage.n;
	out->name = out->linkage ? chain.linkage : chain.plain;
	out->decl_line = chain.decl_line;
	out->entry = lowest(u, &pc);
}

static struct str root_text(struct dwarf_unit *u, uint16_t attr, uint16_t other)
{
	struct dwarf_walk w = dwarf_walk_from(u, u->dies);
	const struct dwarf_abbrev *a;
	if (!dwarf_walk_next(&w, &a) || !a)
		return STR("");
	for (uint32_t i = 0; i < a->count && !w.c.bad; i++) {
		struct dwarf_value v;
		dwarf_value_read(u, &w.c, &a->specs[i], &v);
		if (a->specs[i].attr == attr || a->specs[i].attr == other)
			return dwarf_value_text(u, &v);
	}
	return STR("");
}

struct str dwarf_unit_comp_dir(struct dwarf_unit *u)
{
	return root_text(u, DW_AT_comp_dir, DW_AT_comp_dir);
}

struct str dwarf_unit_split_name(struct dwarf_unit *u)
{
	return root_text(u, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
}
