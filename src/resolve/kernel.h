/*
 * The kernel's symbols: from a file the user names, from the running kernel when it is the one that
 * was recorded, or from perf's cache. Never those of another kernel.
 */
#ifndef KILN_KERNEL_H
#define KILN_KERNEL_H

#include "object/debug_info.h"
#include "resolve/resolve.h"

struct kernel_symbols {
	bool loaded;
	bool moved; /* the kernel lay elsewhere when recorded (another boot): modules are unknown */
	uint64_t delta;      /* recorded address - address in the table */
	uint64_t start, end; /* what the kernel's own symbols cover */
	struct kallsyms kallsyms;
	const struct symtab *embedded; /* came with the recording; NULL: none */
	struct debug_info *debug;      /* of the image named by --vmlinux; NULL: none */
	uint64_t debug_delta;          /* recorded address - address in there */
	struct diags diags;
};

void kernel_symbols_load(struct kernel_symbols *k, const struct session *s,
			 const struct resolve_options *opt);
void kernel_symbols_free(struct kernel_symbols *k);

const struct symbol *kernel_symbol(const struct kernel_symbols *k, const struct session_object *o,
				   uint64_t addr);

/* Between the kernel's first and last symbol. */
bool kernel_symbols_cover(const struct kernel_symbols *k, uint64_t addr);

#endif
