/* The text of /proc/kallsyms. */
#include <stdlib.h>

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k;
	struct err err = {0};
	if (!kallsyms_parse(&k, str_make((const char *)data, size), &err)) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (k.module_of.n != k.table.syms.n)
		abort();
	for (size_t i = 0; i < k.table.syms.n; i++) {
		const struct symbol *s = &k.table.syms.v[i];
		/* Sorted, one per address, and each found by its own address. */
		if (i && s->start <= s[-1].start)
			abort();
		if (k.module_of.v[i] >= k.modules.n || !symbol_name(s).n)
			abort();
		if (symtab_find(&k.table, s->start) != s)
			abort();
	}
	kallsyms_free(&k);
	return 0;
}
