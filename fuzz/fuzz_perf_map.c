/* Perf maps: the answer at every edge is the latest line that covers it. */
#include <stdlib.h>

#include "object/jit_code.h"

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

/* The same lines as a table of code: the highest generation that covers an address is the latest
 * line that does. */
static void check_generations(const char *text, size_t size, const struct symtab *all)
{
	struct jit_table t = {0};
	jit_table_add_map(&t, str_make(text, size), 1, "map", NULL);
	jit_table_seal(&t);
	for (size_t i = 0; i < t.codes.n && i < 64; i++) {
		const struct jit_code *c = &t.codes.v[i], *top = NULL;
		if (jit_table_find(&t, c->generation, c->addr) != c)
			abort();
		for (uint32_t g = 0; g < t.generations; g++) {
			const struct jit_code *found = jit_table_find(&t, g, c->addr);
			top = found ? found : top;
		}
		const struct symbol *s = symtab_find(all, c->addr);
		if (s && s->start != s->end && strcmp(s->name, top->name) != 0)
			abort();
	}
	jit_table_free(&t);
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
	check_generations((const char *)data, size, &t);
	symtab_free(&t);
	return 0;
}
