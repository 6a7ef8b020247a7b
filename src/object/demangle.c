/*
 * Demangling as perf does it: libiberty's Rust and C++ demanglers with no options (no parameters,
 * no return types), then OCaml, then Java's signatures.
 *
 * A mangled name of a few hundred bytes can describe a text of any size, by referring back to what
 * it said before. So libiberty writes through a callback, and when there is too much of it the
 * callback does not return to it: libiberty keeps its state on the stack and loses nothing.
 */
#include "object/demangle.h"

#include <setjmp.h>
#include <stdlib.h>

#include <libiberty/demangle.h>

#include "base/vec.h"
#include "object/object.h"

/* libiberty itself gives up on C++ names of more than half its recursion limit, i.e. 1024. */
#define MANGLED_MAX 4096
#define DEMANGLED_MAX ((size_t)256 << 10)
/* perf makes the names of PLT entries in a buffer of 1024 bytes. */
#define PLT_NAME_MAX 1023

struct sink {
	VEC(char) text;
	jmp_buf too_long;
};

static void sink_write(const char *p, size_t n, void *ctx)
{
	struct sink *s = ctx;
	if (n > DEMANGLED_MAX - s->text.n)
		longjmp(s->too_long, 1);
	vec_append(&s->text, p, n);
}

static bool demangle_iberty(const char *name, struct sink *s)
{
	if (setjmp(s->too_long))
		return false;
	vec_clear(&s->text);
	if (rust_demangle_callback(name, DMGL_NO_OPTS, sink_write, s))
		return true;
	vec_clear(&s->text);
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, sink_write, s);
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_alpha(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "camlModule__function_123": "__" is a dot, "$xx" a character in hex. */
static bool demangle_ocaml(const char *name, struct sink *s)
{
	if (strncmp(name, "caml", 4) != 0 || !is_upper(name[4]))
		return false;
	vec_clear(&s->text);
	for (const char *p = name + 4; *p;) {
		if (p[0] == '_' && p[1] == '_') {
			vec_push(&s->text, '.');
			p += 2;
		} else if (p[0] == '$' && hex_of(p[1]) >= 0 && hex_of(p[2]) >= 0) {
			vec_push(&s->text, (char)(hex_of(p[1]) << 4 | hex_of(p[2])));
			p += 3;
		} else {
			vec_push(&s->text, *p++);
		}
	}
	return true;
}

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

static void sink_text(struct sink *s, const char *text)
{
	vec_append(&s->text, text, strlen(text));
}

/* Puts a comma in front of every parameter but the first, and "[]" behind an array's type. */
static void java_parameter(struct sink *s, const char *type, unsigned *count, unsigned *dimensions)
{
	if (*count && *type != 'v')
		sink_text(s, ", ");
	if (*type != 'v')
		(*count)++;
	sink_text(s, type);
	for (; *dimensions; (*dimensions)--)
		sink_text(s, "[]");
}

/* "Lpkg/Class;method(ILpkg/Type;)V" -> "pkg.Class.method(int, pkg.Type)"; no return type. */
static bool demangle_java(const char *name, struct sink *s)
{
	const char *end = strrchr(name, ')');
	enum { START, CLASS, METHOD, TYPES, TYPE_CLASS } in = START;
	unsigned count = 0, dimensions = 0;
	if (!end)
		return false;
	vec_clear(&s->text);
	for (const char *p = name; p <= end; p++) {
		const char *type = in == TYPES ? java_type(*p) : NULL;
		if (type) {
			java_parameter(s, type, &count, &dimensions);
		} else if (*p == 'L' && in == START) {
			in = CLASS;
		} else if (*p == 'L' && in == TYPES) {
			if (count++)
				sink_text(s, ", ");
			in = TYPE_CLASS;
		} else if (*p == '[') {
			if (in != TYPES)
				return false;
			dimensions++;
		} else if (*p == '(' || *p == ')') {
			if (in != (*p == '(' ? METHOD : TYPES))
				return false;
			vec_push(&s->text, *p);
			in = TYPES;
			count = 0;
		} else if (*p == ';') {
			if (in != CLASS && in != TYPE_CLASS)
				return false;
			if (in == CLASS && is_alpha(p[1]))
				vec_push(&s->text, '.');
			in = in == CLASS ? METHOD : TYPES;
		} else if (*p == '/') {
			if (in != CLASS && in != TYPE_CLASS)
				return false;
			vec_push(&s->text, '.');
		} else {
			vec_push(&s->text, *p);
		}
	}
	return true;
}

/* Most names are not mangled, and this is how those that are begin. */
static bool may_be_mangled(struct str name)
{
	if (name.n < 3 || name.n > MANGLED_MAX)
		return false;
	return name.p[0] == '_' || str_starts(name, "caml") || memchr(name.p, ')', name.n);
}

static bool demangle_any(struct str name, struct sink *s)
{
	char copy[MANGLED_MAX + 1];
	if (!may_be_mangled(name))
		return false;
	memcpy(copy, name.p, name.n);
	copy[name.n] = '\0';
	return demangle_iberty(copy, s) || demangle_ocaml(copy, s) || demangle_java(copy, s);
}

struct str demangle(struct arena *a, struct str name)
{
	struct sink s = {0};
	struct str result = name;
	bool plt = str_ends(name, "@plt");
	if (demangle_any(str_make(name.p, name.n - (plt ? 4 : 0)), &s)) {
		if (plt) {
			sink_text(&s, "@plt");
			s.text.n = MIN(s.text.n, PLT_NAME_MAX);
		}
		result = arena_str(a, str_make(s.text.v, s.text.n));
	}
	vec_free(&s.text);
	return result;
}

struct name_shape name_shape(struct str name, bool mangled)
{
	struct sink s = {0};
	struct name_shape shape = {.work = name.n};
	if (mangled && demangle_any(name, &s))
		name = str_make(s.text.v, s.text.n);
	shape.work += s.text.n;
	while (shape.underscores < name.n && name.p[shape.underscores] == '_')
		shape.underscores++;
	shape.length = name.n;
	vec_free(&s.text);
	return shape;
}
