/* Units made of a common set of abbreviations. */
#ifndef KILN_TEST_DWARF_UNITS_H
#define KILN_TEST_DWARF_UNITS_H

#include "object/test_dwarf.h"

#define SHAPE ((struct shape){4, 4, 8, false})

struct sections {
	struct bytes info, abbrev, types, aranges;
	struct dwarf_sections s;
};

/* Abbreviations that all tests share. */
enum {
	UNIT_PC = 1,  /* compile unit with low and high */
	UNIT_SILENT,  /* compile unit that says nothing */
	UNIT_PARTIAL, /* partial unit */
	NAMED,        /* function: name */
	CODE,         /* function: name, low, high */
	ORIGIN_ADDR,  /* function: abstract origin by ref_addr, low, high */
	ORIGIN_ALT,   /* the same by GNU_ref_alt */
	ORIGIN_SIG,   /* the same by ref_sig8 */
	CYCLE,        /* function: specification and abstract origin */
	BLOCK,        /* lexical block with children */
	TYPE_UNIT,    /* type unit with children */
	SKELETON,     /* split file name, id, low, high, address base */
	SPLIT,        /* unit of a split file: id */
	CODE_INDEXED, /* function: name by index, low by index, high */
	PARENT,       /* function: low, high, sibling; with children */
	HUGE_CODE = 1000000,
};

static inline void put_abbrevs(struct bytes *o)
{
	put_abbrev(o, HUGE_CODE, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		   DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put_abbrev(o, UNIT_PC, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		   DW_FORM_data8, 0);
	put_abbrev(o, UNIT_SILENT, DW_TAG_compile_unit, 1, 0);
	put_abbrev(o, UNIT_PARTIAL, DW_TAG_partial_unit, 1, 0);
	put_abbrev(o, NAMED, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0);
	put_abbrev(o, CODE, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		   DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	const int forms[] = {DW_FORM_ref_addr, DW_FORM_GNU_ref_alt, DW_FORM_ref_sig8};
	for (int i = 0; i < 3; i++)
		put_abbrev(o, (uint64_t)(ORIGIN_ADDR + i), DW_TAG_subprogram, 0,
			   DW_AT_abstract_origin, forms[i], DW_AT_low_pc, DW_FORM_addr,
			   DW_AT_high_pc, DW_FORM_data4, 0);
	put_abbrev(o, CYCLE, DW_TAG_subprogram, 0, DW_AT_specification, DW_FORM_ref4,
		   DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		   DW_FORM_data4, 0);
	put_abbrev(o, BLOCK, 0x0b, 1, 0);
	put_abbrev(o, TYPE_UNIT, 0x41, 1, 0);
	put_abbrev(o, SKELETON, DW_TAG_compile_unit, 0, DW_AT_GNU_dwo_name, DW_FORM_string,
		   DW_AT_GNU_dwo_id, DW_FORM_data8, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		   DW_FORM_data8, DW_AT_GNU_addr_base, DW_FORM_sec_offset, 0);
	put_abbrev(o, SPLIT, DW_TAG_compile_unit, 1, DW_AT_GNU_dwo_id, DW_FORM_data8, 0);
	put_abbrev(o, CODE_INDEXED, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_GNU_str_index,
		   DW_AT_low_pc, DW_FORM_GNU_addr_index, DW_AT_high_pc, DW_FORM_data4, 0);
	put_abbrev(o, PARENT, DW_TAG_subprogram, 1, DW_AT_sibling, DW_FORM_ref4, DW_AT_low_pc,
		   DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	put(o, 0, 1);
}

static inline void begin(struct sections *t)
{
	*t = (struct sections){.info.shape = SHAPE,
			       .abbrev.shape = SHAPE,
			       .types.shape = SHAPE,
			       .aranges.shape = SHAPE};
	put_abbrevs(&t->abbrev);
}

static inline void unit_pc(struct bytes *o, uint64_t low, uint64_t size)
{
	unit_begin(o, DW_UT_compile, 0, 0);
	put_uleb(o, UNIT_PC);
	put(o, low, 8);
	put(o, size, 8);
}

static inline void unit_of(struct bytes *o, int abbrev)
{
	unit_begin(o, DW_UT_compile, 0, 0);
	put_uleb(o, (uint64_t)abbrev);
}

static inline void unit_end(struct bytes *o)
{
	put(o, 0, 1);
	length_end(o);
}

static inline void function(struct bytes *o, int abbrev, const char *name, uint64_t low,
			    uint64_t size)
{
	put_uleb(o, (uint64_t)abbrev);
	put_text(o, name);
	put(o, low, 8);
	put(o, size, 4);
}

static inline void refer(struct bytes *o, int abbrev, uint64_t to, unsigned width, uint64_t low,
			 uint64_t size)
{
	put_uleb(o, (uint64_t)abbrev);
	put(o, to, width);
	put(o, low, 8);
	put(o, size, 4);
}

static inline struct dwarf *finish(struct sections *t)
{
	t->s.info = bytes_str(&t->info);
	t->s.abbrev = bytes_str(&t->abbrev);
	t->s.types = bytes_str(&t->types);
	t->s.aranges = bytes_str(&t->aranges);
	return dwarf_new(&t->s, NULL, NULL);
}

static inline void end(struct sections *t, struct dwarf *d)
{
	dwarf_free(d);
	vec_free(&t->info.b);
	vec_free(&t->abbrev.b);
	vec_free(&t->types.b);
	vec_free(&t->aranges.b);
}

#define assert_function(d, addr, name)                        \
	do {                                                  \
		struct dwarf_frame f_;                        \
		size_t n_ = dwarf_frames_at(d, addr, &f_, 1); \
		assert_int_equal(n_, *(name) ? 1 : 0);        \
		if (n_)                                       \
			assert_text(f_.function, name);       \
	} while (0)

#endif
