/*
 * The code of one unit: its functions, what was inlined into each, and its lines. Functions are
 * listed when the unit is first hit, without reading what is in them where the DIEs tell how far to
 * jump; the inner tree of a function is read when that function is hit.
 */
#ifndef KILN_DWARF_CODE_H
#define KILN_DWARF_CODE_H

#include "object/dwarf_line.h"
#include "object/dwarf_name.h"
#include "object/dwarf_spans.h"

struct dwarf_node {
	uint64_t die;
	uint32_t parent; /* index of the node it was inlined into; node 0 is the function */
	struct dwarf_detail *detail; /* NULL: not read yet */
};

struct dwarf_tree {
	VEC(struct dwarf_node) nodes; /* a parent before its children */
	struct dwarf_spans spans;     /* id: node */
};

struct dwarf_function {
	uint64_t die;
	struct dwarf_tree *tree; /* NULL: not read yet */
};

/* Functions and the code each has. */
struct dwarf_functions {
	VEC(struct dwarf_function) list;
	struct dwarf_spans spans; /* id: index in the list */
};

struct dwarf_code {
	pthread_mutex_t lock;
	bool ready;
	struct dwarf_unit *home; /* has the lines */
	struct dwarf_unit *unit; /* has the DIEs; differs when split */
	const struct dwarf_lines *lines;
	/* First those found without reading what can be jumped over; all of them only when an
	 * address is in none of the first. The answer must not depend on what was asked before, so
	 * the first list stays the first to be asked. */
	struct dwarf_functions top, all;
	bool skipped; /* something was jumped over */
	bool have_all;
	struct arena arena;
};

/* With nothing read. Never NULL. */
struct dwarf_code *dwarf_unit_code(struct dwarf_unit *u);
void dwarf_code_free(struct dwarf_code *code);

/* The code ranges of all functions of a unit that does not tell its own. */
void dwarf_unit_function_spans(struct dwarf_unit *u, uint32_t id, struct dwarf_spans *out);

/* As dwarf_frames_at(); *size becomes the length of the code range that was hit, UINT64_MAX when it
 * is in no function. `split` finds the unit that has the DIEs. */
typedef struct dwarf_unit *dwarf_split_find(void *ctx, struct dwarf_unit *u);
size_t dwarf_code_frames(struct dwarf_code *code, uint64_t addr, struct dwarf_frame *out,
			 size_t max, uint64_t *size, dwarf_split_find *split, void *ctx);

#endif
