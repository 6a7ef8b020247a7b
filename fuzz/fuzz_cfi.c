/*
 * CFI: sections to tables, tables to blocks and back. The first byte says which: bit 0 arm64, bit 1
 * .debug_frame, bit 2 code in segments; the rest is the section.
 */
#include <stdlib.h>

#include "object/cfi_block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct cfi_table *t, const struct cfi_rule *r)
{
	unsigned count = t->arch->dwarf.count;
	if (r->cfa > CFI_EXPRESSION || r->reg >= count || r->first_save > t->save_count ||
	    r->save_count > t->save_count - r->first_save)
		abort();
	if (r->cfa == CFI_EXPRESSION && !cfi_expression(t, r->value).n)
		abort();
	uint32_t seen = 0;
	for (unsigned i = 0; i < r->save_count; i++) {
		const struct cfi_save *s = &cfi_saves(t, r)[i];
		if (s->reg >= count || s->base >= count || !s->how || s->how > CFI_IS_EXPR ||
		    (seen >> s->reg & 1))
			abort();
		if (s->how >= CFI_AT_EXPR && !cfi_expression(t, s->value).n)
			abort();
		seen |= (uint32_t)1 << s->reg;
	}
}

static void check_table(const struct cfi_table *t)
{
	for (uint32_t i = 0; i < t->rule_count; i++)
		check_rule(t, &t->rules[i]);
	for (uint32_t i = 0; i < t->row_count; i++) {
		const struct cfi_row *row = &t->rows[i];
		if ((i && row->pc <= row[-1].pc) || (i && row->rule == row[-1].rule) ||
		    row->rule >= t->rule_count)
			abort();
		const struct cfi_rule *found = cfi_find(t, t->base + row->pc);
		if (found != (row->rule ? &t->rules[row->rule] : NULL))
			abort();
		if (!i && cfi_find(t, t->base - 1) && t->base)
			abort();
	}
}

/* The block as a file would be, also with single bytes changed and the checksum right again. */
static void check_block(const struct cfi_table *t, uint8_t salt)
{
	struct build_id id = {.size = 20};
	struct cfi_table again, changed = *t;
	uint8_t *copy = mem_dup(t->block, t->block_size);
	cfi_block_header(t, &id, copy);
	if (!cfi_open_block(&again, copy, t->block_size, &id))
		abort();
	if (cfi_find(&again, t->base + t->rows[0].pc) == NULL && t->rows[0].rule)
		abort();
	for (size_t i = CFI_HEADER_SIZE + salt; i < t->block_size; i += 37)
		copy[i] ^= (uint8_t)(salt | 1);
	changed.block = copy;
	cfi_block_header(&changed, &id, copy);
	if (cfi_open_block(&again, copy, t->block_size, &id)) {
		for (uint32_t i = 0; i < t->row_count; i++) {
			const struct cfi_rule *r = cfi_find(&again, t->base + t->rows[i].pc);
			for (unsigned k = 0; r && k < r->save_count; k++)
				(void)cfi_expression(&again, cfi_saves(&again, r)[k].value);
		}
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct elf_load loads[] = {
		{.vaddr = 0x1000, .size = 0x100000, .offset = 0x400, .executable = true},
		{.vaddr = 0x200000,
		 .size = UINT64_MAX,
		 .offset = UINT64_MAX - 64,
		 .executable = true},
	};
	if (!size)
		return 0;
	struct cfi_input in = {.arch = data[0] & 1 ? &arch_arm64 : &arch_x86_64,
			       .loads = loads,
			       .load_count = data[0] & 4 ? 2 : 0,
			       .text = 0x1000,
			       .got = 0x8000};
	struct str section = {(const char *)data + 1, size - 1};
	in.sections[0] = (struct cfi_section){section, 0x4000, !(data[0] & 2)};
	/* The other half as the other section: they are merged. */
	in.sections[1] = (struct cfi_section){str_skip(section, section.n / 2), 0, data[0] & 2};
	struct cfi_table t;
	if (cfi_build(&t, &in)) {
		check_table(&t);
		check_block(&t, data[0]);
	}
	cfi_free(&t);
	return 0;
}
