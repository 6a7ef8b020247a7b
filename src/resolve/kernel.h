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
	/* The kernel's image: its symbols only when it was asked for, its lines whenever it is
	 * found. */
	struct symtab image;
	bool has_image;
	uint64_t image_delta;     /* recorded address - address in there */
	struct debug_info *debug; /* NULL: none, or not asked for yet */
	bool debug_tried;
	struct diags diags;
};

void kernel_symbols_load(struct kernel_symbols *k, const struct session *s,
			 const struct resolve_options *opt);
void kernel_symbols_free(struct kernel_symbols *k);

const struct symbol *kernel_symbol(const struct kernel_symbols *k, const struct session_object *o,
				   uint64_t addr);

/* Whether its table has the modules of this very boot. */
bool kernel_knows_modules(const struct kernel_symbols *k);

/* Opens the debug information, once. */
void kernel_lines_open(struct kernel_symbols *k, const struct session *s,
		       const struct resolve_options *opt);

/* Recorded address - address in the table that symbols of this object come from. */
uint64_t kernel_symbol_delta(const struct kernel_symbols *k, const struct session_object *o);

/* Between the kernel's first and last symbol. */
bool kernel_symbols_cover(const struct kernel_symbols *k, uint64_t addr);

#endif
