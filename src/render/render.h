/* Tables and trees to characters. Everything here writes to a struct out and keeps no state. */
#ifndef KILN_RENDER_H
#define KILN_RENDER_H

#include "analyze/quality.h"
#include "analyze/tree.h"
#include "base/out.h"
#include "profile/profile.h"
#include "render/palette.h"

/* Folded stacks: "a;b;c 12\n" for every node with a weight of its own, ordered by the bytes of the
 * stack. The root's name is not part of it. Wants a tree built with `folded`. */
void render_folded(struct out *o, const struct tree *t);

/* Texts are NULL and numbers 0 where the default, given here, is wanted. */
struct svg_options {
	const char *title;      /* "Flame Graph" */
	const char *subtitle;   /* none */
	const char *count_name; /* "samples" */
	const char *name_type;  /* "Function:", in front of the details */
	const char *font;       /* "Verdana" */
	double font_size;       /* 12 pixels */
	double width;           /* 1200 pixels */
	double frame_height;    /* 16 pixels */
	double min_width;       /* pixels; narrower boxes are left out. 0 is 0: none is */
	bool icicle;            /* root at the top */
	bool similar;           /* names that begin alike get colours that are alike */
	enum palette palette;
};

struct svg_result {
	uint64_t drawn, left_out; /* boxes */
	double left_out_share; /* of the whole weight, that some frame of its stack is missing for
				*/
};

/* An interactive flame graph in one file: zoom, search with matched %, tooltips, reset. What was
 * left out for being too narrow is said in the picture and in the result. */
struct svg_result render_svg(struct out *o, const struct tree *t, const struct svg_options *opt);

/* How good the stacks of an event are; as JSON: one object. */
void quality_text(struct out *o, const struct profile *p, event_id event, const struct quality *q);
void quality_json(struct out *o, const struct profile *p, event_id event, const struct quality *q);

#endif
