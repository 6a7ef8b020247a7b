/* Tables and trees to characters. Everything here writes to a struct out and keeps no state. */
#ifndef KILN_RENDER_H
#define KILN_RENDER_H

#include "analyze/tree.h"
#include "base/out.h"
#include "profile/profile.h"

/* Folded stacks: "a;b;c 12\n", sorted. ';' in names becomes ':', newlines become spaces. */
void render_folded(struct out *o, const struct tree *t);

enum svg_palette { SVG_HOT, SVG_MEM, SVG_IO, SVG_JAVA, SVG_KERNEL_USER, SVG_AQUA, SVG_GREEN };

struct svg_options {
	const char *title;      /* NULL: "Flame Graph" */
	const char *subtitle;   /* NULL: none */
	const char *count_name; /* "samples" */
	double width;           /* pixels; 0: 1200 */
	double min_width;       /* boxes narrower than this many pixels are left out and counted */
	bool icicle;            /* root at the top */
	enum svg_palette palette;
};

/* An interactive flame graph in one file: zoom, search with matched %, tooltips, reset. */
void render_svg(struct out *o, const struct tree *t, const struct svg_options *opt);

#endif
