/* Kernel modules and their files. */
#ifndef KILN_MODULES_H
#define KILN_MODULES_H

#include "base/str.h"

/* The running kernel's list of module files, modules.dep, for module_path(). */
struct module_files {
	struct str list; /* heap; empty when there is none */
	char dir[300];   /* /lib/modules/RELEASE */
};

void module_files_read(struct module_files *m);
void module_files_free(struct module_files *m);

/* "/lib/modules/RELEASE/kernel/…/NAME.ko", or "[NAME]" when it is not known. */
void module_path(const struct module_files *m, struct str name, char *buf, size_t size);

#endif
