/* Inside of tracefmt: a parsed format. All of it lives in the arena it was parsed into. */
#ifndef KILN_TRACE_FORMAT_H
#define KILN_TRACE_FORMAT_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/str.h"
#include "event/tracefmt.h"

struct trace_field {
	struct str name;
	uint32_t offset, size; /* bytes in the record */
	uint32_t element;      /* bytes of an array's element */
	bool array, is_signed, pointer, is_long;
	bool string;   /* array of characters */
	bool dynamic;  /* holds offset (low half) and length (high half) of the real data */
	bool relative; /* … that offset counts from the field's end */
};

/* One {value, "text"} of __print_flags() and __print_symbolic(). */
struct trace_choice {
	int64_t value;
	struct str text;
};

enum trace_kind {
	TRACE_NONE,
	TRACE_ATOM,        /* text as written, and the number it begins with */
	TRACE_FIELD,       /* REC->field; field is NULL when there is none of that name */
	TRACE_CAST,        /* a; value: mask, pointee: mask of what a pointer type points to */
	TRACE_OP,          /* a op b; a is a TRACE_NONE for prefix operators */
	TRACE_FLAGS,       /* __print_flags(a, text, choices) */
	TRACE_SYMBOLIC,    /* __print_symbolic(a, choices) */
	TRACE_HEX,         /* __print_hex(a, b): bytes with spaces between */
	TRACE_HEX_STR,     /* … without */
	TRACE_INT_ARRAY,   /* __print_array(a, b, c): b numbers of c bytes */
	TRACE_STRING,      /* __get_str(field) */
	TRACE_BITMASK,     /* __get_bitmask(field) */
	TRACE_DYNAMIC,     /* __get_dynamic_array(field) */
	TRACE_DYNAMIC_LEN, /* __get_dynamic_array_len(field) */
};

enum trace_op {
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR,
	OP_LAND,
	OP_LOR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
	OP_NOT,
	OP_COMPLEMENT,
	OP_INDEX,    /* a[b] */
	OP_COND,     /* a ? b, and b is … */
	OP_BRANCHES, /* … a : b */
};

struct trace_node {
	enum trace_kind kind;
	enum trace_op op;
	int rank; /* while parsing: of the operator, 0 for those that bind most */
	uint64_t value, pointee;
	struct str text;
	const struct trace_field *field;
	struct trace_node *a, *b, *c;
	const struct trace_choice *choices;
	uint32_t choice_count;
};

/* size_t: libtraceevent hands it over as an int. */
#define LENGTH_SIZE 100

/* printf()'s conversions, as far as the kernel's formats and libtraceevent go. */
struct trace_spec {
	bool left, zero, alternate;
	bool star_precision;  /* a '*' gives the precision, not the width */
	int width, precision; /* -1: none */
	int length;           /* -2 char, -1 short, 0 int, 1 long, 2 long long, LENGTH_SIZE */
	char conversion;      /* d u x X o s p */
	char pointer[8];      /* what follows %p: "S", "I4", "ISpc" … */
};

struct trace_step {
	struct str text; /* printed first */
	struct trace_spec spec;
	const struct trace_node *arg;   /* NULL: text only */
	const struct trace_node *width; /* of a '*' */
};

struct trace_format {
	struct str name; /* "system:event" */
	uint32_t id;
	struct trace_field *fields;
	uint32_t field_count;
	uint32_t first_field; /* behind the common ones */
	uint8_t long_size;    /* of the kernel that wrote the records */
	bool failed;          /* the print call does not parse: print field by field */
	struct trace_step *steps;
	uint32_t step_count;
};

/* What all formats of one recording share. */
struct trace_context {
	bool swap;
	uint8_t long_size;
	tracefmt_resolve resolve;
	void *resolve_ctx;
	/* Texts at kernel addresses, ordered by address. */
	const struct trace_choice *strings;
	size_t string_count;
};

/* Parses the text of one format file. False when not even its id and fields can be read. */
MUST_USE bool trace_format_parse(struct trace_format *f, struct str system, struct str text,
				 uint8_t long_size, struct arena *arena);

/* The "print fmt:" line, from its first quote on; sets f->steps, or f->failed. */
void trace_format_compile(struct trace_format *f, struct str call, struct arena *arena);

const struct trace_field *trace_format_field(const struct trace_format *f, struct str name);

struct trace_record {
	const struct trace_context *ctx;
	const uint8_t *p;
	size_t n;
};

/* The number an expression stands for. */
uint64_t trace_eval(const struct trace_node *n, const struct trace_record *r);

void trace_print_record(const struct trace_format *f, const struct trace_record *r, struct out *o);

/* %pI, %pM, %pU: `what` is what follows the p. */
void trace_print_address(struct out *o, const char *what, const struct trace_node *arg,
			 const struct trace_record *r);

/* The bytes [offset, offset + size) of a record, as far as they are there. */
struct str trace_record_bytes(const struct trace_record *r, uint64_t offset, uint64_t size);
uint64_t trace_record_number(const struct trace_record *r, uint64_t offset, uint32_t size);
/* Where a dynamic field's data is. */
struct str trace_record_dynamic(const struct trace_record *r, const struct trace_field *f);

#endif
