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
	/* Both ways of asking agree. */
	if (!str_ends(name, "@plt") && name_shape(name, true).length != text.n)
		abort();
	arena_free(&arena);
	return 0;
}
