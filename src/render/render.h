/* Tables and trees to characters. Everything here writes to a struct out and keeps no state. */
#ifndef KILN_RENDER_H
#define KILN_RENDER_H

#include "analyze/tree.h"
#include "base/out.h"
#include "profile/profile.h"

/* Folded stacks: "a;b;c 12\n" for every node with a weight of its own, ordered by the bytes of the
 * stack. The root's name is not part of it. Wants a tree built with `folded`. */
void render_folded(struct out *o, const struct tree *t);

#endif
