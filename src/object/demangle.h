/* What aliases are compared by, without keeping the demangled text. */
#ifndef KILN_DEMANGLE_H
#define KILN_DEMANGLE_H

#include "base/str.h"

struct name_shape {
	size_t underscores; /* leading ones */
	size_t length;
	size_t work; /* bytes read and written to find out */
};

struct name_shape name_shape(struct str name, bool mangled);

#endif
