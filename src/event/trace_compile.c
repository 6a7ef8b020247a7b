/* From a print call to steps: the text between conversions, and each conversion with its argument.
 */
#include "base/vec.h"
#include "event/trace_expr.h"
#include "event/trace_format.h"

struct compiler {
	struct arena *arena;
	VEC(struct trace_step) steps;
	VEC(const struct trace_node *) args;
	size_t next_arg;
	struct out text; /* not yet in a step */
};

static const struct trace_node *take_arg(struct compiler *c)
{
	return c->next_arg < c->args.n ? c->args.v[c->next_arg++] : NULL;
}

static void push_step(struct compiler *c, struct trace_step s)
{
	s.text = arena_str(c->arena, out_text(&c->text));
	c->text.n = 0;
	vec_push(&c->steps, s);
}

/* What of the letters behind %p belongs to it; the rest is text. */
static size_t pointer_length(const char *s)
{
	switch (*s) {
	case 'F':
	case 'f':
	case 'S':
	case 's':
		return 1;
	case 'M':
	case 'm':
		return s[1] == 'R' || s[1] == 'F' ? 2 : 1;
	case 'U':
		return s[1] && strchr("LlBb", s[1]) ? 2 : 1;
	case 'h':
		return s[1] && strchr("CDN", s[1]) ? 2 : 1;
	case 'I':
	case 'i':
		break;
	default:
		return 0;
	}
	size_t n = 1;
	if (s[n] == '4')
		return n + 1 + (s[n + 1] && strchr("hnlb", s[n + 1]) ? 1 : 0);
	if (s[n] == '6')
		return n + 1 + (s[n + 1] == 'c');
	if (s[n] != 'S')
		return n;
	n++;
	while (s[n] && strchr("pfs", s[n]))
		n++;
	if (s[n] && strchr("hnlb", s[n]))
		n++;
	return n + (s[n] == 'c');
}

/* Digits into *value; returns what follows. */
static const char *parse_count(const char *s, int *value)
{
	int v = 0;
	while (*s >= '0' && *s <= '9') {
		v = MIN(v * 10 + (*s - '0'), 4096);
		s++;
	}
	*value = v;
	return s;
}

/* Flags, width, precision and length; returns where the conversion's letter should be, NULL when
 * the argument of a '*' is missing. */
static const char *parse_spec(struct compiler *c, const char *s, struct trace_step *step)
{
	struct trace_spec *spec = &step->spec;
	for (;; s++) {
		switch (*s) {
		case '#':
			spec->alternate = true;
			break;
		case '-':
			spec->left = true;
			break;
		case '0':
			spec->zero = true;
			break;
		case '1' ... '9':
			s = parse_count(s, &spec->width) - 1;
			break;
		case '.':
			spec->star_precision = s[1] == '*';
			if (!spec->star_precision)
				s = parse_count(s + 1, &spec->precision) - 1;
			break;
		case '*':
			if (step->width || !(step->width = take_arg(c)))
				return NULL;
			break;
		case 'h':
			spec->length--;
			break;
		case 'l':
			spec->length++;
			break;
		case 'L':
			spec->length = 2;
			break;
		case 'z':
		case 'Z':
			spec->length = LENGTH_SIZE;
			break;
		default:
			return s;
		}
	}
}

/* One conversion, from behind its '%'; returns what follows, NULL when it cannot be done. */
static const char *compile_conversion(struct compiler *c, const char *s)
{
	struct trace_step step = {.spec = {.width = -1, .precision = -1}};
	struct trace_spec *spec = &step.spec;
	s = parse_spec(c, s, &step);
	if (!s || !*s)
		return s;
	if (!strchr("diuxXosp", *s)) {
		/* As libtraceevent shows what it does not know. */
		out_fmt(&c->text, ">%c<", *s);
		return s + 1;
	}
	spec->conversion = *s == 'i' ? 'd' : *s;
	s++;
	if (spec->conversion == 'p') {
		size_t n = pointer_length(s);
		memcpy(spec->pointer, s, MIN(n, sizeof spec->pointer - 1));
		s += n;
	}
	bool length = (spec->length >= -2 && spec->length <= 2) || spec->length == LENGTH_SIZE;
	if (!length || !(step.arg = take_arg(c)))
		return NULL;
	push_step(c, step);
	return s;
}

/* Escapes are still in the text. */
static bool compile_text(struct compiler *c, const char *s)
{
	while (*s) {
		if (*s == '\\' && s[1]) {
			char e = s[1];
			out_char(&c->text, e == 'n' ? '\n' : e == 't' ? '\t' : e == 'r' ? '\r' : e);
			s += 2;
		} else if (*s == '%' && s[1] == '%') {
			out_char(&c->text, '%');
			s += 2;
		} else if (*s == '%') {
			s = compile_conversion(c, s + 1);
			if (!s)
				return false;
		} else {
			out_char(&c->text, *s++);
		}
	}
	if (c->text.n)
		push_step(c, (struct trace_step){0});
	return true;
}

static bool compile_call(struct compiler *c, struct trace_format *f, struct str call)
{
	struct trace_expr_parser p = {.format = f, .arena = c->arena};
	trace_lexer_begin(&p.lexer, call, c->arena);
	if (p.lexer.token.kind != TOKEN_STRING)
		return false;
	/* The text ends where a NUL in a lying file would end it. */
	struct str text = arena_str(c->arena, p.lexer.token.text);
	trace_lexer_next(&p.lexer);
	while (trace_lexer_take(&p.lexer, ",")) {
		const struct trace_node *n = trace_expr_parse(&p);
		if (!n)
			return false;
		vec_push(&c->args, n);
	}
	return p.lexer.token.kind == TOKEN_END && compile_text(c, text.p);
}

void trace_format_compile(struct trace_format *f, struct str call, struct arena *arena)
{
	struct compiler c = {.arena = arena};
	out_memory(&c.text);
	f->failed = !compile_call(&c, f, call);
	if (!f->failed && c.steps.n) {
		f->steps = arena_alloc(arena, c.steps.n * sizeof *f->steps);
		memcpy(f->steps, c.steps.v, c.steps.n * sizeof *f->steps);
		f->step_count = (uint32_t)c.steps.n;
	}
	vec_free(&c.steps);
	vec_free(&c.args);
	(void)out_finish(&c.text);
}
