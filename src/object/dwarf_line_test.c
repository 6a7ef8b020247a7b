/* Line programs: every opcode, odd parameters, what linkers leave behind, and lies. */
#include "object/dwarf_line.h"
#include "object/test_dwarf.h"

struct line {
	struct bytes o;
	struct dwarf_data data;
	struct dwarf_unit unit;
	size_t header_at;
};

struct parameters {
	uint16_t version;
	uint8_t min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
};
static const struct parameters usual = {4, 1, 1, 14, 13, -5};

static void program_begin(struct line *l, struct parameters p)
{
	*l = (struct line){.o.shape = {(uint8_t)p.version, 4, 8, false}};
	struct bytes *o = &l->o;
	length_begin(o);
	put(o, p.version, 2);
	l->header_at = o->b.n;
	put(o, 0, 4);
	put(o, p.min_inst, 1);
	if (p.version >= 4)
		put(o, p.max_ops, 1);
	put(o, 1, 1);
	put(o, (uint8_t)p.line_base, 1);
	put(o, p.line_range, 1);
	put(o, p.opcode_base, 1);
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2};
	for (int i = 0; i < p.opcode_base - 1; i++)
		put(o, lengths[i], 1);
	put(o, 0, 1);
	put_text(o, "f.c");
	put(o, 0, 3);
	put(o, 0, 1);
	patch(o, l->header_at, o->b.n - l->header_at - 4, 4);
}

static void extended(struct line *l, int op, uint64_t v, unsigned size)
{
	put(&l->o, 0, 1);
	put_uleb(&l->o, 1 + size);
	put(&l->o, (uint64_t)op, 1);
	put(&l->o, v, size);
}

static void set_address(struct line *l, uint64_t addr)
{
	extended(l, DW_LNE_set_address, addr, 8);
}

static void advance(struct line *l, uint64_t n)
{
	put(&l->o, DW_LNS_advance_pc, 1);
	put_uleb(&l->o, n);
}

static void end_sequence(struct line *l, uint64_t n)
{
	advance(l, n);
	extended(l, DW_LNE_end_sequence, 0, 0);
}

/* A row: some lines on. */
static void copy(struct line *l, int lines)
{
	put(&l->o, DW_LNS_advance_line, 1);
	put_sleb(&l->o, lines);
	put(&l->o, DW_LNS_copy, 1);
}

static const struct dwarf_lines *program_end(struct line *l)
{
	length_end(&l->o);
	dwarf_data_init(&l->data, &(struct dwarf_sections){.line = bytes_str(&l->o)}, NULL);
	l->unit = (struct dwarf_unit){.data = &l->data,
				      .version = 4,
				      .address_size = 8,
				      .offset_size = 4,
				      .has_lines = true};
	return dwarf_unit_lines(&l->unit);
}

static void program_free(struct line *l)
{
	dwarf_data_free(&l->data);
	vec_free(&l->o.b);
}

/* 0: no row. */
static uint32_t line_at(const struct dwarf_lines *t, uint64_t addr)
{
	const struct dwarf_row *row = dwarf_lines_find(t, addr);
	return row ? row->line : 0;
}

static void opcodes(void **state)
{
	(void)state;
	struct line l;
	program_begin(&l, usual);
	set_address(&l, 0x1000);
	put(&l.o, 13 + 14 * 3 + 9, 1); /* special: address + 3, line + 9 - 5 */
	put(&l.o, DW_LNS_set_column, 1);
	put_uleb(&l.o, 300);
	extended(&l, DW_LNE_set_discriminator, 5, 1);
	put(&l.o, DW_LNS_const_add_pc, 1); /* (255 - 13) / 14 = 17 */
	copy(&l, 100000);
	put(&l.o, DW_LNS_negate_stmt, 1);
	put(&l.o, DW_LNS_set_basic_block, 1);
	put(&l.o, 10, 1); /* prologue end */
	put(&l.o, 12, 1); /* ISA */
	put_uleb(&l.o, 1000);
	extended(&l, 0x80, 0x1234, 2); /* not known */
	put(&l.o, DW_LNS_fixed_advance_pc, 1);
	put(&l.o, 0x100, 2);
	copy(&l, -100000);
	put(&l.o, DW_LNS_set_file, 1);
	put(&l.o, 2, 1);
	extended(&l, DW_LNE_define_file, 0, 0);
	l.o.b.v[l.o.b.n - 2] = 1 + 2 + 3;
	put_text(&l.o, "g");
	put(&l.o, 0, 3);
	advance(&l, 1);
	copy(&l, 1);
	end_sequence(&l, 1);
	const struct dwarf_lines *t = program_end(&l);
	assert_int_equal(line_at(t, 0x1002), 0);
	assert_int_equal(line_at(t, 0x1003), 5);
	assert_int_equal(line_at(t, 0x1003 + 17), 100005);
	const struct dwarf_row *row = dwarf_lines_find(t, 0x1003 + 17);
	assert_int_equal(row->column, 300);
	assert_int_equal(row->discriminator, 5);
	row = dwarf_lines_find(t, 0x1003 + 17 + 0x100);
	assert_int_equal(row->line, 5);
	assert_int_equal(row->discriminator, 0); /* only for one row */
	row = dwarf_lines_find(t, 0x1004 + 17 + 0x100);
	assert_int_equal(row->line, 6);
	assert_text(dwarf_lines_file(t, row->file)->name, "g");
	assert_text(dwarf_lines_file(t, 1)->name, "f.c");
	assert_null(dwarf_lines_file(t, 0));
	assert_null(dwarf_lines_file(t, 3));
	assert_int_equal(line_at(t, 0x1005 + 17 + 0x100), 0);
	program_free(&l);
}

/* Fewer standard opcodes than there are: what follows them is special already. */
static void short_opcode_table(void **state)
{
	(void)state;
	struct line l;
	struct parameters p = usual;
	p.opcode_base = 6;
	p.version = 2;
	program_begin(&l, p);
	set_address(&l, 0x1000);
	put(&l.o, 6 + 14 * 1 + 7, 1); /* 27: address + 1, line + 2 */
	put(&l.o, 8, 1);              /* no const_add_pc: address + 0, line - 3 */
	put(&l.o, 13, 1);             /* address + 0, line + 2 */
	end_sequence(&l, 4);
	const struct dwarf_lines *t = program_end(&l);
	assert_int_equal(line_at(t, 0x1001), 2);
	assert_int_equal(line_at(t, 0x1000), 0);
	program_free(&l);
}

static void instruction_sizes(void **state)
{
	(void)state;
	struct line l;
	struct parameters p = usual;
	p.min_inst = 4;
	program_begin(&l, p);
	set_address(&l, 0x1000);
	copy(&l, 1);
	advance(&l, 3);
	copy(&l, 1);
	end_sequence(&l, 1);
	const struct dwarf_lines *t = program_end(&l);
	assert_int_equal(line_at(t, 0x100b), 2);
	assert_int_equal(line_at(t, 0x100c), 3);
	assert_int_equal(line_at(t, 0x100f), 3);
	assert_int_equal(line_at(t, 0x1010), 0);
	program_free(&l);

	/* Three operations in an instruction of 16 bytes. */
	p.min_inst = 16;
	p.max_ops = 3;
	program_begin(&l, p);
	set_address(&l, 0x1000);
	copy(&l, 1);
	advance(&l, 4);
	copy(&l, 1);
	advance(&l, 2);
	copy(&l, 1);
	end_sequence(&l, 3);
	t = program_end(&l);
	assert_int_equal(line_at(t, 0x100f), 2);
	assert_int_equal(line_at(t, 0x1010), 3);
	assert_int_equal(line_at(t, 0x1020), 4);
	assert_int_equal(line_at(t, 0x1030), 0);
	program_free(&l);
}

/* Of several rows at one address the last one holds. */
static void same_address(void **state)
{
	(void)state;
	struct line l;
	program_begin(&l, usual);
	set_address(&l, 0x1000);
	copy(&l, 1);
	copy(&l, 1);
	copy(&l, 1);
	end_sequence(&l, 8);
	const struct dwarf_lines *t = program_end(&l);
	assert_int_equal(line_at(t, 0x1000), 4);
	assert_int_equal(t->rows.n, 1);
	program_free(&l);
}

/* Sequences the linker dropped; one without end; one that runs backwards; two that overlap. */
static void odd_sequences(void **state)
{
	(void)state;
	struct line l;
	program_begin(&l, usual);
	const uint64_t dead[] = {0, UINT64_MAX, UINT64_MAX - 1};
	for (size_t i = 0; i < ARRAY_LEN(dead); i++) {
		set_address(&l, dead[i]);
		copy(&l, 1);
		end_sequence(&l, 0x10000);
	}
	set_address(&l, 0x3000);
	copy(&l, 29);
	end_sequence(&l, 0x100);
	set_address(&l, 0x1000);
	copy(&l, 9); /* line 10 */
	end_sequence(&l, 0x100);
	set_address(&l, 0x10c0); /* begins inside of the one before */
	copy(&l, 19);
	end_sequence(&l, 0x100);
	set_address(&l, 0x2010);
	copy(&l, 1);
	set_address(&l, 0x2000);
	copy(&l, 1);
	end_sequence(&l, 0x20);
	set_address(&l, 0x5000);
	copy(&l, 1);
	const struct dwarf_lines *t = program_end(&l);
	assert_int_equal(t->sequences.n, 4);
	assert_int_equal(line_at(t, 0x100), 0);
	assert_int_equal(line_at(t, 0x1000), 10);
	assert_int_equal(line_at(t, 0x10ff), 10);
	assert_int_equal(line_at(t, 0x1100), 20);
	assert_int_equal(line_at(t, 0x11bf), 20);
	assert_int_equal(line_at(t, 0x11c0), 0);
	assert_int_equal(line_at(t, 0x2008), 3);
	assert_int_equal(line_at(t, 0x2018), 2);
	assert_int_equal(line_at(t, 0x30ff), 30);
	assert_int_equal(line_at(t, 0x5000), 0);
	program_free(&l);
}

/* Numbers that divide by zero or run past the end. */
static void lies(void **state)
{
	(void)state;
	struct line l;
	struct parameters bad[] = {usual, usual, usual, usual};
	bad[0].line_range = 0;
	bad[1].opcode_base = 0;
	bad[2].version = 6;
	bad[3].max_ops = 0;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		program_begin(&l, bad[i]);
		set_address(&l, 0x1000);
		put(&l.o, 200, 1);
		end_sequence(&l, 100);
		const struct dwarf_lines *t = program_end(&l);
		assert_true(i == 3 || t->rows.n == 0);
		program_free(&l);
	}
	program_begin(&l, usual);
	patch(&l.o, l.header_at, UINT32_MAX, 4);
	assert_int_equal(program_end(&l)->files.n, 0);
	program_free(&l);
}

/* Units that name the same program share one table; pieces of it that many name are not read by
 * each without end. */
static void shared_bytes(void **state)
{
	(void)state;
	struct line l;
	program_begin(&l, usual);
	for (int i = 0; i < 5000; i++)
		put(&l.o, DW_LNS_copy, 1);
	size_t size = l.o.b.n;
	for (int i = 1; i < 20; i++)
		vec_append(&l.o.b, l.o.b.v, size);
	(void)program_end(&l);
	/* Each header takes all that follows for its own. */
	size_t read = 0;
	for (uint64_t i = 0; i < 20; i++) {
		patch(&l.o, i * size, l.o.b.n - i * size - 4, 4);
		struct dwarf_unit u = l.unit;
		u.lines = i * size;
		const struct dwarf_lines *t = dwarf_unit_lines(&u);
		assert_ptr_equal(t, dwarf_unit_lines(&u));
		read += t->files.n;
	}
	assert_int_equal(l.data.lines.n, 20);
	assert_true(read >= 2 && read < 6);
	program_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes),           cmocka_unit_test(short_opcode_table),
		cmocka_unit_test(instruction_sizes), cmocka_unit_test(same_address),
		cmocka_unit_test(odd_sequences),     cmocka_unit_test(lies),
		cmocka_unit_test(shared_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
