#include "object/dwarf_walk.h"

static uint64_t sibling_of(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return u->offset + v->u;
	case DW_FORM_ref_addr:
		return v->u;
	default:
		return 0;
	}
}

uint64_t dwarf_walk_skip(struct dwarf_walk *w, const struct dwarf_abbrev *a)
{
	const struct dwarf_unit *u = w->u;
	struct dwarf_value v;
	uint64_t sibling = 0;
	if (LIKELY(a->size != DWARF_SIZE_VARIES)) {
		if (a->sibling != UINT32_MAX) {
			struct cursor c = w->c;
			cursor_skip(&c, a->sibling_at);
			dwarf_value_read(u, &c, &a->specs[a->sibling], &v);
			sibling = sibling_of(u, &v);
		}
		cursor_skip(&w->c, a->size);
		return sibling;
	}
	for (uint32_t i = 0; i < a->count && !w->c.bad; i++) {
		if (i == a->sibling) {
			dwarf_value_read(u, &w->c, &a->specs[i], &v);
			sibling = sibling_of(u, &v);
		} else {
			dwarf_value_skip(u, &w->c, &a->specs[i]);
		}
	}
	return sibling;
}

uint64_t dwarf_walk_pc(struct dwarf_walk *w, const struct dwarf_abbrev *a, struct dwarf_pc *pc)
{
	uint64_t sibling = 0;
	pc->has_low = pc->has_high = pc->has_ranges = false;
	for (uint32_t i = 0; i < a->count && !w->c.bad; i++) {
		const struct dwarf_spec *s = &a->specs[i];
		struct dwarf_value v;
		switch (s->attr) {
		case DW_AT_sibling:
			dwarf_value_read(w->u, &w->c, s, &v);
			sibling = sibling_of(w->u, &v);
			break;
		case DW_AT_low_pc:
		case DW_AT_high_pc:
		case DW_AT_ranges:
			dwarf_value_read(w->u, &w->c, s, &v);
			dwarf_pc_take(pc, s->attr, &v);
			break;
		default:
			dwarf_value_skip(w->u, &w->c, s);
		}
	}
	return sibling;
}
