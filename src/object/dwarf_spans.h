/*
 * Address ranges with a number each, as DIEs list them, and the same painted over each other: a
 * sorted table without overlaps. Where ranges overlap, the highest number is seen. DIEs are
 * numbered in the order in which they stand, so a child covers its parent.
 */
#ifndef KILN_DWARF_SPANS_H
#define KILN_DWARF_SPANS_H

#include "base/vec.h"
#include "object/dwarf_const.h"
#include "object/dwarf_value.h"

struct dwarf_span {
	uint64_t low, high; /* high: exclusive */
	uint32_t id;
};

struct dwarf_spans {
	VEC(struct dwarf_span) list;
};

/* What a DIE says about where its code is, as it was read. */
struct dwarf_pc {
	bool has_low, has_high, has_ranges;
	struct dwarf_value low, high, ranges;
};

/* Keeps the attribute if it is one of the three. */
static inline void dwarf_pc_take(struct dwarf_pc *pc, uint16_t attr, const struct dwarf_value *v)
{
	if (attr == DW_AT_low_pc) {
		pc->low = *v;
		pc->has_low = true;
	} else if (attr == DW_AT_high_pc) {
		pc->high = *v;
		pc->has_high = true;
	} else if (attr == DW_AT_ranges) {
		pc->ranges = *v;
		pc->has_ranges = true;
	}
}

/* Adds the ranges of a DIE. Ranges that are empty or that the linker has thrown away (at address 0,
 * or one of the two highest) are left out. */
void dwarf_spans_add(struct dwarf_spans *s, const struct dwarf_unit *u, const struct dwarf_pc *pc,
		     uint32_t id);
/* The same for a list of ranges, and for the ranges of a whole unit. */
void dwarf_spans_add_list(struct dwarf_spans *s, const struct dwarf_unit *u, uint16_t form,
			  uint64_t value, uint32_t id);
void dwarf_spans_add_unit(struct dwarf_spans *s, const struct dwarf_unit *u, uint32_t id);

/* One range, unless it is empty or dead. */
void dwarf_spans_push(struct dwarf_spans *s, const struct dwarf_unit *u, uint64_t low,
		      uint64_t high, uint32_t id);

/* By low; those of equal low keep their order. */
void dwarf_spans_sort(struct dwarf_spans *s);

/* Sorts and paints. */
void dwarf_spans_paint(struct dwarf_spans *s);

/* Of a painted list, the one that holds the address; NULL when none does. */
const struct dwarf_span *dwarf_spans_find(const struct dwarf_spans *s, uint64_t addr);

#endif
