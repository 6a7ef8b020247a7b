/*
 * Overlapping symbols. perf looks an address up in a red-black tree ordered by start, and takes the
 * first symbol on the way down that covers it. Where only the nearest symbol covers an address the
 * shape of the tree does not matter; where others do, it decides, and so does the history of the
 * tree. To give the same answer the tree is grown again, only for tables that need it, and asked
 * once per range.
 */
#ifndef KILN_OVERLAP_H
#define KILN_OVERLAP_H

#include "object/symtab_build.h"

void overlap_patch(const struct symtab_build *b, struct symtab *t, struct symtab_wanted wanted);

#endif
