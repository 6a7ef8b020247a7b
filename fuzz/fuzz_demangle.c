/* Mangled names: bounded output, whatever they say. */
#include <stdlib.h>

#include "object/demangle.h"
#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct str name = str_make((const char *)data, strnlen((const char *)data, size));
	struct str text = demangle(&arena, name);
	if (text.p != name.p && text.n > ((size_t)256 << 10) + 4)
		abort();
	/* perf's demangling agrees, but for languages it knows less of. */
	bool same = !str_ends(name, "@plt") && !str_starts(name, "caml") && !str_starts(name, "_D");
	if (same && name_shape(name, true).length != text.n)
		abort();
	text = demangle_map_name(&arena, name);
	if (text.n > name.n)
		abort();
	struct str base = name_without_clone(name);
	if (base.p != name.p || base.n > name.n || (name.n && !base.n))
		abort();
	arena_free(&arena);
	return 0;
}
