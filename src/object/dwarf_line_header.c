/* The header of a line program: its parameters, directories and files. */
#include "object/dwarf_const.h"
#include "object/dwarf_line.h"
#include "object/dwarf_value.h"

bool dwarf_line_header_read(struct dwarf_unit *u, struct dwarf_line_header *h)
{
	const struct dwarf_sections *s = &u->data->s;
	struct cursor c = dwarf_cursor(s->line, u->lines, s->swap);
	*h = (struct dwarf_line_header){.address_size = u->address_size};
	uint64_t length = dwarf_initial_length(&c, &h->offset_size);
	c = cursor_sub(&c, MIN(length, cursor_left(&c)));
	h->version = cursor_u16(&c);
	if (h->version < 2 || h->version > 5)
		return false;
	if (h->version >= 5) {
		h->address_size = cursor_u8(&c);
		(void)cursor_u8(&c); /* segment selector */
	}
	uint64_t header_length = dwarf_sized(&c, h->offset_size);
	if (header_length > cursor_left(&c))
		return false;
	h->program = c;
	h->program.p += header_length;
	c.end = h->program.p;
	h->min_inst_length = cursor_u8(&c);
	h->max_ops = h->version >= 4 ? cursor_u8(&c) : 1;
	(void)cursor_u8(&c); /* default of is_stmt */
	h->line_base = (int8_t)cursor_u8(&c);
	h->line_range = cursor_u8(&c);
	h->opcode_base = cursor_u8(&c);
	h->opcode_lengths = cursor_bytes(&c, h->opcode_base ? h->opcode_base - 1u : 0);
	h->tables = c;
	return !c.bad;
}

static struct str dir_of(const struct dwarf_lines *t, uint64_t number)
{
	return number < t->dirs.n ? t->dirs.v[number] : STR("");
}

static void read_file(struct dwarf_lines *t, struct cursor *c, struct str name, struct str comp_dir)
{
	uint64_t dir = dwarf_uleb(c);
	(void)dwarf_uleb(c); /* time of change */
	(void)dwarf_uleb(c); /* size */
	if (!c->bad)
		vec_push(&t->files, (struct dwarf_file){comp_dir, dir_of(t, dir), name});
}

void dwarf_lines_define_file(struct dwarf_lines *t, struct cursor *c, struct str comp_dir)
{
	read_file(t, c, cursor_cstr(c), comp_dir);
}

/* Until version 4: text after text, each list ends with an empty one. Directory 0 is where the
 * compiler ran. */
static void read_classic(struct dwarf_lines *t, struct cursor *c, struct str comp_dir)
{
	struct str text;
	t->first_file = 1;
	vec_push(&t->dirs, STR(""));
	while ((text = cursor_cstr(c)).n)
		vec_push(&t->dirs, text);
	while (!c->bad && (text = cursor_cstr(c)).n)
		read_file(t, c, text, comp_dir);
}

/* Version 5: the columns are listed, then the rows. An entry takes its name and directory. */
static void read_entries(struct dwarf_lines *t, const struct dwarf_unit *u, struct cursor *c,
			 struct str comp_dir, bool files)
{
	struct {
		uint64_t content;
		struct dwarf_spec spec;
	} columns[UINT8_MAX];
	unsigned width = cursor_u8(c);
	for (unsigned i = 0; i < width; i++) {
		columns[i].content = dwarf_uleb(c);
		uint64_t form = dwarf_uleb(c);
		columns[i].spec = (struct dwarf_spec){
			.form = (uint16_t)(form <= UINT16_MAX ? form : 0)};
	}
	uint64_t count = dwarf_uleb(c);
	/* A row without bytes could be repeated without end. */
	for (uint64_t k = 0; k < count && !c->bad && cursor_left(c); k++) {
		struct str name = STR(""), dir = STR("");
		const uint8_t *start = c->p;
		for (unsigned i = 0; i < width; i++) {
			struct dwarf_value v;
			dwarf_value_read(u, c, &columns[i].spec, &v);
			if (columns[i].content == DW_LNCT_path)
				name = dwarf_value_text(u, &v);
			else if (columns[i].content == DW_LNCT_directory_index)
				dir = dir_of(t, v.u);
		}
		if (c->bad || c->p == start)
			return;
		if (files)
			vec_push(&t->files, (struct dwarf_file){comp_dir, dir, name});
		else
			vec_push(&t->dirs, name);
	}
}

void dwarf_lines_read_files(struct dwarf_lines *t, const struct dwarf_unit *u,
			    struct dwarf_line_header *h, struct str comp_dir)
{
	if (h->version < 5) {
		read_classic(t, &h->tables, comp_dir);
		return;
	}
	/* Sizes of forms are those of the line program, not of the unit. */
	struct dwarf_unit sizes = {.data = u->data,
				   .version = 5,
				   .offset_size = h->offset_size,
				   .address_size = h->address_size,
				   .str_offsets_base = u->str_offsets_base};
	read_entries(t, &sizes, &h->tables, comp_dir, false);
	read_entries(t, &sizes, &h->tables, comp_dir, true);
}
