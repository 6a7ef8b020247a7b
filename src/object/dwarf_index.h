/* From an address to the units that say they hold it. */
#ifndef KILN_DWARF_INDEX_H
#define KILN_DWARF_INDEX_H

#include "object/dwarf_data.h"

/* True files have one unit per address, or a few where a linker has folded equal code. */
#define DWARF_CANDIDATES_MAX 8

struct dwarf_segment {
	uint64_t low, high;    /* high: exclusive */
	uint32_t first, count; /* of candidates */
};

struct dwarf_index {
	VEC(struct dwarf_segment) segments; /* by low, without overlaps */
	VEC(uint32_t) candidates;           /* units; those of one segment in order */
};

/* The units that tell where their code is: in .debug_aranges, which spares reading their first
 * DIEs, or else in these. */
void dwarf_index_build(struct dwarf_index *ix, struct dwarf_data *d);
/* The others, by a scan of their functions, which is slow. To be called after the first. */
void dwarf_index_build_silent(struct dwarf_index *ix, struct dwarf_data *d);
void dwarf_index_free(struct dwarf_index *ix);

/* NULL when no unit has it. *hint, 0 at first, makes look-ups of rising addresses quick. */
const struct dwarf_segment *dwarf_index_find(const struct dwarf_index *ix, uint64_t addr,
					     size_t *hint);

#endif
