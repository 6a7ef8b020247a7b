/*
 * Demangling as perf does it: libiberty's Rust and C++ demanglers with no options (no parameters,
 * no return types), then OCaml, then Java's signatures. Beyond perf: D, and OCaml as people write
 * it.
 *
 * A mangled name of a few hundred bytes can describe a text of any size, by referring back to what
 * it said before. So libiberty writes through a callback, and when there is too much of it the
 * callback does not return to it: libiberty keeps its state on the stack and loses nothing.
 */
#include "object/demangle.h"

#include <setjmp.h>
#include <stdlib.h>

#include <libiberty/demangle.h>

#include "object/object.h"

/* libiberty itself gives up on C++ names of more than half its recursion limit, i.e. 1024. */
#define MANGLED_MAX 4096
/* perf makes the names of PLT entries in a buffer of 1024 bytes. */
#define PLT_NAME_MAX 1023
/* D's demangler has no callback; each of its back references ('Q') may double the text. */
#define D_REFERENCES_MAX 12

struct sink {
	struct name_text text;
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

/* Without the parameters, as all other names: "mod.fn!(int).fn(int)" -> "mod.fn!(int).fn". */
static size_t d_length(const char *text, size_t n)
{
	if (!n || text[n - 1] != ')')
		return n;
	size_t depth = 0;
	for (size_t i = n; i-- > 0;) {
		depth += text[i] == ')';
		if (text[i] == '(' && --depth == 0)
			return i && text[i - 1] != '!' ? i : n;
	}
	return n;
}

static bool demangle_d(const char *name, struct sink *s)
{
	size_t references = 0;
	if (name[0] != '_' || name[1] != 'D')
		return false;
	for (const char *p = name; *p; p++)
		references += *p == 'Q';
	if (references > D_REFERENCES_MAX)
		return false;
	char *text = dlang_demangle(name, DMGL_NO_OPTS);
	if (!text)
		return false;
	size_t n = d_length(text, strlen(text));
	vec_clear(&s->text);
	vec_append(&s->text, text, MIN(n, DEMANGLED_MAX));
	free(text);
	return n > 0;
}

/* Most names are not mangled, and this is how those that are begin. */
static bool may_be_mangled(struct str name)
{
	if (name.n < 3 || name.n > MANGLED_MAX)
		return false;
	return name.p[0] == '_' || str_starts(name, "caml") || memchr(name.p, ')', name.n);
}

/* as_perf: the very text of perf, which decides between aliases. */
static bool demangle_any(struct str name, bool as_perf, struct sink *s)
{
	char copy[MANGLED_MAX + 1];
	if (!may_be_mangled(name))
		return false;
	memcpy(copy, name.p, name.n);
	copy[name.n] = '\0';
	if (demangle_iberty(copy, s) || (!as_perf && demangle_d(copy, s)))
		return true;
	bool ocaml = as_perf ? ocaml_name_as_perf(copy, &s->text) : ocaml_name(copy, &s->text);
	return ocaml || java_signature(copy, &s->text);
}

struct str demangle(struct arena *a, struct str name)
{
	struct sink s = {0};
	struct str result = name;
	bool plt = str_ends(name, "@plt");
	if (demangle_any(str_make(name.p, name.n - (plt ? 4 : 0)), false, &s)) {
		if (plt) {
			vec_append(&s.text, "@plt", 4);
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
	if (mangled && demangle_any(name, true, &s))
		name = str_make(s.text.v, s.text.n);
	shape.work += s.text.n;
	while (shape.underscores < name.n && name.p[shape.underscores] == '_')
		shape.underscores++;
	shape.length = name.n;
	vec_free(&s.text);
	return shape;
}
