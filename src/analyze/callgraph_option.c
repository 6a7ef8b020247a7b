#include <stdlib.h>

#include "analyze/callgraph.h"

enum word {
	WORD_NONE,
	WORD_GRAPH,
	WORD_FLAT,
	WORD_FRACTAL,
	WORD_FOLDED,
	WORD_CALLER,
	WORD_CALLEE,
	WORD_FUNCTION,
	WORD_ADDRESS,
	WORD_SRCLINE,
	WORD_PERCENT,
	WORD_PERIOD,
	WORD_COUNT,
	WORDS
};

static const char *const words[WORDS] = {
	[WORD_NONE] = "none",       [WORD_GRAPH] = "graph",       [WORD_FLAT] = "flat",
	[WORD_FRACTAL] = "fractal", [WORD_FOLDED] = "folded",     [WORD_CALLER] = "caller",
	[WORD_CALLEE] = "callee",   [WORD_FUNCTION] = "function", [WORD_ADDRESS] = "address",
	[WORD_SRCLINE] = "srcline", [WORD_PERCENT] = "percent",   [WORD_PERIOD] = "period",
	[WORD_COUNT] = "count",
};

static enum word find_word(struct str text)
{
	for (size_t i = 0; i < WORDS; i++)
		if (text.n <= strlen(words[i]) && !memcmp(text.p, words[i], text.n))
			return (enum word)i;
	return WORDS;
}

static bool to_number(struct str text, double *out)
{
	char buf[32], *end;
	if (text.n >= sizeof buf)
		return false;
	memcpy(buf, text.p, text.n);
	buf[text.n] = '\0';
	*out = strtod(buf, &end);
	return end != buf && !*end && *out >= 0;
}

static void apply(struct callgraph_options *o, enum word w)
{
	switch (w) {
	case WORD_NONE:
		o->mode = CALLGRAPH_NONE;
		break;
	case WORD_GRAPH:
		o->mode = CALLGRAPH_GRAPH;
		break;
	case WORD_FLAT:
		o->mode = CALLGRAPH_FLAT;
		break;
	case WORD_FRACTAL:
		o->mode = CALLGRAPH_FRACTAL;
		break;
	case WORD_FOLDED:
		o->mode = CALLGRAPH_FOLDED;
		break;
	case WORD_CALLER:
	case WORD_CALLEE:
		o->caller_first = w == WORD_CALLER;
		o->order_set = true;
		break;
	case WORD_FUNCTION:
		o->syms = SYM_FUNCTION;
		break;
	case WORD_ADDRESS:
		o->syms = SYM_ADDRESS;
		break;
	case WORD_SRCLINE:
		o->syms = SYM_LINE;
		break;
	case WORD_PERCENT:
		o->value = CALLGRAPH_PERCENT;
		break;
	case WORD_PERIOD:
		o->value = CALLGRAPH_PERIOD;
		break;
	case WORD_COUNT:
		o->value = CALLGRAPH_COUNT;
		break;
	case WORDS:
		break;
	}
}

bool callgraph_options_parse(struct callgraph_options *o, const char *text, struct err *err)
{
	unsigned numbers = 0;
	struct str rest = str_of(text);
	while (rest.p) {
		struct str word = str_split(rest, ',', &rest);
		double number;
		if (!word.n)
			continue;
		if (find_word(word) != WORDS) {
			apply(o, find_word(word));
			continue;
		}
		if (numbers == 2 || !to_number(word, &number)) {
			err_set(err, ERR_USAGE, "\"%.*s\" means nothing in a call graph's options",
				(int)word.n, word.p);
			return err_hint(err,
					"give graph, fractal, flat, folded or none; a threshold "
					"in percent; caller or callee; function, address or "
					"srcline; percent, period or count");
		}
		if (numbers++ == 0)
			o->min_percent = number;
		else
			o->print_limit = number < UINT32_MAX ? (uint32_t)number : 0;
	}
	return true;
}
