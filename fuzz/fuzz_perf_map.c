/* Perf maps: the answer at every edge is the latest line that covers it. */
#include <stdlib.h>

#include "object/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *found = symtab_find(t, addr);
	bool covered = false;
	for (size_t i = 0; i < t->syms.n; i++)
		covered |= addr >= t->syms.v[i].start && addr < t->syms.v[i].end;
	if (covered && !found)
		abort();
	if (found && (addr < found->start || (addr >= found->end && addr != found->start)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symtab t;
	struct diags diags = {0};
	symtab_parse_perf_map(&t, str_make((const char *)data, size), "map", &diags);
	for (size_t i = 0; i < t.syms.n && i < 64; i++) {
		check_at(&t, t.syms.v[i].start);
		check_at(&t, t.syms.v[i].end);
		check_at(&t, t.syms.v[i].end - 1);
		(void)symbol_name(&t.syms.v[i]);
	}
	symtab_free(&t);
	return 0;
}
