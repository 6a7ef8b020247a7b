/* Tokens of a format file. */
#ifndef KILN_TRACE_LEX_H
#define KILN_TRACE_LEX_H

#include "base/arena.h"
#include "base/str.h"

enum trace_token_kind {
	TOKEN_END,
	TOKEN_WORD,   /* letters, digits, '_' */
	TOKEN_STRING, /* without quotes; neighbouring ones are one */
	TOKEN_CHAR,   /* 'x', without quotes */
	TOKEN_MARK,   /* everything else: "(", "->", "<<", … */
};

struct trace_token {
	enum trace_token_kind kind;
	struct str text; /* escapes are left as they are */
};

struct trace_lexer {
	struct str rest;
	struct trace_token token; /* the current one */
	struct arena *arena;      /* for strings in several pieces */
};

/* Reads the first token. */
void trace_lexer_begin(struct trace_lexer *l, struct str text, struct arena *arena);
void trace_lexer_next(struct trace_lexer *l);

/* Whether the current token is that mark or word. */
bool trace_lexer_is(const struct trace_lexer *l, const char *mark);
/* … and goes on to the next if so. */
bool trace_lexer_take(struct trace_lexer *l, const char *mark);

#endif
