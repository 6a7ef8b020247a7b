/* Split units: the binary has a skeleton, a .dwo file or a .dwp package has the DIEs. */
#ifndef KILN_DWARF_SPLIT_H
#define KILN_DWARF_SPLIT_H

#include "object/dwarf_data.h"

/* Of a package, the pieces that belong to one unit. False when it has none of that id. */
MUST_USE bool dwarf_package_pick(const struct dwarf_sections *package, uint64_t id,
				 struct dwarf_sections *out);

/* The unit of an id in a .dwo, made ready to be read with its skeleton; NULL when it is not there.
 */
struct dwarf_unit *dwarf_data_split_unit(struct dwarf_data *d, struct dwarf_unit *skeleton);

#endif
