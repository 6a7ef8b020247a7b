/* The arguments of a format's print call: C expressions over REC->field and the kernel's helpers.
 */
#ifndef KILN_TRACE_EXPR_H
#define KILN_TRACE_EXPR_H

#include "event/trace_format.h"
#include "event/trace_lex.h"

struct trace_expr_parser {
	struct trace_lexer lexer;
	const struct trace_format *format;
	struct arena *arena;
	unsigned depth;
};

/* One argument, up to the ',' or ')' behind it; NULL when it is not understood. */
struct trace_node *trace_expr_parse(struct trace_expr_parser *p);

/* A call of one of the kernel's helpers, from behind its "("; NULL when it is not understood. */
struct trace_node *trace_call_parse(struct trace_expr_parser *p, struct str name);

struct trace_node *trace_node_new(struct trace_expr_parser *p, enum trace_kind kind);

/* What a cast to the type leaves of a value. */
uint64_t trace_type_mask(struct str type);

/* The number a text begins with, as strtoull(…, 0) reads it. */
uint64_t trace_atom_value(struct str text);

#endif
