/* Attribute values: read as they stand, given a meaning when somebody asks. */
#ifndef KILN_DWARF_VALUE_H
#define KILN_DWARF_VALUE_H

#include "object/dwarf_abbrev.h"

struct dwarf_value {
	uint16_t form; /* never DW_FORM_indirect */
	uint64_t u;    /* the number, offset or index; of a block its length */
	struct str s;  /* text of DW_FORM_string, bytes of a block */
};

/* Bytes an attribute of that form takes in this unit; -1: varies, or an unknown form. */
int dwarf_form_size(const struct dwarf_unit *u, uint16_t form);

/* An unknown form makes the cursor bad: nobody knows where the next attribute is. */
void dwarf_value_read(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_spec *spec,
		      struct dwarf_value *out);
void dwarf_value_skip(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_spec *spec);

/* Empty when it is no text. */
struct str dwarf_value_text(const struct dwarf_unit *u, const struct dwarf_value *v);
/* False when it is no address. */
bool dwarf_value_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *out);
/* An address by its index in .debug_addr. */
bool dwarf_unit_address(const struct dwarf_unit *u, uint64_t index, uint64_t *out);

/* Where a reference leads: unit and offset in its section; false when nowhere. */
bool dwarf_value_target(const struct dwarf_unit *u, const struct dwarf_value *v,
			struct dwarf_unit **unit, uint64_t *offset);

#endif
