/* The kernel's helpers: __print_flags(), __get_str() and so on. */
#include "base/vec.h"
#include "event/trace_expr.h"

/* --- types ----------------------------------------------------------------------------------- */

uint64_t trace_type_mask(struct str type)
{
	static const struct {
		const char *name;
		uint64_t mask;
	} types[] = {
		{"u8", 0xff},        {"s8", 0xff},        {"char", 0xff},
		{"u16", 0xffff},     {"s16", 0xffff},     {"short", 0xffff},
		{"u32", 0xffffffff}, {"s32", 0xffffffff}, {"int", 0xffffffff},
	};
	if (str_starts(type, "unsigned "))
		type = str_skip(type, strlen("unsigned "));
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(type, types[i].name))
			return types[i].mask;
	return UINT64_MAX;
}

/* sizeof: of a field, or of a type with a known size. 0: not known. */
static uint64_t type_size(struct trace_expr_parser *p, struct str type)
{
	uint64_t mask = trace_type_mask(type);
	if (mask != UINT64_MAX)
		return mask == 0xff ? 1 : mask == 0xffff ? 2 : 4;
	if (str_is(type, "u64") || str_is(type, "s64") || str_ends(type, "long long"))
		return 8;
	if (str_ends(type, "long") || str_ends(type, "*") || str_is(type, "size_t"))
		return p->format->long_size;
	return 0;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* A numeric argument and the mark behind it. */
static struct trace_node *parse_argument(struct trace_expr_parser *p, const char *mark)
{
	struct trace_node *n = trace_expr_parse(p);
	return n && trace_lexer_take(&p->lexer, mark) ? n : NULL;
}

/* The name of a field and ")". */
static struct trace_node *parse_field_call(struct trace_expr_parser *p, enum trace_kind kind)
{
	struct trace_node *n = trace_node_new(p, kind);
	if (p->lexer.token.kind != TOKEN_WORD)
		return NULL;
	n->field = trace_format_field(p->format, p->lexer.token.text);
	trace_lexer_next(&p->lexer);
	if (!trace_lexer_take(&p->lexer, ")"))
		return NULL;
	bool needs_field = kind == TRACE_DYNAMIC || kind == TRACE_DYNAMIC_LEN;
	return needs_field && !n->field ? NULL : n;
}

/* The number of a {value, "text"}. Some names never become numbers in format files; those
 * libtraceevent knows are here, others are -1, and so is everything negative. */
static int64_t choice_value(const struct trace_node *n)
{
	static const struct {
		const char *name;
		int64_t value;
	} known[] = {
		{"HI_SOFTIRQ", 0},      {"TIMER_SOFTIRQ", 1},     {"NET_TX_SOFTIRQ", 2},
		{"NET_RX_SOFTIRQ", 3},  {"BLOCK_SOFTIRQ", 4},     {"IRQ_POLL_SOFTIRQ", 5},
		{"TASKLET_SOFTIRQ", 6}, {"SCHED_SOFTIRQ", 7},     {"HRTIMER_SOFTIRQ", 8},
		{"RCU_SOFTIRQ", 9},     {"HRTIMER_NORESTART", 0}, {"HRTIMER_RESTART", 1},
	};
	while (n->kind == TRACE_CAST)
		n = n->a;
	if (n->kind == TRACE_ATOM) {
		if (n->text.n && n->text.p[0] >= '0' && n->text.p[0] <= '9')
			return (int64_t)n->value;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (str_is(n->text, known[i].name))
				return known[i].value;
		return -1;
	}
	static const struct trace_context nothing = {.long_size = 8};
	struct trace_record r = {.ctx = &nothing};
	int64_t v = (int64_t)trace_eval(n, &r);
	return v < 0 ? -1 : v;
}

/* "{ value, "text" }, …" and the ")" that ends the call. */
static bool parse_choices(struct trace_expr_parser *p, struct trace_node *out)
{
	VEC(struct trace_choice) list = {0};
	bool good = true;
	do {
		good = trace_lexer_take(&p->lexer, "{");
		struct trace_node *value = good ? parse_argument(p, ",") : NULL;
		const struct trace_node *text = value ? parse_argument(p, "}") : NULL;
		while (text && text->kind == TRACE_CAST)
			text = text->a;
		good = text && text->kind == TRACE_ATOM;
		if (good)
			vec_push(&list, (struct trace_choice){choice_value(value), text->text});
	} while (good && trace_lexer_take(&p->lexer, ","));

	if (good && list.n) {
		struct trace_choice *copy = arena_alloc(p->arena, list.n * sizeof *copy);
		memcpy(copy, list.v, list.n * sizeof *copy);
		out->choices = copy;
		out->choice_count = (uint32_t)list.n;
	}
	vec_free(&list);
	return good && trace_lexer_take(&p->lexer, ")");
}

static struct trace_node *parse_flags(struct trace_expr_parser *p, bool symbolic)
{
	struct trace_node *n = trace_node_new(p, symbolic ? TRACE_SYMBOLIC : TRACE_FLAGS);
	n->a = parse_argument(p, ",");
	if (!n->a)
		return NULL;
	if (!symbolic) {
		enum trace_token_kind kind = p->lexer.token.kind;
		if (kind == TOKEN_STRING || kind == TOKEN_WORD || kind == TOKEN_CHAR) {
			n->text = p->lexer.token.text;
			trace_lexer_next(&p->lexer);
		}
		if (!trace_lexer_take(&p->lexer, ","))
			return NULL;
	}
	return parse_choices(p, n) ? n : NULL;
}

static struct trace_node *parse_array_call(struct trace_expr_parser *p, enum trace_kind kind)
{
	struct trace_node *n = trace_node_new(p, kind);
	n->a = parse_argument(p, ",");
	if (!n->a || !(n->b = parse_argument(p, kind == TRACE_INT_ARRAY ? "," : ")")))
		return NULL;
	if (kind == TRACE_INT_ARRAY && !(n->c = parse_argument(p, ")")))
		return NULL;
	return n->a->kind == TRACE_FIELD || n->a->kind == TRACE_DYNAMIC ? n : NULL;
}

static struct trace_node *parse_sizeof(struct trace_expr_parser *p)
{
	struct trace_node *of = parse_argument(p, ")");
	if (!of)
		return NULL;
	struct trace_node *n = trace_node_new(p, TRACE_ATOM);
	if (of->kind == TRACE_FIELD && of->field)
		n->value = of->field->size;
	else if (of->kind == TRACE_ATOM)
		n->value = type_size(p, of->text);
	return n->value ? n : NULL;
}

struct trace_node *trace_call_parse(struct trace_expr_parser *p, struct str name)
{
	static const struct {
		const char *name;
		enum trace_kind kind;
	} calls[] = {
		{"__print_flags", TRACE_FLAGS},
		{"__print_flags_u64", TRACE_FLAGS},
		{"__print_symbolic", TRACE_SYMBOLIC},
		{"__print_symbolic_u64", TRACE_SYMBOLIC},
		{"__print_hex", TRACE_HEX},
		{"__print_hex_str", TRACE_HEX_STR},
		{"__print_array", TRACE_INT_ARRAY},
		{"__get_str", TRACE_STRING},
		{"__get_rel_str", TRACE_STRING},
		{"__get_bitmask", TRACE_BITMASK},
		{"__get_rel_bitmask", TRACE_BITMASK},
		{"__get_cpumask", TRACE_BITMASK},
		{"__get_rel_cpumask", TRACE_BITMASK},
		{"__get_dynamic_array", TRACE_DYNAMIC},
		{"__get_rel_dynamic_array", TRACE_DYNAMIC},
		{"__get_dynamic_array_len", TRACE_DYNAMIC_LEN},
		{"__get_rel_dynamic_array_len", TRACE_DYNAMIC_LEN},
	};
	enum trace_kind kind = TRACE_NONE;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (str_is(name, calls[i].name))
			kind = calls[i].kind;
	switch (kind) {
	case TRACE_FLAGS:
	case TRACE_SYMBOLIC:
		return parse_flags(p, kind == TRACE_SYMBOLIC);
	case TRACE_HEX:
	case TRACE_HEX_STR:
	case TRACE_INT_ARRAY:
		return parse_array_call(p, kind);
	case TRACE_NONE:
		break;
	default:
		return parse_field_call(p, kind);
	}
	if (str_is(name, "sizeof"))
		return parse_sizeof(p);
	if (str_is(name, "__builtin_expect")) {
		struct trace_node *n = parse_argument(p, ",");
		return n && parse_argument(p, ")") ? n : NULL;
	}
	return NULL;
}
