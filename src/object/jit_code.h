/*
 * Code made at run time, as its maker tells it in a perf map or in a jitdump: a row of "from now on
 * this lies at that address". Addresses are reused, so what an address means depends on the time.
 *
 * The generation of a piece of code says how many others lay there before it. Code of one
 * generation never overlaps, so each generation has a plain symbol table of absolute addresses.
 */
#ifndef KILN_JIT_CODE_H
#define KILN_JIT_CODE_H

#include "base/hash.h"
#include "object/object.h"

struct jit_code {
	uint64_t addr, end; /* end exclusive */
	uint64_t time;      /* when it was told, by the clock of the source */
	const char *name;
	uint32_t generation; /* after seal; 0: nothing was there before */
	uint32_t load;       /* jitdump: index + 1 in loads; 0: nothing more is known */
};

/* One line of source per run of addresses. */
struct jit_line {
	uint64_t offset; /* from the start of its code; ascending within one code */
	uint32_t line, column;
	const char *file;
};

/* What a jitdump knows beyond the name. */
struct jit_load {
	uint64_t addr; /* where it was first */
	const uint8_t *bytes;
	size_t size;
	uint32_t line_first, line_count; /* in lines */
	const uint8_t *eh_frame;         /* NULL: none */
	size_t eh_frame_size;
};

struct jit_table {
	VEC(struct jit_code) codes; /* in the order told: later ones hide earlier ones */
	VEC(struct jit_load) loads;
	VEC(struct jit_line) lines;
	uint32_t generations; /* after seal */
	uint32_t *by_addr;    /* after seal: codes by generation, then by address … */
	uint32_t *first;      /* … where each generation begins there; one more at the end */
	bool tsc_time;        /* times are a CPU's cycle counts, not nanoseconds */
	uint32_t machine;     /* EM_*; 0: not told */
	uint32_t pid;         /* as its maker calls itself; 0: not told */
	struct arena arena;   /* names */
	struct strtab files;  /* of lines */
	char *owned;          /* the bytes that loads point into, if they are ours */
};

void jit_table_free(struct jit_table *t);

/* Adds the lines of (a piece of) a perf map, all told at `time`. Damaged lines are counted in
 * DIAG_BAD_MAP_FILE. */
void jit_table_add_map(struct jit_table *t, struct str text, uint64_t time, const char *name,
		       struct diags *d);

/* One line of a perf map; the name is borrowed. False: it is none. */
MUST_USE bool perf_map_line(struct str line, uint64_t *start, uint64_t *end, struct str *name);

/* Reads a jitdump, of either byte order; once per table. The bytes are borrowed. A file that ends
 * inside a record, as one does that is still being written, gives what is whole. False: it is not a
 * jitdump. */
MUST_USE bool jit_table_read_dump(struct jit_table *t, const void *bytes, size_t n,
				  const char *name, struct diags *d, struct err *err);

/* Nothing more comes: tells the generations. */
void jit_table_seal(struct jit_table *t);

/* The symbols of one generation; names are borrowed from the table. */
void jit_table_symbols(const struct jit_table *t, uint32_t generation, struct symtab *out);

/* The code at an address of one generation; NULL: none. */
const struct jit_code *jit_table_find(const struct jit_table *t, uint32_t generation,
				      uint64_t addr);

/* The source line of an address inside a code; false: not known. From the jitdump's line table, or
 * else from a name that ends in "FILE:LINE" or "FILE:LINE:COLUMN", as those of V8 do: then *file is
 * that text and the line that of the function's head. */
MUST_USE bool jit_code_line(const struct jit_table *t, const struct jit_code *c, uint64_t addr,
			    struct str *file, uint32_t *line, uint32_t *column);

/* The place in a name such as "LazyCompile:*inner /srv/app.js:12:7"; file is borrowed from it. */
MUST_USE bool jit_name_line(struct str name, struct str *file, uint32_t *line, uint32_t *column);

/* The call-frame information the runtime gave for a piece of code: an .eh_frame section to be read
 * as if it lay at `at`. False: none; the code keeps frame pointers then, or nobody knows. */
struct jit_frames {
	const uint8_t *eh_frame;
	size_t size;
	uint64_t at;
};
MUST_USE bool jit_code_frames(const struct jit_table *t, const struct jit_code *c,
			      struct jit_frames *out);

/* Names are text from anywhere and end up on terminals: control characters become '?'. The copy
 * lives in `a`. */
const char *jit_name(struct arena *a, struct str name);

#endif
