/* What a function's DIE, and those it refers to, say about it. */
#ifndef KILN_DWARF_NAME_H
#define KILN_DWARF_NAME_H

#include "object/dwarf_data.h"

struct dwarf_detail {
	struct str name;
	bool linkage;       /* the name is a linkage name */
	uint32_t decl_line; /* 0: unknown */
	uint64_t entry;     /* lowest address */
	/* Of an inlined function: where it was called. */
	uint64_t call_file;
	uint32_t call_line, call_column, discriminator;
};

/* The DIE at an offset of u's section. Follows abstract origins and specifications, also into other
 * units and files. */
void dwarf_detail_read(struct dwarf_detail *out, struct dwarf_unit *u, uint64_t die);

/* DW_AT_comp_dir, and the name of the split file. */
struct str dwarf_unit_comp_dir(struct dwarf_unit *u);
struct str dwarf_unit_split_name(struct dwarf_unit *u);

#endif
