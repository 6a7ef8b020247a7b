/* Colours of flame graph boxes: chosen by name, so that a function has the same colour everywhere.
 */
#ifndef KILN_PALETTE_H
#define KILN_PALETTE_H

#include "base/str.h"

enum palette {
	/* one hue */
	PALETTE_HOT,
	PALETTE_MEM,
	PALETTE_IO,
	PALETTE_RED,
	PALETTE_GREEN,
	PALETTE_BLUE,
	PALETTE_YELLOW,
	PALETTE_PURPLE,
	PALETTE_AQUA,
	PALETTE_ORANGE,
	PALETTE_GREY,
	/* a hue by what kind of code it is */
	PALETTE_JAVA,
	PALETTE_JS,
	PALETTE_PERL,
	PALETTE_KERNEL,
	PALETTE_COUNT
};

/* Their names on the command line, in the order of the enum. */
extern const char *const palette_names[PALETTE_COUNT];

/* "#eeeeb0": the lower end of the background's gradient. */
const char *palette_background(enum palette p);

/* 0xrrggbb. kind and flags as in struct tree_node; the suffixes _[k] _[j] _[i] count as well.
 * similar: names that begin alike get colours that are alike. */
uint32_t palette_color(enum palette p, struct str name, unsigned kind, unsigned flags,
		       bool similar);

#endif
