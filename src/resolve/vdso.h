/* The vdso's symbols, from the one this process has: the kernel gives every process the same. */
#ifndef KILN_VDSO_H
#define KILN_VDSO_H

#include "object/object.h"

/* The image itself, which is there as long as this process is. */
bool vdso_image(struct str *image);

/* False when there is none or when it is not the recorded one. */
bool vdso_load(struct symtab *t, const struct build_id *recorded);

#endif
