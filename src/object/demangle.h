/* Parts of demangle(), and what aliases are compared by, without keeping the demangled text. */
#ifndef KILN_DEMANGLE_H
#define KILN_DEMANGLE_H

#include "base/str.h"
#include "base/vec.h"

/* No demangled name is longer. */
#define DEMANGLED_MAX ((size_t)256 << 10)

struct name_text {
	char *v;
	size_t n, cap;
};

/* Each puts the text in place of what is in `out`; false when the name is none of this kind, and
 * then `out` may hold anything. None makes more than two bytes out of one. */
bool ocaml_name(const char *name, struct name_text *out);
bool ocaml_name_as_perf(const char *name, struct name_text *out);
/* "Lpkg/Class;method(ILpkg/Type;)V" */
bool java_signature(const char *name, struct name_text *out);

struct name_shape {
	size_t underscores; /* leading ones */
	size_t length;
	size_t work; /* bytes read and written to find out */
};

struct name_shape name_shape(struct str name, bool mangled);

#endif
