#include "base/config_text.h"

#include "base/mem.h"

struct reader {
	const char *p, *end;
	unsigned line;
	VEC(char) text; /* of what is being read */
};

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_key_char(int c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static char lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The end of the text ends its last line, too. */
static int next_char(struct reader *r)
{
	if (r->p >= r->end)
		return '\n';
	int c = (unsigned char)*r->p++;
	if (c == '\r' && r->p < r->end && *r->p == '\n')
		c = (unsigned char)*r->p++;
	if (c == '\n')
		r->line++;
	return c;
}

static int skip_line(struct reader *r)
{
	int c;
	while ((c = next_char(r)) != '\n')
		;
	return c;
}

/* --- sections --------------------------------------------------------------------------------- */

/* [NAME "Sub"]: NAME.Sub */
static bool read_subsection(struct reader *r, int c)
{
	while (is_blank(c))
		c = next_char(r);
	if (c != '"')
		return false;
	vec_push(&r->text, '.');
	for (;;) {
		c = next_char(r);
		if (c == '\n')
			return false;
		if (c == '"')
			break;
		if (c == '\\' && (c = next_char(r)) == '\n')
			return false;
		vec_push(&r->text, (char)c);
	}
	return next_char(r) == ']';
}

static bool read_section(struct reader *r)
{
	vec_clear(&r->text);
	for (;;) {
		int c = next_char(r);
		if (c == ']')
			return r->text.n > 0;
		if (is_blank(c))
			return read_subsection(r, c);
		if (!is_key_char(c) && c != '.')
			return false;
		vec_push(&r->text, lower(c));
	}
}

/* --- values ----------------------------------------------------------------------------------- */

/* Behind a '\'; false when it means nothing. */
static bool read_escape(struct reader *r)
{
	int c = next_char(r);
	switch (c) {
	case '\n':
		return true;
	case 't':
		c = '\t';
		break;
	case 'b':
		c = '\b';
		break;
	case 'n':
		c = '\n';
		break;
	case '\\':
	case '"':
		break;
	default:
		return false;
	}
	vec_push(&r->text, (char)c);
	return true;
}

static bool read_value(struct reader *r)
{
	bool quoted = false, blank = false;
	vec_clear(&r->text);
	for (;;) {
		int c = next_char(r);
		if (c == '\n')
			return !quoted;
		if (is_blank(c) && !quoted) {
			blank = true;
			continue;
		}
		if (!quoted && (c == ';' || c == '#')) {
			(void)skip_line(r);
			return true;
		}
		if (blank && r->text.n)
			vec_push(&r->text, ' ');
		blank = false;
		if (c == '\\') {
			if (!read_escape(r))
				return false;
		} else if (c == '"') {
			quoted = !quoted;
		} else {
			vec_push(&r->text, (char)c);
		}
	}
}

/* KEY = VALUE; the key's first letter is c. */
static bool read_item(struct reader *r, int c, struct config_set *s, struct config_item *item)
{
	vec_clear(&r->text);
	for (; is_key_char(c); c = next_char(r))
		vec_push(&r->text, lower(c));
	item->key = arena_str(&s->arena, str_make(r->text.v, r->text.n));
	while (is_blank(c))
		c = next_char(r);
	if (c != '=' || !read_value(r))
		return false;
	item->value = arena_str(&s->arena, str_make(r->text.v, r->text.n));
	return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool read_all(struct reader *r, struct config_set *s, struct config_item *item)
{
	while (r->p < r->end) {
		int c = next_char(r);
		if (c == '\n' || is_blank(c))
			continue;
		if (c == '#' || c == ';') {
			(void)skip_line(r);
		} else if (c == '[') {
			if (!read_section(r))
				return false;
			item->section = arena_str(&s->arena, str_make(r->text.v, r->text.n));
		} else {
			if (!is_letter(c) || !item->section.n || !read_item(r, c, s, item))
				return false;
			config_put(s, *item);
		}
	}
	return true;
}

bool config_parse(struct config_set *s, struct str text, bool system, unsigned *bad_line)
{
	struct reader r = {.p = text.p, .end = text.p + text.n, .line = 1};
	if (str_starts(text, "\xef\xbb\xbf"))
		r.p += 3;
	struct config_item item = {.system = system};
	unsigned before = 0;
	bool ok = read_all(&r, s, &item);
	/* A line that ended too early was counted already. */
	if (r.p > text.p && r.p[-1] == '\n' && !ok)
		before = 1;
	*bad_line = r.line - before;
	vec_free(&r.text);
	return ok;
}

void config_put(struct config_set *s, struct config_item item)
{
	size_t at = s->items.n;
	for (size_t i = 0; i < s->items.n; i++) {
		struct config_item *known = &s->items.v[i];
		if (!str_eq(known->section, item.section))
			continue;
		at = i + 1;
		if (str_eq(known->key, item.key)) {
			*known = item;
			return;
		}
	}
	vec_push(&s->items, item);
	memmove(s->items.v + at + 1, s->items.v + at, (s->items.n - 1 - at) * sizeof item);
	s->items.v[at] = item;
}

const struct config_item *config_find(const struct config_set *s, struct str name)
{
	for (size_t i = 0; i < s->items.n; i++) {
		const struct config_item *item = &s->items.v[i];
		size_t n = item->section.n;
		if (name.n == n + 1 + item->key.n && name.p[n] == '.' &&
		    str_eq(str_make(name.p, n), item->section) &&
		    str_eq(str_skip(name, n + 1), item->key))
			return item;
	}
	return NULL;
}

/* What stands behind a '\\' for this character; 0: it is written as it is. */
static char escape_letter(char c)
{
	switch (c) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\b':
		return 'b';
	case '"':
	case '\\':
		return c;
	default:
		return 0;
	}
}

/* Quoted where it would not be read as it is. */
static void print_value(struct out *o, struct str v)
{
	bool quote = v.n && (is_blank(v.p[0]) || is_blank(v.p[v.n - 1]));
	for (size_t i = 0; i < v.n; i++)
		quote |= v.p[i] == '#' || v.p[i] == ';' || escape_letter(v.p[i]) ||
			 (is_blank(v.p[i]) && (v.p[i] != ' ' || (i && v.p[i - 1] == ' ')));
	if (!quote) {
		out_str(o, v);
		return;
	}
	out_char(o, '"');
	for (size_t i = 0; i < v.n; i++) {
		char letter = escape_letter(v.p[i]);
		if (letter)
			out_char(o, '\\');
		out_char(o, letter ? letter : v.p[i]);
	}
	out_char(o, '"');
}

void config_print(struct out *o, const struct config_set *s, bool system)
{
	struct str section = {0};
	out_cstr(o, "# this file is auto-generated.\n");
	for (size_t i = 0; i < s->items.n; i++) {
		const struct config_item *item = &s->items.v[i];
		if (item->system != system)
			continue;
		if (!str_eq(section, item->section))
			out_fmt(o, "[%s]\n", item->section.p);
		section = item->section;
		out_fmt(o, "\t%s = ", item->key.p);
		print_value(o, item->value);
		out_char(o, '\n');
	}
}

void config_free(struct config_set *s)
{
	vec_free(&s->items);
	arena_free(&s->arena);
}
