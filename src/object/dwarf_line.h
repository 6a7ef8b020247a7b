/* Line tables: from an address to file, line, column and discriminator. */
#ifndef KILN_DWARF_LINE_H
#define KILN_DWARF_LINE_H

#include "object/dwarf_data.h"

/* Holds from its address to the next row's. */
struct dwarf_row {
	uint64_t addr;
	uint32_t file, line, column, discriminator;
};

/* A piece of code without holes: rows [first, first + count), by address. */
struct dwarf_sequence {
	uint64_t low, high; /* high: exclusive */
	size_t first, count;
};

/* What the header of a line program says. */
struct dwarf_line_header {
	uint16_t version;
	uint8_t offset_size, address_size;
	uint8_t min_inst_length, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *opcode_lengths; /* opcode_base - 1 of them */
	struct cursor program;
	struct cursor tables; /* directories and files */
};

struct dwarf_lines {
	VEC(struct dwarf_row) rows;
	VEC(struct dwarf_sequence) sequences; /* by low, without overlaps */
	VEC(struct str) dirs;
	VEC(struct dwarf_file) files;
	uint32_t first_file; /* number of files.v[0]: 1, or 0 from version 5 on */
	pthread_mutex_t lock;
	bool read;
};

/* The table a unit names, read when first asked for; units may share one. Never NULL; empty when
 * there is none or it is damaged. */
const struct dwarf_lines *dwarf_unit_lines(struct dwarf_unit *u);
void dwarf_lines_free(struct dwarf_lines *t);

/* The row that holds the address; NULL when none does. */
const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *t, uint64_t addr);

/* NULL when there is no file of that number. */
const struct dwarf_file *dwarf_lines_file(const struct dwarf_lines *t, uint64_t number);

/* --- parts, for dwarf_line.c ------------------------------------------------------------------ */

/* False when the header does not hold together. */
MUST_USE bool dwarf_line_header_read(struct dwarf_unit *u, struct dwarf_line_header *h);
/* Directories and files. */
void dwarf_lines_read_files(struct dwarf_lines *t, const struct dwarf_unit *u,
			    struct dwarf_line_header *h, struct str comp_dir);
/* DW_LNE_define_file. */
void dwarf_lines_define_file(struct dwarf_lines *t, struct cursor *c, struct str comp_dir);

#endif
