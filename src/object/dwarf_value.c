#include "object/dwarf_value.h"

#include "object/dwarf_const.h"

#define TEXT_MAX 65536

uint64_t dwarf_uleb_slow(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
}

int64_t dwarf_sleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint8_t b = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (b < 0x80) {
			if (b & 0x40 && shift < 64)
				v |= UINT64_MAX << shift;
			return (int64_t)v;
		}
	}
}

uint64_t dwarf_sized(struct cursor *c, unsigned size)
{
	switch (size) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 3: {
		const uint8_t *p = cursor_bytes(c, 3);
		bool big = c->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
		return !p ? 0 : big ? p[0] << 16 | p[1] << 8 | p[2] : p[2] << 16 | p[1] << 8 | p[0];
	}
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		cursor_fail(c);
		return 0;
	}
}

uint64_t dwarf_initial_length(struct cursor *c, uint8_t *offset_size)
{
	uint32_t n = cursor_u32(c);
	*offset_size = n == UINT32_MAX ? 8 : 4;
	if (n >= 0xfffffff0 && n != UINT32_MAX) /* reserved */
		cursor_fail(c);
	return n == UINT32_MAX ? cursor_u64(c) : n;
}

struct str dwarf_text(struct str section, uint64_t offset)
{
	if (offset >= section.n)
		return STR("");
	const char *p = section.p + offset;
	return str_make(p, strnlen(p, MIN(section.n - offset, TEXT_MAX)));
}

/* Kinds of form: how many bytes, or how to find out. */
enum { VARIES = -1, ADDRESS = -2, OFFSET = -3, REF_ADDR = -4 };

static int form_kind(uint16_t form)
{
	static const int8_t kinds[] = {
		[DW_FORM_addr] = ADDRESS,
		[DW_FORM_block2] = VARIES,
		[DW_FORM_block4] = VARIES,
		[DW_FORM_data2] = 2,
		[DW_FORM_data4] = 4,
		[DW_FORM_data8] = 8,
		[DW_FORM_string] = VARIES,
		[DW_FORM_block] = VARIES,
		[DW_FORM_block1] = VARIES,
		[DW_FORM_data1] = 1,
		[DW_FORM_flag] = 1,
		[DW_FORM_sdata] = VARIES,
		[DW_FORM_strp] = OFFSET,
		[DW_FORM_udata] = VARIES,
		[DW_FORM_ref_addr] = REF_ADDR,
		[DW_FORM_ref1] = 1,
		[DW_FORM_ref2] = 2,
		[DW_FORM_ref4] = 4,
		[DW_FORM_ref8] = 8,
		[DW_FORM_ref_udata] = VARIES,
		[DW_FORM_indirect] = VARIES,
		[DW_FORM_sec_offset] = OFFSET,
		[DW_FORM_exprloc] = VARIES,
		[DW_FORM_flag_present] = 0,
		[DW_FORM_strx] = VARIES,
		[DW_FORM_addrx] = VARIES,
		[DW_FORM_ref_sup4] = 4,
		[DW_FORM_strp_sup] = OFFSET,
		[DW_FORM_data16] = 16,
		[DW_FORM_line_strp] = OFFSET,
		[DW_FORM_ref_sig8] = 8,
		[DW_FORM_implicit_const] = 0,
		[DW_FORM_loclistx] = VARIES,
		[DW_FORM_rnglistx] = VARIES,
		[DW_FORM_ref_sup8] = 8,
		[DW_FORM_strx1] = 1,
		[DW_FORM_strx2] = 2,
		[DW_FORM_strx3] = 3,
		[DW_FORM_strx4] = 4,
		[DW_FORM_addrx1] = 1,
		[DW_FORM_addrx2] = 2,
		[DW_FORM_addrx3] = 3,
		[DW_FORM_addrx4] = 4,
	};
	if (form == 0 || form == 2)
		return VARIES;
	if (form < ARRAY_LEN(kinds))
		return kinds[form];
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ? OFFSET : VARIES;
}

int dwarf_form_size(const struct dwarf_unit *u, uint16_t form)
{
	int kind = form_kind(form);
	switch (kind) {
	case ADDRESS:
		return u->address_size;
	case OFFSET:
		return u->offset_size;
	case REF_ADDR: /* version 2 made it as wide as an address */
		return u->version <= 2 ? u->address_size : u->offset_size;
	default:
		return kind;
	}
}

static void read_block(struct cursor *c, uint64_t n, struct dwarf_value *out)
{
	const uint8_t *p = n <= SIZE_MAX ? cursor_bytes(c, (size_t)n) : NULL;
	out->u = p ? n : 0;
	out->s = str_make((const char *)p, p ? (size_t)n : 0);
}

/* The forms whose size is written before or inside of them. */
static void read_varying(struct cursor *c, struct dwarf_value *out)
{
	switch (out->form) {
	case DW_FORM_block1:
		read_block(c, cursor_u8(c), out);
		break;
	case DW_FORM_block2:
		read_block(c, cursor_u16(c), out);
		break;
	case DW_FORM_block4:
		read_block(c, cursor_u32(c), out);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		read_block(c, dwarf_uleb(c), out);
		break;
	case DW_FORM_string:
		out->s = cursor_cstr(c);
		break;
	case DW_FORM_sdata:
		out->u = (uint64_t)dwarf_sleb(c);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		out->u = dwarf_uleb(c);
		break;
	case DW_FORM_LLVM_addrx_offset:
		out->u = dwarf_uleb(c);
		cursor_skip(c, 4);
		break;
	default:
		cursor_fail(c);
	}
}

void dwarf_value_read(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_spec *spec,
		      struct dwarf_value *out)
{
	*out = (struct dwarf_value){.form = spec->form};
	if (spec->form == DW_FORM_implicit_const) {
		out->u = (uint64_t)spec->implicit;
		return;
	}
	while (out->form == DW_FORM_indirect) {
		uint64_t form = dwarf_uleb(c);
		out->form = form <= UINT16_MAX ? (uint16_t)form : 0;
		/* Its value is in the abbreviation, which knows nothing about it. */
		if (out->form == DW_FORM_implicit_const)
			cursor_fail(c);
	}
	int size = dwarf_form_size(u, out->form);
	if (size < 0)
		read_varying(c, out);
	else if (size == 16)
		read_block(c, 16, out);
	else if (size)
		out->u = dwarf_sized(c, (unsigned)size);
	else
		out->u = out->form == DW_FORM_flag_present;
}

void dwarf_value_skip(const struct dwarf_unit *u, struct cursor *c, const struct dwarf_spec *spec)
{
	int size = dwarf_form_size(u, spec->form);
	struct dwarf_value v;
	if (LIKELY(size >= 0))
		cursor_skip(c, (size_t)size);
	else
		dwarf_value_read(u, c, spec, &v);
}

/* The i-th string of a unit's table of offsets. */
static struct str text_by_index(const struct dwarf_unit *u, uint64_t i)
{
	const struct dwarf_sections *s = &u->data->s;
	if (i > s->str_offsets.n)
		return STR("");
	struct cursor c = dwarf_cursor(s->str_offsets, u->str_offsets_base + i * u->offset_size,
				       s->swap);
	uint64_t at = dwarf_sized(&c, u->offset_size);
	return c.bad ? STR("") : dwarf_text(s->str, at);
}

struct str dwarf_value_text(const struct dwarf_unit *u, const struct dwarf_value *v)
{
	const struct dwarf_data *d = u->data;
	switch (v->form) {
	case DW_FORM_string:
		return str_make(v->s.p, MIN(v->s.n, TEXT_MAX));
	case DW_FORM_strp:
		return dwarf_text(d->s.str, v->u);
	case DW_FORM_line_strp:
		return dwarf_text(d->s.line_str, v->u);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return d->alt ? dwarf_text(d->alt->s.str, v->u) : STR("");
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return text_by_index(u, v->u);
	default:
		return STR("");
	}
}

bool dwarf_unit_address(const struct dwarf_unit *u, uint64_t index, uint64_t *out)
{
	const struct dwarf_unit *home = u->skeleton ? u->skeleton : u;
	const struct dwarf_sections *s = &home->data->s;
	if (index > s->addr.n)
		return false;
	struct cursor c = dwarf_cursor(s->addr, home->addr_base + index * home->address_size,
				       s->swap);
	*out = dwarf_sized(&c, home->address_size);
	return !c.bad;
}

bool dwarf_value_address(const struct dwarf_unit *u, const struct dwarf_value *v, uint64_t *out)
{
	switch (v->form) {
	case DW_FORM_addr:
		*out = v->u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dwarf_unit_address(u, v->u, out);
	default:
		return false;
	}
}

bool dwarf_value_target(const struct dwarf_unit *u, const struct dwarf_value *v,
			struct dwarf_unit **unit, uint64_t *offset)
{
	struct dwarf_data *d = u->data;
	*offset = v->u;
	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*unit = (struct dwarf_unit *)u;
		*offset = u->offset + v->u;
		return v->u < u->end - u->offset && *offset >= u->dies;
	case DW_FORM_ref_addr:
		*unit = dwarf_data_unit_at(d, v->u);
		return *unit;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*unit = d->alt ? dwarf_data_unit_at(d->alt, v->u) : NULL;
		return *unit;
	case DW_FORM_ref_sig8:
		*unit = dwarf_data_type(d, v->u);
		*offset = *unit ? (*unit)->offset + (*unit)->type_die : 0;
		return *unit;
	default:
		return false;
	}
}
