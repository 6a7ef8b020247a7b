/*
 * DWARF: from an address to source lines and to the functions that were inlined there.
 *
 * A reader of our own, because libdw may not be used by two threads, reads whole units to answer
 * one question, and trusts lengths; here a look-up reads the headers of all units once (no DIE but
 * the first of each), then only the units that are hit, each once, and of these only the functions
 * that are hit. DWARF 2 to 5, both offset sizes, both byte orders, split units, packages (.dwp),
 * and files shared by dwz.
 *
 * The bytes may lie. Work and memory stay in proportion to the size of the sections, whatever they
 * hold; damage costs answers (an empty frame list, no file name), it is never an error.
 */
#ifndef KILN_DWARF_H
#define KILN_DWARF_H

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "base/str.h"

/* Section contents, uncompressed and relocated; empty when not there. The names of split units
 * (.debug_info.dwo) go to the same fields, in a struct of their own. */
struct dwarf_sections {
	struct str info, types, abbrev, line, str, line_str;
	struct str ranges, rnglists, addr, str_offsets, aranges;
	struct str cu_index, tu_index; /* of a package (.dwp) */

	/* The file named by .gnu_debugaltlink (made by dwz); NULL when there is none. */
	const struct dwarf_sections *alt;

	bool swap; /* written in the other byte order */
	/* Set for ET_REL files: a function at address 0 is real there. In linked files it is one
	 * the linker has thrown away. */
	bool relocatable;
};

/* The field for a section of that name: ".debug_info", ".debug_info.dwo", ".zdebug_info"; NULL for
 * a section that is not needed here. */
struct str *dwarf_section_slot(struct dwarf_sections *s, struct str name);

/* The other half of a split unit, which the binary only names. */
struct dwarf_split {
	uint64_t id;               /* DW_AT_dwo_id */
	struct str name, comp_dir; /* DW_AT_dwo_name (relative to comp_dir unless absolute) */
};

/* Gives the sections of the .dwo file, or of a .dwp package (one with cu_index), which is searched
 * for the id here. False: not found. What *out points to must stay until dwarf_free(). Asked once
 * per unit; from any worker thread, but never by two at a time. */
typedef bool dwarf_split_fn(void *ctx, const struct dwarf_split *want, struct dwarf_sections *out);

struct dwarf;

/* Borrows the bytes of all sections until dwarf_free(); the struct itself is copied (not *s->alt).
 * Reads nothing yet. `split` may be NULL. */
struct dwarf *dwarf_new(const struct dwarf_sections *s, dwarf_split_fn *split, void *ctx);
void dwarf_free(struct dwarf *d);

/* A source file as the line table names it. Equal pointers are equal files. */
struct dwarf_file {
	struct str comp_dir; /* where the compiler ran; may be empty */
	struct str dir;      /* may be empty, or relative to comp_dir */
	struct str name;     /* relative to dir unless absolute */
};

/* The parts joined, as addr2line and llvm-symbolizer print them. */
struct str dwarf_file_path(const struct dwarf_file *f, struct arena *a);

/* One function of the inline chain at an address. Strings and files live as long as the struct
 * dwarf. */
struct dwarf_frame {
	/* The linkage name (mangled) if there is one, else the plain name, as addr2line and
	 * llvm-symbolizer give it; empty when unknown. */
	struct str function;
	/* Innermost frame: the line of the address itself. The others: where the frame before was
	 * inlined into this one. */
	const struct dwarf_file *file; /* NULL: unknown */
	uint32_t line;                 /* 0: unknown, or made by the compiler */
	uint32_t column;               /* 0: unknown */
	uint32_t discriminator;
	uint32_t decl_line; /* line the function is declared at; 0: unknown */
	uint64_t entry; /* lowest address of the (inlined) function's code; 0 without function */
	bool linkage;   /* `function` is a linkage name; else the symbol table may know better */
	bool inlined;   /* false for the concrete function, the last one of a whole chain */
};

/* The inline chain at an address (as in the ELF file: st_value, not a file offset), innermost
 * first; the last one is the concrete function. The address is taken as given: for a return address
 * the caller subtracts 1. Gives the number of frames put into out, at most max; 0 when nothing is
 * known. A line without a function is one frame with an empty name. Any number of threads may ask
 * the same struct dwarf. */
size_t dwarf_frames_at(struct dwarf *d, uint64_t addr, struct dwarf_frame *out, size_t max);

/* The same for many addresses, in any order: grouped by unit, the units spread over the pool
 * (NULL: the calling thread only). Chains of more than 512 frames are cut at their outer end. */
struct dwarf_frames {
	const struct dwarf_frame *v;
	size_t n;
};
struct dwarf_results {
	struct dwarf_frames *at; /* one per address, same order */
	struct arena *arenas;    /* own what `at` points to */
	unsigned arena_count;
};
void dwarf_lookup(struct dwarf *d, const uint64_t *addrs, size_t n, struct pool *pool,
		  struct dwarf_results *out);
void dwarf_results_free(struct dwarf_results *r);

#endif
