#include "event/trace_lex.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void skip_space(struct trace_lexer *l)
{
	while (l->rest.n && is_space(*l->rest.p))
		l->rest = str_skip(l->rest, 1);
}

/* Takes a quoted text off the front, without its quotes; false when it does not end. */
static bool take_quoted(struct trace_lexer *l, char quote, struct str *out)
{
	struct str s = str_skip(l->rest, 1);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\') {
			i++;
		} else if (s.p[i] == quote) {
			*out = str_make(s.p, i);
			l->rest = str_skip(s, i + 1);
			return true;
		}
	}
	return false;
}

/* "a" "b" is one string. Each piece is looked at once more for joining, so the time is linear. */
static bool take_string(struct trace_lexer *l, struct str *out)
{
	struct trace_lexer start = *l;
	struct str piece;
	size_t total = 0, pieces = 0;
	do {
		if (!take_quoted(l, '"', &piece))
			return false;
		total += piece.n;
		pieces++;
		skip_space(l);
	} while (l->rest.n && *l->rest.p == '"');
	if (pieces == 1) {
		*out = piece;
		return true;
	}
	char *joined = arena_alloc(l->arena, total + 1), *at = joined;
	for (*l = start; pieces; pieces--) {
		(void)take_quoted(l, '"', &piece);
		memcpy(at, piece.p, piece.n);
		at += piece.n;
		skip_space(l);
	}
	*out = str_make(joined, total);
	return true;
}

static size_t mark_length(struct str s)
{
	static const char *const two[] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	for (size_t i = 0; i < ARRAY_LEN(two); i++)
		if (str_starts(s, two[i]))
			return 2;
	return 1;
}

void trace_lexer_next(struct trace_lexer *l)
{
	skip_space(l);
	size_t n = 0;
	if (!l->rest.n) {
		l->token = (struct trace_token){TOKEN_END, STR("")};
		return;
	}
	char c = *l->rest.p;
	if (c == '"' || c == '\'') {
		bool whole = c == '"' ? take_string(l, &l->token.text)
				      : take_quoted(l, c, &l->token.text);
		l->token.kind = !whole ? TOKEN_END : c == '"' ? TOKEN_STRING : TOKEN_CHAR;
		if (!whole)
			l->rest.n = 0;
		return;
	}
	while (n < l->rest.n && is_word(l->rest.p[n]))
		n++;
	l->token.kind = n ? TOKEN_WORD : TOKEN_MARK;
	if (!n)
		n = mark_length(l->rest);
	l->token.text = str_make(l->rest.p, n);
	l->rest = str_skip(l->rest, n);
}

void trace_lexer_begin(struct trace_lexer *l, struct str text, struct arena *arena)
{
	*l = (struct trace_lexer){.rest = text, .arena = arena};
	trace_lexer_next(l);
}

bool trace_lexer_is(const struct trace_lexer *l, const char *mark)
{
	return (l->token.kind == TOKEN_MARK || l->token.kind == TOKEN_WORD) &&
	       str_is(l->token.text, mark);
}

bool trace_lexer_take(struct trace_lexer *l, const char *mark)
{
	if (!trace_lexer_is(l, mark))
		return false;
	trace_lexer_next(l);
	return true;
}
