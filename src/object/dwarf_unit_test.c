/* Units and what leads from one to another: references, silence, overlaps, lies. */
#include "object/test_dwarf_units.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references),   cmocka_unit_test(cycles),
		cmocka_unit_test(nesting),      cmocka_unit_test(many_attributes),
		cmocka_unit_test(silent_units), cmocka_unit_test(address_zero),
		cmocka_unit_test(overlaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
