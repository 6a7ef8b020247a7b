/* Split units: a skeleton, and its other half in a .dwo file or a package. */
#include "object/dwarf_split.h"
#include "object/test_dwarf_units.h"

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
		cmocka_unit_test(split_units),
		cmocka_unit_test(damaged_package),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
