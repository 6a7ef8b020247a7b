/* Line programs: the input is a .debug_line section, under a unit that covers all addresses. The
 * first byte chooses byte order and address size. Every row and file name is read. */
#include <stdlib.h>

#include "object/dwarf_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct dwarf_lines *t)
{
	struct arena a = {0};
	uint64_t end = 0;
	for (size_t i = 0; i < t->sequences.n; i++) {
		const struct dwarf_sequence *s = &t->sequences.v[i];
		if (s->low >= s->high || s->low < end || s->first + s->count > t->rows.n)
			abort();
		end = s->high;
		for (size_t k = 1; k < s->count; k++)
			if (t->rows.v[s->first + k].addr < t->rows.v[s->first + k - 1].addr)
				abort();
		const struct dwarf_row *row = dwarf_lines_find(t, s->low);
		if (row && row->addr > s->low)
			abort();
	}
	for (size_t i = 0; i < MIN(t->files.n, 1000); i++)
		(void)dwarf_file_path(&t->files.v[i], &a);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct dwarf_sections s = {.swap = data[0] & 1, .relocatable = data[0] & 2};
	s.line = s.str = s.line_str = str_make((const char *)data + 1, size - 1);
	struct dwarf_data d;
	dwarf_data_init(&d, &s, NULL);
	struct dwarf_unit u = {.data = &d,
			       .version = 5,
			       .address_size = data[0] & 4 ? 4 : 8,
			       .offset_size = 4,
			       .has_lines = true};
	check(dwarf_unit_lines(&u));
	dwarf_data_free(&d);
	return 0;
}
