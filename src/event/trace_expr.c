/*
 * perf's text is the contract, and perf's text comes from libtraceevent; so where that library
 * departs from C, this does too. Numbers are unsigned 64 bits and fields are not sign-extended;
 * names that are no numbers count as 0. Above all, operators: what follows a right operand is put
 * either on top of the tree or under that operand, by comparing the two last operators only, and an
 * operand in parentheses is taken apart again when its operator binds less. So "a - b + c" is
 * a - (b + c), "x & (A | B)" is (x & A) | B, and "a ? b : c ? d : e" is (a ? b : c) ? d : e.
 */
#include "event/trace_expr.h"

#include <stdlib.h>

/* Deep enough for chains of "a == 1 ? … : a == 2 ? …"; parsing and printing recurse as deep. */
#define DEPTH_MAX 200
/* Words in a type's name, and stars behind it. */
#define WORDS_MAX 8

struct trace_node *trace_node_new(struct trace_expr_parser *p, enum trace_kind kind)
{
	struct trace_node *n = arena_new(p->arena, struct trace_node);
	n->kind = kind;
	n->text = STR("");
	return n;
}

uint64_t trace_atom_value(struct str text)
{
	/* Longer ones would overflow in any base. */
	char buf[72];
	size_t n = MIN(text.n, sizeof buf - 1);
	memcpy(buf, text.p, n);
	buf[n] = '\0';
	return strtoull(buf, NULL, 0);
}

/* --- operands --------------------------------------------------------------------------------- */

/* Each of these fills a given node, because an operator that follows moves the node's contents
 * below itself. False: not understood. */
static bool parse_operand(struct trace_expr_parser *p, struct trace_node *n);
static bool parse_operator(struct trace_expr_parser *p, struct trace_node *n);

/* Brackets of calls and lists end an operand; all other marks are operators. */
static bool at_operator(const struct trace_expr_parser *p)
{
	return p->lexer.token.kind == TOKEN_MARK && !trace_lexer_is(&p->lexer, "(") &&
	       !trace_lexer_is(&p->lexer, ")") && !trace_lexer_is(&p->lexer, ",");
}

/* What ends a value that an operator might have followed. */
static bool at_end(const struct trace_expr_parser *p)
{
	return trace_lexer_is(&p->lexer, ":") || trace_lexer_is(&p->lexer, "]") ||
	       trace_lexer_is(&p->lexer, "}");
}

static void fill_atom(struct trace_node *n, struct str text)
{
	*n = (struct trace_node){.kind = TRACE_ATOM, .text = text, .value = trace_atom_value(text)};
}

static void fill_cast(struct trace_node *n, struct str type, struct trace_node *item)
{
	*n = (struct trace_node){.kind = TRACE_CAST, .text = type, .a = item};
	n->value = trace_type_mask(type);
	n->pointee = str_ends(type, " *") ? trace_type_mask(str_make(type.p, type.n - 2))
					  : UINT64_MAX;
}

/* Several words are one atom: "unsigned long", "struct foo". */
static bool parse_words(struct trace_expr_parser *p, struct trace_node *n)
{
	struct str text = p->lexer.token.text;
	trace_lexer_next(&p->lexer);
	if (trace_lexer_take(&p->lexer, "(")) {
		struct trace_node *call = trace_call_parse(p, text);
		if (call)
			*n = *call;
		return call;
	}
	for (int words = 1; p->lexer.token.kind == TOKEN_WORD; words++) {
		if (words == WORDS_MAX)
			return false;
		text = str_of(arena_printf(p->arena, "%.*s %.*s", (int)text.n, text.p,
					   (int)p->lexer.token.text.n, p->lexer.token.text.p));
		trace_lexer_next(&p->lexer);
	}
	fill_atom(n, text);
	return true;
}

static bool parse_field(struct trace_expr_parser *p, struct trace_node *n)
{
	trace_lexer_next(&p->lexer);
	if (!trace_lexer_take(&p->lexer, "->") || p->lexer.token.kind != TOKEN_WORD)
		return false;
	*n = (struct trace_node){.kind = TRACE_FIELD, .text = STR("")};
	n->field = trace_format_field(p->format, p->lexer.token.text);
	trace_lexer_next(&p->lexer);
	return true;
}

/* "(expression)", or a cast when an operand follows. */
static bool parse_paren(struct trace_expr_parser *p, struct trace_node *n)
{
	if (!parse_operand(p, n) || (at_operator(p) && !parse_operator(p, n)) ||
	    !trace_lexer_take(&p->lexer, ")"))
		return false;
	enum trace_token_kind next = p->lexer.token.kind;
	if (next != TOKEN_WORD && next != TOKEN_STRING && next != TOKEN_CHAR &&
	    !trace_lexer_is(&p->lexer, "("))
		return true;
	struct trace_node *item = trace_node_new(p, TRACE_NONE);
	if (n->kind != TRACE_ATOM || !parse_operand(p, item))
		return false;
	fill_cast(n, n->text, item);
	return true;
}

static bool parse_operand(struct trace_expr_parser *p, struct trace_node *n)
{
	bool good;
	if (p->depth == DEPTH_MAX)
		return false;
	p->depth++;
	if (p->lexer.token.kind == TOKEN_STRING || p->lexer.token.kind == TOKEN_CHAR) {
		fill_atom(n, p->lexer.token.text);
		trace_lexer_next(&p->lexer);
		good = true;
	} else if (p->lexer.token.kind == TOKEN_WORD) {
		good = trace_lexer_is(&p->lexer, "REC") ? parse_field(p, n) : parse_words(p, n);
	} else if (trace_lexer_take(&p->lexer, "(")) {
		good = parse_paren(p, n);
	} else {
		*n = (struct trace_node){.kind = TRACE_OP, .text = STR("")};
		good = at_operator(p) && parse_operator(p, n);
	}
	p->depth--;
	return good;
}

/* --- operators -------------------------------------------------------------------------------- */

/* rank: what stands higher in the tree has the larger one. */
struct operator
{
	const char *mark;
	enum trace_op op;
	int rank;
};

static const struct operator operators[] = {
	{"!", OP_NOT, 4},   {"~", OP_COMPLEMENT, 4}, {"*", OP_MUL, 6},    {"/", OP_DIV, 6},
	{"%", OP_MOD, 6},   {"+", OP_ADD, 7},        {"-", OP_SUB, 7},    {"<<", OP_SHL, 8},
	{">>", OP_SHR, 8},  {"<", OP_LT, 9},         {">", OP_GT, 9},     {"<=", OP_LE, 9},
	{">=", OP_GE, 9},   {"==", OP_EQ, 10},       {"!=", OP_NE, 10},   {"&", OP_AND, 11},
	{"^", OP_XOR, 12},  {"|", OP_OR, 13},        {"&&", OP_LAND, 14}, {"||", OP_LOR, 15},
	{"?", OP_COND, 16}, {"[", OP_INDEX, -1},
};

static const struct operator* operator_at(const struct trace_expr_parser *p)
{
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (trace_lexer_is(&p->lexer, operators[i].mark))
			return &operators[i];
	return NULL;
}

static int rank_of(enum trace_op op)
{
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (operators[i].op == op)
			return operators[i].rank;
	return -1;
}

/* Behind the '?': the two values become n's right side. */
static bool parse_branches(struct trace_expr_parser *p, struct trace_node *n)
{
	struct trace_node *both = trace_node_new(p, TRACE_OP);
	both->op = OP_BRANCHES;
	both->a = trace_node_new(p, TRACE_NONE);
	both->b = trace_node_new(p, TRACE_NONE);
	n->b = both;
	if (!parse_operand(p, both->a))
		return false;
	while (at_operator(p) && !trace_lexer_is(&p->lexer, ":"))
		if (!parse_operator(p, both->a))
			return false;
	return trace_lexer_take(&p->lexer, ":") && parse_operand(p, both->b);
}

/* The right side of n's operator. *right is where the next operator may go. */
static bool parse_right(struct trace_expr_parser *p, struct trace_node *n,
			struct trace_node **right)
{
	struct trace_node *operand = trace_node_new(p, TRACE_NONE);
	if (!parse_operand(p, operand))
		return false;
	*right = operand;
	if (operand->kind != TRACE_OP || rank_of(n->op) >= rank_of(operand->op)) {
		n->b = operand;
		return true;
	}
	/* The operand's operator goes up, this one down to its left. */
	struct trace_node upper = *operand;
	n->b = upper.a;
	*operand = *n;
	*n = upper;
	n->a = operand;
	return true;
}

/* An operator behind n, which moves below it. */
static bool parse_infix(struct trace_expr_parser *p, struct trace_node *n,
			const struct operator* op, struct trace_node **right)
{
	struct trace_node *left = trace_node_new(p, TRACE_NONE);
	*left = *n;
	*n = (struct trace_node){.kind = TRACE_OP, .op = op->op, .text = STR(""), .a = left};
	if (op->op == OP_COND)
		return parse_branches(p, n);
	if (op->op == OP_INDEX) {
		n->b = trace_node_new(p, TRACE_NONE);
		return parse_operand(p, n->b) && trace_lexer_take(&p->lexer, "]");
	}
	n->rank = op->rank;
	return op->op != OP_NOT && op->op != OP_COMPLEMENT && parse_right(p, n, right);
}

/* An operator with nothing to its left; n is there for it. */
static bool parse_prefix(struct trace_expr_parser *p, struct trace_node *n,
			 const struct operator* op, struct trace_node **right)
{
	if (op->op != OP_NOT && op->op != OP_COMPLEMENT && op->op != OP_SUB && op->op != OP_ADD)
		return false;
	n->op = op->op;
	n->a = trace_node_new(p, TRACE_NONE);
	n->b = *right = trace_node_new(p, TRACE_NONE);
	return parse_operand(p, n->b);
}

/* The lexer is at an operator. Takes it and all that follow. */
static bool parse_operator(struct trace_expr_parser *p, struct trace_node *n)
{
	const struct operator* op = operator_at(p);
	struct trace_node *right = NULL;
	if (!op || p->depth == DEPTH_MAX)
		return false;
	trace_lexer_next(&p->lexer);
	if (op->op == OP_MUL && n->kind == TRACE_ATOM && trace_lexer_is(&p->lexer, ")")) {
		/* A pointer type. */
		fill_atom(n, str_of(arena_printf(p->arena, "%.*s *", (int)n->text.n, n->text.p)));
		return true;
	}
	p->depth++;
	bool good = n->kind == TRACE_OP && !n->a ? parse_prefix(p, n, op, &right)
						 : parse_infix(p, n, op, &right);
	if (good && at_operator(p) && !at_end(p)) {
		const struct operator* next = operator_at(p);
		struct trace_node *to = next && next->rank > n->rank ? n : right;
		good = to && parse_operator(p, to);
	}
	p->depth--;
	return good;
}

struct trace_node *trace_expr_parse(struct trace_expr_parser *p)
{
	struct trace_node *n = trace_node_new(p, TRACE_NONE);
	if (!parse_operand(p, n))
		return NULL;
	while (at_operator(p) && !at_end(p))
		if (!parse_operator(p, n))
			return NULL;
	return n;
}
