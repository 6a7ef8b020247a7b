/* One small program, described in DWARF of any version, size and byte order. */
#ifndef KILN_TEST_DWARF_PROGRAM_H
#define KILN_TEST_DWARF_PROGRAM_H

#include "object/test_dwarf.h"

/*
 *   0x1000..0x1080  main                          (a.c:20)
 *   0x1010..0x1030    mid, inlined at a.c:22:3    in two ranges: ..0x1020, 0x1028..
 *   0x1018..0x1020      leaf, inlined at b.h:11
 *   0x1080..0x10a0  inner, whose DIE is inside of main's
 *   0x10a0..0x10f0  ns::last, declared elsewhere
 */
struct program {
	struct bytes info, abbrev, str, line, ranges, rnglists, addr, str_offsets;
	struct dwarf_sections s;
};

enum { TEXT_MAIN, TEXT_MID, TEXT_LEAF, TEXT_LEAF_LINKAGE, TEXT_INNER, TEXT_LAST, TEXT_DIR, TEXTS };
static const char *const texts[TEXTS] = {"main",  "mid",      "leaf", "_Z4leafv",
					 "inner", "_Z4lastv", "/dir"};

enum {
	UNIT = 1,
	ABSTRACT,
	LINKED,
	FUNCTION,
	BLOCK,
	INLINED,
	INLINED_RANGES,
	SPACE,
	DECLARED,
	DEFINED
};

static void make_abbrevs(struct program *p, const struct shape *sh)
{
	struct bytes *o = &p->abbrev;
	bool v5 = sh->version >= 5, v4 = sh->version >= 4;
	int text = v5 ? DW_FORM_strx1 : DW_FORM_strp, addr = v5 ? DW_FORM_addrx : DW_FORM_addr;
	int size = v4 ? DW_FORM_udata : DW_FORM_addr;
	int offset = v4 ? DW_FORM_sec_offset : sh->offset_size == 8 ? DW_FORM_data8 : DW_FORM_data4;
	int list = v5 ? DW_FORM_rnglistx : offset;
	if (v5)
		put_abbrev(o, UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, addr, DW_AT_high_pc, size,
			   DW_AT_stmt_list, offset, DW_AT_comp_dir, text, DW_AT_str_offsets_base,
			   offset, DW_AT_addr_base, offset, DW_AT_rnglists_base, offset, 0);
	else
		put_abbrev(o, UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, addr, DW_AT_high_pc, size,
			   DW_AT_stmt_list, offset, DW_AT_comp_dir, text, 0);
	put_abbrev(o, ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, text, 0);
	put_abbrev(o, LINKED, DW_TAG_subprogram, 0, DW_AT_name, text, DW_AT_linkage_name, text,
		   DW_AT_decl_line, DW_FORM_data2, 0);
	put_abbrev(o, FUNCTION, DW_TAG_subprogram, 1, DW_AT_sibling, DW_FORM_ref4, DW_AT_name, text,
		   DW_AT_low_pc, addr, DW_AT_high_pc, size, 0);
	put_abbrev(o, BLOCK, 0x0b, 1, 0);
	put_abbrev(o, INLINED, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin, DW_FORM_ref4,
		   DW_AT_low_pc, addr, DW_AT_high_pc, size, DW_AT_call_file, DW_FORM_udata,
		   DW_AT_call_line, v5 ? DW_FORM_implicit_const : DW_FORM_data1,
		   v5 ? 11 : DW_AT_call_column, v5 ? DW_AT_call_column : DW_FORM_data1,
		   v5 ? DW_FORM_data1 : 0, 0);
	put_abbrev(o, INLINED_RANGES, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin,
		   DW_FORM_indirect, DW_AT_ranges, list, DW_AT_call_file, DW_FORM_data1,
		   DW_AT_call_line, DW_FORM_udata, DW_AT_call_column, DW_FORM_data1,
		   DW_AT_GNU_discriminator, DW_FORM_data1, 0);
	put_abbrev(o, SPACE, DW_TAG_namespace, 1, 0);
	put_abbrev(o, DECLARED, DW_TAG_subprogram, 0, DW_AT_MIPS_linkage_name, text, 0);
	put_abbrev(o, DEFINED, DW_TAG_subprogram, 0, DW_AT_specification, DW_FORM_ref_addr,
		   DW_AT_low_pc, addr, DW_AT_high_pc, size, 0);
	put(o, 0, 1);
}

static void put_name(struct program *p, int text)
{
	if (p->info.shape.version >= 5)
		put(&p->info, (uint64_t)text, 1);
	else
		for (uint64_t at = 0, i = 0;; at += strlen(texts[i++]) + 1)
			if ((int)i == text) {
				put_offset(&p->info, at);
				break;
			}
}

static void put_pc(struct program *p, uint64_t low, uint64_t high)
{
	struct bytes *o = &p->info;
	if (o->shape.version >= 5) {
		put_uleb(o, (p->addr.b.n - 8) / o->shape.address_size);
		put_addr(&p->addr, low);
	} else {
		put_addr(o, low);
	}
	if (o->shape.version >= 4)
		put_uleb(o, high - low);
	else
		put_addr(o, high);
}

/* Two pieces of mid, an empty one and a dead one. */
static void make_ranges(struct program *p)
{
	struct bytes *o = &p->ranges, *n = &p->rnglists;
	uint64_t max = p->info.shape.address_size == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t pairs[][2] = {{0x10, 0x20},       {5, 5}, {max, 0x1000}, {0x28, 0x30},
				     {max - 1, max - 1}, {0, 0}};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		put_addr(o, pairs[i][0]);
		put_addr(o, pairs[i][1]);
	}
	length_begin(n);
	put(n, 5, 2);
	put(n, p->info.shape.address_size, 1);
	put(n, 0, 1);
	put(n, 1, 4);
	put_offset(n, p->info.shape.offset_size); /* the one offset leads behind itself */
	put(n, DW_RLE_offset_pair, 1);
	put_uleb(n, 0x10);
	put_uleb(n, 0x20);
	put(n, DW_RLE_start_length, 1);
	put_addr(n, max);
	put_uleb(n, 8);
	put(n, DW_RLE_base_address, 1);
	put_addr(n, 0x1020);
	put(n, DW_RLE_offset_pair, 1);
	put_uleb(n, 8);
	put_uleb(n, 16);
	put(n, DW_RLE_end_of_list, 1);
	length_end(n);
}

static void make_texts(struct program *p)
{
	struct bytes *o = &p->str_offsets;
	length_begin(o);
	put(o, 5, 2);
	put(o, 0, 2);
	for (int i = 0; i < TEXTS; i++)
		put_offset(o, put_text(&p->str, texts[i]));
	length_end(o);
	put(&p->addr, 0, 8); /* stands for its header */
}

static void make_files(struct bytes *o)
{
	if (o->shape.version < 5) {
		put_text(o, "inc");
		put(o, 0, 1);
		put_text(o, "a.c");
		put(o, 0, 3);
		put_text(o, "b.h");
		put(o, 1, 1);
		put(o, 0, 2);
		put(o, 0, 1);
		return;
	}
	put(o, 1, 1);
	put(o, DW_LNCT_path, 1);
	put(o, DW_FORM_string, 1);
	put(o, 2, 1);
	put_text(o, "/dir");
	put_text(o, "inc");
	put(o, 3, 1);
	put(o, DW_LNCT_path, 1);
	put(o, DW_FORM_string, 1);
	put(o, DW_LNCT_directory_index, 1);
	put(o, DW_FORM_udata, 1);
	put(o, 5, 1); /* MD5 */
	put(o, DW_FORM_data16, 1);
	put(o, 3, 1);
	const char *names[] = {"a.c", "a.c", "b.h"};
	for (uint64_t i = 0; i < 3; i++) {
		put_text(o, names[i]);
		put(o, i == 2, 1);
		put(o, i, 8);
		put(o, i, 8);
	}
}

static void row(struct bytes *o, uint64_t advance, int lines, int file, int column)
{
	put(o, DW_LNS_advance_pc, 1);
	put_uleb(o, advance);
	put(o, DW_LNS_advance_line, 1);
	put_sleb(o, lines);
	put(o, DW_LNS_set_file, 1);
	put_uleb(o, (uint64_t)file);
	put(o, DW_LNS_set_column, 1);
	put_uleb(o, (uint64_t)column);
	put(o, DW_LNS_copy, 1);
}

static void make_lines(struct program *p)
{
	struct bytes *o = &p->line;
	length_begin(o);
	put(o, o->shape.version, 2);
	if (o->shape.version >= 5) {
		put(o, o->shape.address_size, 1);
		put(o, 0, 1);
	}
	size_t length_at = o->b.n;
	put_offset(o, 0);
	put(o, 1, 1);
	if (o->shape.version >= 4)
		put(o, 1, 1);
	put(o, 1, 1);
	put(o, (uint8_t)-3, 1);
	put(o, 12, 1);
	put(o, 10, 1);
	const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
		put(o, lengths[i], 1);
	make_files(o);
	patch(o, length_at, o->b.n - length_at - o->shape.offset_size, o->shape.offset_size);
	put(o, 0, 1);
	put_uleb(o, 1u + o->shape.address_size);
	put(o, DW_LNE_set_address, 1);
	put_addr(o, 0x1000);
	row(o, 0, 20 - 1, 1, 1);
	row(o, 0x18, 7 - 20, 2, 5);
	row(o, 8, 21 - 7, 1, 9);
	put(o, DW_LNS_advance_pc, 1);
	put_uleb(o, 0xd0);
	put(o, 0, 1);
	put(o, 1, 1);
	put(o, DW_LNE_end_sequence, 1);
	length_end(o);
}

static void make_info(struct program *p)
{
	struct bytes *o = &p->info;
	uint8_t v = o->shape.version;
	unit_begin(o, DW_UT_compile, 0, 0);
	put(o, UNIT, 1);
	put_pc(p, 0x1000, 0x1100);
	put_offset(o, 0); /* lines */
	put_name(p, TEXT_DIR);
	if (v >= 5) {
		put_offset(o, o->shape.offset_size == 8 ? 16 : 8);
		put_offset(o, 8);
		put_offset(o, o->shape.offset_size == 8 ? 20 : 12);
	}
	uint64_t leaf = here(o);
	put(o, LINKED, 1);
	put_name(p, TEXT_LEAF);
	put_name(p, TEXT_LEAF_LINKAGE);
	put(o, 7, 2);
	uint64_t mid = here(o);
	put(o, ABSTRACT, 1);
	put_name(p, TEXT_MID);

	put(o, FUNCTION, 1);
	size_t sibling = o->b.n;
	put(o, 0, 4);
	put_name(p, TEXT_MAIN);
	put_pc(p, 0x1000, 0x1080);
	put(o, BLOCK, 1);
	put(o, INLINED_RANGES, 1);
	put_uleb(o, DW_FORM_ref_udata);
	put_uleb(o, mid);
	if (v >= 5)
		put(o, 0, 1);
	else
		put_offset(o, 0);
	put(o, 1, 1);
	put(o, 22, 1);
	put(o, 3, 1);
	put(o, 4, 1);
	put(o, INLINED, 1);
	put(o, leaf, 4);
	put_pc(p, 0x1018, 0x1020);
	put(o, 2, 1);
	if (v < 5)
		put(o, 11, 1);
	put(o, 6, 1);
	put(o, 0, 1); /* of mid */
	put(o, 0, 1); /* of the block */
	put(o, FUNCTION, 1);
	size_t inner = o->b.n;
	put(o, 0, 4);
	put_name(p, TEXT_INNER);
	put_pc(p, 0x1080, 0x10a0);
	put(o, 0, 1);
	patch(o, inner, here(o), 4);
	put(o, 0, 1);
	patch(o, sibling, here(o), 4);

	put(o, SPACE, 1);
	uint64_t declared = o->b.n;
	put(o, DECLARED, 1);
	put_name(p, TEXT_LAST);
	put(o, DEFINED, 1);
	put(o, declared, v == 2 ? o->shape.address_size : o->shape.offset_size);
	put_pc(p, 0x10a0, 0x10f0);
	put(o, 0, 1);
	put(o, 0, 1);
	length_end(o);
}

static void program_make(struct program *p, struct shape sh)
{
	*p = (struct program){0};
	struct bytes *all[] = {&p->info,   &p->abbrev,   &p->str,  &p->line,
			       &p->ranges, &p->rnglists, &p->addr, &p->str_offsets};
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i]->shape = sh;
	make_texts(p);
	make_abbrevs(p, &sh);
	make_ranges(p);
	make_lines(p);
	make_info(p);
	p->s = (struct dwarf_sections){.swap = sh.swap,
				       .info = bytes_str(&p->info),
				       .abbrev = bytes_str(&p->abbrev),
				       .str = bytes_str(&p->str),
				       .line = bytes_str(&p->line),
				       .ranges = bytes_str(&p->ranges),
				       .rnglists = bytes_str(&p->rnglists),
				       .addr = bytes_str(&p->addr),
				       .str_offsets = bytes_str(&p->str_offsets)};
}

static void program_free(struct program *p)
{
	struct bytes *all[] = {&p->info,   &p->abbrev,   &p->str,  &p->line,
			       &p->ranges, &p->rnglists, &p->addr, &p->str_offsets};
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		vec_free(&all[i]->b);
}

#endif
