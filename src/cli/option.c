#include "cli/option.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

struct use {
	const struct option *opt;
	bool negated;
};

static bool takes_value(const struct option *o)
{
	return o->arg != NULL;
}

/* Boolean-like options and those with a --no- form of their own sense. */
static bool can_negate(const struct option *o)
{
	return o->kind == OPT_BOOL || o->kind == OPT_COUNT || o->kind == OPT_CALL ||
	       o->kind == OPT_STRING;
}

static const struct option *by_letter(const struct option *table, char c)
{
	for (const struct option *o = table; o->kind != OPT_END; o++)
		if (o->letter == c && o->kind != OPT_GROUP)
			return o;
	return NULL;
}

/* Exact name, else the only option it abbreviates. "no-x" negates x; an option whose own name
 * begins with "no-" is cleared by the name without it. */
static bool by_name(const struct option *table, struct str name, struct use *use, struct err *err)
{
	struct use partial = {0};
	size_t partials = 0;
	for (const struct option *o = table; o->kind != OPT_END; o++) {
		if (!o->name || o->kind == OPT_GROUP)
			continue;
		struct str own = str_of(o->name);
		struct str plain = name;
		for (int negated = 0; negated < 2; negated++) {
			if (negated) {
				if (!can_negate(o))
					break;
				if (str_starts(name, "no-"))
					plain = str_skip(name, 3);
				else if (str_starts(own, "no-"))
					own = str_skip(own, 3);
				else
					break;
			}
			if (str_eq(own, plain)) {
				*use = (struct use){o, negated};
				return true;
			}
			if (plain.n && own.n > plain.n && memcmp(own.p, plain.p, plain.n) == 0 &&
			    partial.opt != o) {
				partial = (struct use){o, negated};
				partials++;
			}
		}
	}
	if (partials == 1) {
		*use = partial;
		return true;
	}
	if (partials > 1)
		return err_set(err, ERR_USAGE, "option --%.*s is ambiguous", (int)name.n, name.p);
	return err_set(err, ERR_USAGE, "there is no option --%.*s", (int)name.n, name.p);
}

static void describe(const struct option *o, char *buf, size_t size)
{
	if (o->name)
		snprintf(buf, size, "--%s", o->name);
	else
		snprintf(buf, size, "-%c", o->letter);
}

static bool store(const struct option *o, const char *text, bool negated, struct err *err)
{
	char name[80];
	describe(o, name, sizeof name);
	if (o->was_set)
		*o->was_set = true;
	switch (o->kind) {
	case OPT_BOOL:
		*(bool *)o->value = !negated;
		return true;
	case OPT_COUNT:
		*(int *)o->value = negated ? 0 : *(int *)o->value + 1;
		return true;
	case OPT_STRING:
		*(const char **)o->value = negated ? NULL : text;
		return true;
	case OPT_STRINGS:
		vec_push(&((struct opt_strings *)o->value)->list, text);
		return true;
	case OPT_U64:
		if (!str_to_u64(str_of(text), 0, o->value))
			return err_set(err, ERR_USAGE, "%s wants a number, not \"%s\"", name, text);
		return true;
	case OPT_DOUBLE: {
		char *end;
		double v = strtod(text, &end);
		if (end == text || *end)
			return err_set(err, ERR_USAGE, "%s wants a number, not \"%s\"", name, text);
		*(double *)o->value = v;
		return true;
	}
	case OPT_CALL:
		return o->call(o->value, text, negated, err);
	case OPT_END:
	case OPT_GROUP:
		break;
	}
	return err_set(err, ERR_USAGE, "%s cannot be used", name);
}

/* Whether the word at `next` is the option's value. */
static bool takes_next(const struct option *o, char *const *next, char *const *end)
{
	if (!o->optional_arg)
		return true;
	return o->next_word && next < end && (*next)[0] != '-';
}

/* One "--name[=value]" word; *next is the word behind it. */
static bool parse_long(const struct option *table, const char *word, char *const **next,
		       char *const *end, struct err *err)
{
	struct str value;
	struct str name = str_split(str_of(word + 2), '=', &value);
	struct use use = {0};
	if (!by_name(table, name, &use, err))
		return false;
	const char *text = value.p;
	if (use.negated || !takes_value(use.opt)) {
		if (text)
			return err_set(err, ERR_USAGE, "option --%.*s takes no value", (int)name.n,
				       name.p);
		return store(use.opt, NULL, use.negated, err);
	}
	if (!text && takes_next(use.opt, *next, end)) {
		if (*next == end)
			return err_set(err, ERR_USAGE, "option --%.*s wants a value: %s",
				       (int)name.n, name.p, use.opt->arg);
		text = *(*next)++;
	}
	return store(use.opt, text, false, err);
}

/* One "-abcVALUE" word. */
static bool parse_letters(const struct option *table, const char *word, char *const **next,
			  char *const *end, struct err *err)
{
	for (const char *c = word + 1; *c; c++) {
		const struct option *o = by_letter(table, *c);
		if (!o)
			return err_set(err, ERR_USAGE, "there is no option -%c", *c);
		if (!takes_value(o)) {
			if (!store(o, NULL, false, err))
				return false;
			continue;
		}
		const char *text = c[1] ? c + 1 : NULL;
		if (!text && takes_next(o, *next, end)) {
			if (*next == end)
				return err_set(err, ERR_USAGE, "option -%c wants a value: %s", *c,
					       o->arg);
			text = *(*next)++;
		}
		return store(o, text, false, err);
	}
	return true;
}

bool options_parse(const struct option *table, int argc, char *const *argv, bool stop_at_word,
		   struct parsed *out, struct err *err)
{
	*out = (struct parsed){0};
	char *const *next = argv + 1;
	char *const *end = argv + argc;
	VEC(char *) words = {0};
	bool ok = true;

	while (next < end && ok) {
		const char *word = *next;
		if (word[0] != '-' || !word[1]) {
			if (stop_at_word)
				break;
			vec_push(&words, *next++);
			continue;
		}
		next++;
		if (!strcmp(word, "--"))
			break;
		if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
			out->help = true;
			break;
		}
		ok = word[1] == '-' ? parse_long(table, word, &next, end, err)
				    : parse_letters(table, word, &next, end, err);
	}
	for (; ok && next < end; next++)
		vec_push(&words, *next);
	vec_push(&words, NULL);
	out->args = words.v;
	out->count = words.n - 1;
	return ok;
}
