/* Names of languages that libiberty does not know, and what compilers add to names. */
#include "object/demangle.h"
#include "object/object.h"

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_alpha(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* --- OCaml ----------------------------------------------------------------------------------- */

static bool is_ocaml(const char *name)
{
	return strncmp(name, "caml", 4) == 0 && is_upper(name[4]);
}

/* The character of "$xx", or -1. */
static int escaped(const char *p)
{
	if (p[0] != '$' || hex_of(p[1]) < 0 || hex_of(p[2]) < 0)
		return -1;
	return hex_of(p[1]) << 4 | hex_of(p[2]);
}

/* "camlModule__function_123": "__" is a dot, "$xx" a character in hex. */
bool ocaml_name_as_perf(const char *name, struct name_text *out)
{
	if (!is_ocaml(name))
		return false;
	vec_clear(out);
	for (const char *p = name + 4; *p;) {
		int c = escaped(p);
		if (p[0] == '_' && p[1] == '_') {
			vec_push(out, '.');
			p += 2;
		} else if (c >= 0) {
			vec_push(out, (char)c);
			p += 3;
		} else {
			vec_push(out, *p++);
		}
	}
	return true;
}

/* Behind the name there is a number that changes with every edit; anonymous functions have nothing
 * else to be told apart by. */
static const char *ocaml_end(const char *name)
{
	const char *end = name + strlen(name), *p = end;
	while (p > name && is_digit(p[-1]))
		p--;
	if (p == end || p - name < 2 || p[-1] != '_' || p[-2] == '_')
		return end;
	const char *word = p - 1;
	while (word > name && is_alpha(word[-1]))
		word--;
	bool anonymous = p - 1 - word == 3 && !strncmp(word, "fun", 3) &&
			 (word[-1] == '.' || word[-1] == '_');
	return anonymous ? end : p - 1;
}

/* Identifiers were Latin-1 once; what is shown is UTF-8. */
static void put_ocaml_char(struct name_text *out, const char *p, int c)
{
	if (c < 0x20 || c == 0x7f) {
		vec_append(out, p, 3);
	} else if (c < 0x80) {
		vec_push(out, (char)c);
	} else {
		vec_push(out, (char)(0xc0 | c >> 6));
		vec_push(out, (char)(0x80 | (c & 0x3f)));
	}
}

/*
 * From OCaml 5.1 on a dot separates the unit from what is in it, and "__" only the parts of the
 * unit's own name; so only those are dots where there is a dot.
 */
bool ocaml_name(const char *name, struct name_text *out)
{
	if (!is_ocaml(name))
		return false;
	const char *end = ocaml_end(name), *dot = strchr(name, '.');
	const char *units = dot ? dot : end;
	vec_clear(out);
	name += 4;
	if (!strncmp(name, "Dune__exe__", 11)) /* where dune puts programs */
		name += 11;
	for (const char *p = name; p < end;) {
		int c = escaped(p);
		if (p < units && p[0] == '_' && p[1] == '_' && p + 2 < end) {
			vec_push(out, '.');
			p += 2;
		} else if (c >= 0 && p + 3 <= end) {
			put_ocaml_char(out, p, c);
			p += 3;
		} else {
			vec_push(out, *p++);
		}
	}
	return out->n > 0;
}

/* --- Java ------------------------------------------------------------------------------------ */

static const char *java_type(char c)
{
	switch (c) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'V':
		return "void";
	case 'Z':
		return "boolean";
	default:
		return NULL;
	}
}

static void put_text(struct name_text *out, const char *text)
{
	vec_append(out, text, strlen(text));
}

/* Puts a comma in front of every parameter but the first, and "[]" behind an array's type. */
static void java_parameter(struct name_text *out, const char *type, unsigned *count,
			   unsigned *dimensions)
{
	if (*count && *type != 'v')
		put_text(out, ", ");
	if (*type != 'v')
		(*count)++;
	put_text(out, type);
	for (; *dimensions; (*dimensions)--)
		put_text(out, "[]");
}

/* "Lpkg/Class;method(ILpkg/Type;)V" -> "pkg.Class.method(int, pkg.Type)"; no return type. */
bool java_signature(const char *name, struct name_text *out)
{
	const char *end = strrchr(name, ')');
	enum { START, CLASS, METHOD, TYPES, TYPE_CLASS } in = START;
	unsigned count = 0, dimensions = 0;
	if (!end)
		return false;
	vec_clear(out);
	for (const char *p = name; p <= end; p++) {
		const char *type = in == TYPES ? java_type(*p) : NULL;
		if (type) {
			java_parameter(out, type, &count, &dimensions);
		} else if (*p == 'L' && in == START) {
			in = CLASS;
		} else if (*p == 'L' && in == TYPES) {
			if (count++)
				put_text(out, ", ");
			in = TYPE_CLASS;
		} else if (*p == '[') {
			if (in != TYPES)
				return false;
			dimensions++;
		} else if (*p == '(' || *p == ')') {
			if (in != (*p == '(' ? METHOD : TYPES))
				return false;
			vec_push(out, *p);
			in = TYPES;
			count = 0;
		} else if (*p == ';') {
			if (in != CLASS && in != TYPE_CLASS)
				return false;
			if (in == CLASS && is_alpha(p[1]))
				vec_push(out, '.');
			in = in == CLASS ? METHOD : TYPES;
		} else if (*p == '/') {
			if (in != CLASS && in != TYPE_CLASS)
				return false;
			vec_push(out, '.');
		} else {
			vec_push(out, *p);
		}
	}
	return true;
}

/* perf-map-agent's "Lcom/foo/Bar;::method" */
struct str demangle_map_name(struct arena *a, struct str name)
{
	const char *mark = name.n > 4 && name.p[0] == 'L' ? memmem(name.p, name.n, ";::", 3) : NULL;
	if (!mark)
		return name;
	size_t class = (size_t)(mark - name.p) - 1;
	char *text = arena_alloc(a, name.n);
	for (size_t i = 0; i < class; i++)
		text[i] = name.p[i + 1] == '/' ? '.' : name.p[i + 1];
	memcpy(text + class, mark + 1, name.n - class - 2);
	return str_make(text, name.n - 2);
}

/* --- clones ---------------------------------------------------------------------------------- */

static bool is_clone_word(struct str word)
{
	static const char *const words[] = {"cold", "part",     "constprop",  "isra",
					    "llvm", "lto_priv", "localalias", "clone"};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

static struct str behind_last_dot(struct str s)
{
	for (size_t i = s.n; i-- > 1;)
		if (s.p[i] == '.')
			return str_skip(s, i + 1);
	return STR("");
}

/* ".word" or ".word.123" off the end. */
static bool cut_clone(struct str *name)
{
	struct str word = behind_last_dot(*name);
	struct str rest = str_make(name->p, name->n - (word.n ? word.n + 1 : 0));
	size_t digits = 0;
	while (digits < word.n && is_digit(word.p[digits]))
		digits++;
	if (word.n && digits == word.n) {
		word = behind_last_dot(rest);
		rest.n -= word.n ? word.n + 1 : 0;
	}
	if (!word.n || !is_clone_word(word))
		return false;
	*name = rest;
	return true;
}

struct str name_without_clone(struct str name)
{
	const char *at = name.n ? memchr(name.p, '@', name.n) : NULL;
	if (at && at > name.p && !str_ends(name, "@plt"))
		name.n = (size_t)(at - name.p);
	while (cut_clone(&name))
		continue;
	return name;
}
