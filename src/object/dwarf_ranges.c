/* Range lists: .debug_ranges of versions 2 to 4, .debug_rnglists of version 5. */
#include "object/dwarf_const.h"
#include "object/dwarf_spans.h"

static const struct dwarf_unit *home_of(const struct dwarf_unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

static uint64_t address_max(const struct dwarf_unit *u)
{
	return UINT64_MAX >> (64 - 8 * u->address_size);
}

void dwarf_spans_push(struct dwarf_spans *s, const struct dwarf_unit *u, uint64_t low,
		      uint64_t high, uint32_t id)
{
	/* Linkers put 0, -1 or (in lists, where -1 means something else) -2 for what they drop. */
	if (low >= high || low >= address_max(u) - 1)
		return;
	if (low == 0 && !home_of(u)->data->s.relocatable)
		return;
	vec_push(&s->list, (struct dwarf_span){low, high, id});
}

static void add_ranges(struct dwarf_spans *s, const struct dwarf_unit *u, struct cursor *c,
		       uint32_t id)
{
	uint64_t max = address_max(u), base = home_of(u)->low;
	for (;;) {
		uint64_t from = dwarf_sized(c, u->address_size);
		uint64_t to = dwarf_sized(c, u->address_size);
		if (c->bad || (!from && !to))
			return;
		if (from == max)
			base = to;
		else if (from < max - 1 && base < max - 1)
			dwarf_spans_push(s, u, (base + from) & max, (base + to) & max, id);
	}
}

/* Dead entries may be spelled as an index that is out of range: then only this one is dropped. */
static void add_rnglist(struct dwarf_spans *s, const struct dwarf_unit *u, struct cursor *c,
			uint32_t id)
{
	uint64_t max = address_max(u), base = home_of(u)->low;
	while (!c->bad) {
		uint64_t from = 0, to = 0;
		bool known = true, pair = false;
		switch (cursor_u8(c)) {
		case DW_RLE_base_addressx:
			if (!dwarf_unit_address(u, dwarf_uleb(c), &base))
				base = max;
			continue;
		case DW_RLE_base_address:
			base = dwarf_sized(c, u->address_size);
			continue;
		case DW_RLE_startx_endx:
			known = dwarf_unit_address(u, dwarf_uleb(c), &from);
			known &= dwarf_unit_address(u, dwarf_uleb(c), &to);
			break;
		case DW_RLE_startx_length:
			known = dwarf_unit_address(u, dwarf_uleb(c), &from);
			to = from + dwarf_uleb(c);
			break;
		case DW_RLE_offset_pair:
			from = base + dwarf_uleb(c);
			to = base + dwarf_uleb(c);
			pair = true;
			break;
		case DW_RLE_start_end:
			from = dwarf_sized(c, u->address_size);
			to = dwarf_sized(c, u->address_size);
			break;
		case DW_RLE_start_length:
			from = dwarf_sized(c, u->address_size);
			to = from + dwarf_uleb(c);
			break;
		default: /* the end, or an entry we do not know */
			return;
		}
		if (!c->bad && known && !(pair && base >= max - 1))
			dwarf_spans_push(s, u, from & max, to & max, id);
	}
}

/* Where in .debug_rnglists a list begins. */
static bool rnglist_offset(const struct dwarf_unit *u, uint16_t form, uint64_t value, uint64_t *out)
{
	*out = value;
	if (form != DW_FORM_rnglistx)
		return true;
	const struct dwarf_sections *s = &u->data->s;
	if (value > s->rnglists.n)
		return false;
	struct cursor c = dwarf_cursor(s->rnglists, u->rnglists_base + value * u->offset_size,
				       s->swap);
	*out = u->rnglists_base + dwarf_sized(&c, u->offset_size);
	return !c.bad;
}

void dwarf_spans_add_list(struct dwarf_spans *s, const struct dwarf_unit *u, uint16_t form,
			  uint64_t value, uint32_t id)
{
	const struct dwarf_unit *home = u->version < 5 ? home_of(u) : u;
	uint64_t offset = value;
	struct cursor c;
	if (!dwarf_data_spend(home->data, DWARF_WORK_RANGES, 0))
		return;
	if (u->version >= 5) {
		if (!rnglist_offset(u, form, value, &offset))
			return;
		c = dwarf_cursor(u->data->s.rnglists, offset, u->data->s.swap);
	} else {
		offset += u->skeleton ? home->gnu_ranges_base : 0;
		c = dwarf_cursor(home->data->s.ranges, offset, home->data->s.swap);
	}
	const uint8_t *start = c.p;
	if (u->version >= 5)
		add_rnglist(s, u, &c, id);
	else
		add_ranges(s, u, &c, id);
	(void)dwarf_data_spend(home->data, DWARF_WORK_RANGES, (uint64_t)(c.p - start));
}

void dwarf_spans_add(struct dwarf_spans *s, const struct dwarf_unit *u, const struct dwarf_pc *pc,
		     uint32_t id)
{
	uint64_t low, high;
	if (pc->has_low && pc->has_high && dwarf_value_address(u, &pc->low, &low)) {
		if (!dwarf_value_address(u, &pc->high, &high))
			high = low + pc->high.u;
		dwarf_spans_push(s, u, low, high, id);
	} else if (pc->has_ranges) {
		dwarf_spans_add_list(s, u, pc->ranges.form, pc->ranges.u, id);
	}
}

void dwarf_spans_add_unit(struct dwarf_spans *s, const struct dwarf_unit *u, uint32_t id)
{
	if (u->has_low && u->high)
		dwarf_spans_push(s, u, u->low, u->high, id);
	else if (u->has_ranges)
		dwarf_spans_add_list(s, u, u->ranges_form, u->ranges, id);
}
