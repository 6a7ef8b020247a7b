/* Units and what leads from one to another: references, silence, overlaps, split files, lies. */
#include "object/dwarf_code.h"
#include "object/dwarf_index.h"
#include "object/dwarf_split.h"
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

static void put_abbrevs(struct bytes *o)
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

static void begin(struct sections *t)
{
	*t = (struct sections){.info.shape = SHAPE,
			       .abbrev.shape = SHAPE,
			       .types.shape = SHAPE,
			       .aranges.shape = SHAPE};
	put_abbrevs(&t->abbrev);
}

static void unit_pc(struct bytes *o, uint64_t low, uint64_t size)
{
	unit_begin(o, DW_UT_compile, 0, 0);
	put_uleb(o, UNIT_PC);
	put(o, low, 8);
	put(o, size, 8);
}

static void unit_of(struct bytes *o, int abbrev)
{
	unit_begin(o, DW_UT_compile, 0, 0);
	put_uleb(o, (uint64_t)abbrev);
}

static void unit_end(struct bytes *o)
{
	put(o, 0, 1);
	length_end(o);
}

static void function(struct bytes *o, int abbrev, const char *name, uint64_t low, uint64_t size)
{
	put_uleb(o, (uint64_t)abbrev);
	put_text(o, name);
	put(o, low, 8);
	put(o, size, 4);
}

static void refer(struct bytes *o, int abbrev, uint64_t to, unsigned width, uint64_t low,
		  uint64_t size)
{
	put_uleb(o, (uint64_t)abbrev);
	put(o, to, width);
	put(o, low, 8);
	put(o, size, 4);
}

static struct dwarf *finish(struct sections *t)
{
	t->s.info = bytes_str(&t->info);
	t->s.abbrev = bytes_str(&t->abbrev);
	t->s.types = bytes_str(&t->types);
	t->s.aranges = bytes_str(&t->aranges);
	return dwarf_new(&t->s, NULL, NULL);
}

static void end(struct sections *t, struct dwarf *d)
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

static void references(void **state)
{
	(void)state;
	struct sections t, alt;
	begin(&alt);
	unit_of(&alt.info, UNIT_PARTIAL);
	size_t in_alt = alt.info.b.n;
	put_uleb(&alt.info, NAMED);
	put_text(&alt.info, "shared");
	unit_end(&alt.info);
	struct dwarf *unused = finish(&alt);

	begin(&t);
	unit_begin(&t.types, DW_UT_type, 0, 0x1122334455667788);
	put(&t.types, here(&t.types) + 4 + 1, 4);
	put_uleb(&t.types, TYPE_UNIT);
	put_uleb(&t.types, NAMED);
	put_text(&t.types, "typed");
	unit_end(&t.types);
	unit_of(&t.info, UNIT_PARTIAL);
	size_t partial = t.info.b.n;
	put_uleb(&t.info, NAMED);
	put_text(&t.info, "imported");
	unit_end(&t.info);
	unit_pc(&t.info, 0x1000, 0x1000);
	refer(&t.info, ORIGIN_ADDR, partial, 4, 0x1000, 0x10);
	refer(&t.info, ORIGIN_ALT, in_alt, 4, 0x1010, 0x10);
	refer(&t.info, ORIGIN_SIG, 0x1122334455667788, 8, 0x1020, 0x10);
	function(&t.info, HUGE_CODE, "huge", 0x1030, 0x10);
	refer(&t.info, ORIGIN_ADDR, 0xffffff, 4, 0x1040, 0x10); /* nowhere */
	refer(&t.info, ORIGIN_SIG, 1, 8, 0x1050, 0x10);
	unit_end(&t.info);
	t.s.alt = &alt.s;
	struct dwarf *d = finish(&t);
	assert_function(d, 0x1000, "imported");
	assert_function(d, 0x1010, "shared");
	assert_function(d, 0x1020, "typed");
	assert_function(d, 0x1030, "huge");
	struct dwarf_frame f;
	assert_int_equal(dwarf_frames_at(d, 0x1040, &f, 1), 1);
	assert_int_equal(f.function.n, 0);
	assert_int_equal(dwarf_frames_at(d, 0x1050, &f, 1), 1);
	assert_int_equal(f.function.n, 0);
	end(&t, d);

	/* Without the shared file there is a function, but no name. */
	begin(&t);
	unit_pc(&t.info, 0x1000, 0x1000);
	refer(&t.info, ORIGIN_ALT, in_alt, 4, 0x1010, 0x10);
	unit_end(&t.info);
	d = finish(&t);
	assert_int_equal(dwarf_frames_at(d, 0x1010, &f, 1), 1);
	assert_int_equal(f.function.n, 0);
	end(&t, d);
	end(&alt, unused);
}

static void cycles(void **state)
{
	(void)state;
	struct sections t;
	begin(&t);
	unit_pc(&t.info, 0x1000, 0x1000);
	uint64_t self = here(&t.info);
	put_uleb(&t.info, CYCLE);
	put(&t.info, self, 4);
	put(&t.info, self, 4);
	put(&t.info, 0x1000, 8);
	put(&t.info, 0x10, 4);
	unit_end(&t.info);
	struct dwarf *d = finish(&t);
	struct dwarf_frame f;
	assert_int_equal(dwarf_frames_at(d, 0x1000, &f, 1), 1);
	assert_int_equal(f.function.n, 0);
	end(&t, d);
}

/* Blocks inside of blocks as deep as the bytes allow, and siblings that lead back. */
static void nesting(void **state)
{
	(void)state;
	struct sections t;
	begin(&t);
	unit_pc(&t.info, 0x1000, 0x1000);
	put_uleb(&t.info, PARENT);
	put(&t.info, 1, 4); /* back into the header */
	put(&t.info, 0x1000, 8);
	put(&t.info, 0x100, 4);
	for (int i = 0; i < 100000; i++)
		put_uleb(&t.info, BLOCK);
	function(&t.info, CODE, "deep", 0x1200, 0x10);
	for (int i = 0; i < 100001; i++)
		put(&t.info, 0, 1);
	unit_end(&t.info);
	struct dwarf *d = finish(&t);
	struct dwarf_frame f[4];
	assert_int_equal(dwarf_frames_at(d, 0x1000, f, 4), 1);
	assert_function(d, 0x1200, "deep");
	end(&t, d);
}

/* Attributes that take no bytes must not make a small file cost much: an abbreviation with very
 * many is none, and those below it are lost with it. */
static void many_attributes(void **state)
{
	(void)state;
	for (int n = 100; n <= 100000; n *= 1000) {
		struct sections t;
		begin(&t);
		t.abbrev.b.n--; /* the end of the table */
		put_uleb(&t.abbrev, 50);
		put_uleb(&t.abbrev, DW_TAG_subprogram);
		put(&t.abbrev, 0, 1);
		for (int i = 0; i < n; i++) {
			put_uleb(&t.abbrev, 0x3f);
			put_uleb(&t.abbrev, DW_FORM_flag_present);
		}
		put_uleb(&t.abbrev, DW_AT_low_pc);
		put_uleb(&t.abbrev, DW_FORM_addr);
		put_uleb(&t.abbrev, DW_AT_high_pc);
		put_uleb(&t.abbrev, DW_FORM_data1);
		put(&t.abbrev, 0, 3);
		unit_pc(&t.info, 0x1000, 0x1000);
		function(&t.info, CODE, "first", 0x1000, 0x10);
		put_uleb(&t.info, 50);
		put(&t.info, 0x1010, 8);
		put(&t.info, 0x10, 1);
		unit_end(&t.info);
		struct dwarf *d = finish(&t);
		struct dwarf_frame f;
		assert_function(d, 0x1000, "first");
		assert_int_equal(dwarf_frames_at(d, 0x1010, &f, 1), n == 100);
		end(&t, d);
	}
}

/* Units that do not tell their ranges: by .debug_aranges, or by their functions. */
static void silent_units(void **state)
{
	(void)state;
	struct sections t;
	begin(&t);
	unit_pc(&t.info, 0x1000, 0x100);
	function(&t.info, CODE, "told", 0x1000, 0x100);
	unit_end(&t.info);
	unit_of(&t.info, UNIT_SILENT);
	function(&t.info, CODE, "scanned", 0x2000, 0x100);
	function(&t.info, CODE, "dead", 0, 0x100);
	function(&t.info, CODE, "dead", UINT64_MAX, 0x100);
	function(&t.info, CODE, "empty", 0x2100, 0);
	unit_end(&t.info);
	unit_of(&t.info, UNIT_SILENT);
	uint64_t third = t.info.unit;
	function(&t.info, CODE, "listed", 0x3000, 0x100);
	unit_end(&t.info);
	struct bytes *o = &t.aranges;
	length_begin(o);
	put(o, 2, 2);
	put(o, third, 4);
	put(o, 8, 1);
	put(o, 0, 1);
	put(o, 0, 4); /* to a multiple of 16 */
	put(o, 0x3000, 8);
	put(o, 0x100, 8);
	put(o, 0, 16);
	length_end(o);
	struct dwarf *d = finish(&t);
	assert_function(d, 0x1000, "told");
	assert_function(d, 0x2050, "scanned");
	assert_function(d, 0x3050, "listed");
	assert_function(d, 0x2100, "");
	assert_function(d, 0x50, "");
	assert_function(d, UINT64_MAX, "");
	end(&t, d);
}

/* In an object file (a kernel module) code begins at address 0. */
static void address_zero(void **state)
{
	(void)state;
	for (int relocatable = 0; relocatable < 2; relocatable++) {
		struct sections t;
		begin(&t);
		unit_pc(&t.info, 0, 0x100);
		function(&t.info, CODE, "zero", 0, 0x100);
		unit_end(&t.info);
		t.s.relocatable = relocatable;
		struct dwarf *d = finish(&t);
		assert_function(d, 0x10, relocatable ? "zero" : "");
		end(&t, d);
	}
}

/* Where units overlap, the smallest function is right. */
static void overlaps(void **state)
{
	(void)state;
	struct sections t;
	begin(&t);
	unit_pc(&t.info, 0x800, 0x10000);
	function(&t.info, CODE, "all", 0x800, 0x10000);
	unit_end(&t.info);
	for (uint64_t i = 0; i < 20; i++) { /* more than are looked at */
		unit_pc(&t.info, 0x1000, 0x100 + i);
		function(&t.info, CODE, "small", 0x1000, 0x100 + (uint32_t)i);
		unit_end(&t.info);
	}
	unit_pc(&t.info, 0x900, 0x10);
	unit_end(&t.info);
	struct dwarf *d = finish(&t);
	assert_function(d, 0x800, "all");
	assert_function(d, 0x908, "all");
	assert_function(d, 0x1010, "small");
	assert_function(d, 0x1113, "all");
	end(&t, d);
}

/* --- split units ------------------------------------------------------------------------------ */

#define SPLIT_ID 0x0123456789abcdef

struct split_file {
	struct bytes info, abbrev, str, str_offsets, index;
	struct dwarf_sections s;
	int asked;
};

static void make_split(struct split_file *f, uint64_t id)
{
	*f = (struct split_file){.info.shape = SHAPE,
				 .abbrev.shape = SHAPE,
				 .str.shape = SHAPE,
				 .str_offsets.shape = SHAPE,
				 .index.shape = SHAPE};
	put_abbrevs(&f->abbrev);
	put_text(&f->str, "");
	put(&f->str_offsets, put_text(&f->str, "far"), 4);
	unit_of(&f->info, SPLIT);
	put(&f->info, id, 8);
	put_uleb(&f->info, CODE_INDEXED);
	put(&f->info, 0, 1);
	put(&f->info, 1, 1);
	put(&f->info, 0x40, 4);
	unit_end(&f->info);
	f->s = (struct dwarf_sections){.info = bytes_str(&f->info),
				       .abbrev = bytes_str(&f->abbrev),
				       .str = bytes_str(&f->str),
				       .str_offsets = bytes_str(&f->str_offsets)};
}

/* The same as a package: an index with one unit in a table of four slots. */
static void make_package(struct split_file *f, bool gnu, uint64_t id)
{
	struct bytes *o = &f->index;
	put(o, gnu ? 2 : 5, 4);
	put(o, 3, 4);
	put(o, 1, 4);
	put(o, 4, 4);
	for (uint64_t i = 0; i < 4; i++)
		put(o, i == (id & 3) ? id : 0, 8);
	for (uint64_t i = 0; i < 4; i++)
		put(o, i == (id & 3), 4);
	put(o, DW_SECT_INFO, 4);
	put(o, DW_SECT_ABBREV, 4);
	put(o, DW_SECT_STR_OFFSETS, 4);
	put(o, 0, 12);
	put(o, f->info.b.n, 4);
	put(o, f->abbrev.b.n, 4);
	put(o, f->str_offsets.b.n, 4);
	f->s.cu_index = bytes_str(o);
}

static bool find_split(void *ctx, const struct dwarf_split *want, struct dwarf_sections *out)
{
	struct split_file *f = ctx;
	f->asked++;
	assert_text(want->name, "x.dwo");
	assert_true(want->id == SPLIT_ID);
	*out = f->s;
	return f->s.info.n;
}

static void check_split(struct split_file *f, const char *expected)
{
	struct sections t;
	struct bytes addr = {.shape = SHAPE};
	begin(&t);
	unit_of(&t.info, SKELETON);
	put_text(&t.info, "x.dwo");
	put(&t.info, SPLIT_ID, 8);
	put(&t.info, 0x1000, 8);
	put(&t.info, 0x100, 8);
	put(&t.info, 8, 4);
	length_end(&t.info);
	put(&addr, 0, 16);
	put(&addr, 0x1010, 8);
	t.s.addr = bytes_str(&addr);
	dwarf_free(finish(&t));
	struct dwarf *d = dwarf_new(&t.s, find_split, f);
	assert_function(d, 0x1010, expected);
	assert_function(d, 0x1050, "");
	assert_int_equal(f->asked, 1);
	end(&t, d);
	vec_free(&addr.b);
	vec_free(&f->info.b);
	vec_free(&f->abbrev.b);
	vec_free(&f->str.b);
	vec_free(&f->str_offsets.b);
	vec_free(&f->index.b);
}

static void split_units(void **state)
{
	(void)state;
	struct split_file f;
	make_split(&f, SPLIT_ID);
	check_split(&f, "far");
	make_split(&f, 77); /* of another build */
	check_split(&f, "");
	make_split(&f, SPLIT_ID);
	f.s = (struct dwarf_sections){0}; /* not found */
	check_split(&f, "");
	for (int gnu = 0; gnu < 2; gnu++) {
		make_split(&f, SPLIT_ID);
		make_package(&f, gnu, SPLIT_ID);
		check_split(&f, "far");
		make_split(&f, SPLIT_ID);
		make_package(&f, gnu, SPLIT_ID + 1);
		check_split(&f, "");
	}
}

static void damaged_package(void **state)
{
	(void)state;
	struct split_file f;
	struct dwarf_sections picked;
	make_split(&f, SPLIT_ID);
	make_package(&f, true, SPLIT_ID);
	struct str whole = f.s.cu_index;
	for (f.s.cu_index.n = 0; f.s.cu_index.n < whole.n; f.s.cu_index.n++)
		assert_false(dwarf_package_pick(&f.s, SPLIT_ID, &picked));
	for (size_t i = 0; i < whole.n; i++) {
		f.index.b.v[i] ^= 0xff;
		if (dwarf_package_pick(&f.s, SPLIT_ID, &picked))
			assert_true(picked.info.n <= f.s.info.n && picked.abbrev.n <= f.s.abbrev.n);
		f.index.b.v[i] ^= 0xff;
	}
	assert_true(dwarf_package_pick(&f.s, SPLIT_ID, &picked));
	assert_int_equal(picked.info.n, f.s.info.n);
	vec_free(&f.info.b);
	vec_free(&f.abbrev.b);
	vec_free(&f.str.b);
	vec_free(&f.str_offsets.b);
	vec_free(&f.index.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references),      cmocka_unit_test(cycles),
		cmocka_unit_test(nesting),         cmocka_unit_test(many_attributes),
		cmocka_unit_test(silent_units),    cmocka_unit_test(address_zero),
		cmocka_unit_test(overlaps),        cmocka_unit_test(split_units),
		cmocka_unit_test(damaged_package),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
