#include "object/dwarf_split.h"

#include "object/dwarf_const.h"

#define COLUMNS_MAX 32

/*
 * The index of a package:
 *   version (u32 2 for GNU's, u16 5 and two bytes of nothing for version 5), u32 columns, u32
 * units, u32 slots (a power of two); u64 ids[slots]; u32 rows[slots], counted from 1, 0 for none;
 *   u32 kinds[columns]; u32 offsets[units][columns]; u32 sizes[units][columns]
 */
struct index_head {
	bool gnu;
	uint32_t columns, units, slots;
	uint64_t ids, rows, kinds, offsets, sizes; /* where in the section */
};

static bool read_index_head(const struct dwarf_sections *s, struct index_head *h)
{
	struct cursor c = dwarf_cursor(s->cu_index, 0, s->swap);
	uint16_t version = cursor_u16(&c);
	c = dwarf_cursor(s->cu_index, 0, s->swap);
	uint32_t wide = cursor_u32(&c);
	h->gnu = wide == 2;
	h->columns = cursor_u32(&c);
	h->units = cursor_u32(&c);
	h->slots = cursor_u32(&c);
	h->ids = 16;
	h->rows = h->ids + 8ull * h->slots;
	h->kinds = h->rows + 4ull * h->slots;
	h->offsets = h->kinds + 4ull * h->columns;
	h->sizes = h->offsets + 4ull * h->columns * h->units;
	bool power = h->slots && !(h->slots & (h->slots - 1));
	return !c.bad && (h->gnu || version == 5) && power && h->columns <= COLUMNS_MAX &&
	       h->units <= UINT32_MAX / COLUMNS_MAX &&
	       h->sizes + 4ull * h->columns * h->units <= s->cu_index.n;
}

static uint32_t index_u32(const struct dwarf_sections *s, uint64_t at, uint64_t i)
{
	struct cursor c = dwarf_cursor(s->cu_index, at + 4 * i, s->swap);
	return cursor_u32(&c);
}

/* The row of an id, counted from 0; false when there is none. */
static bool find_row(const struct dwarf_sections *s, const struct index_head *h, uint64_t id,
		     uint32_t *row)
{
	uint32_t mask = h->slots - 1, at = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;
	for (uint32_t i = 0; i < h->slots; i++, at = (at + step) & mask) {
		uint32_t number = index_u32(s, h->rows, at);
		if (!number)
			return false;
		struct cursor c = dwarf_cursor(s->cu_index, h->ids + 8ull * at, s->swap);
		if (cursor_u64(&c) == id) {
			*row = number - 1;
			return number <= h->units;
		}
	}
	return false;
}

static struct str *column_slot(struct dwarf_sections *s, uint32_t kind, bool gnu)
{
	switch (kind) {
	case DW_SECT_INFO:
		return &s->info;
	case DW_SECT_TYPES:
		return gnu ? &s->types : NULL;
	case DW_SECT_ABBREV:
		return &s->abbrev;
	case DW_SECT_LINE:
		return &s->line;
	case DW_SECT_STR_OFFSETS:
		return &s->str_offsets;
	case DW_SECT_RNGLISTS:
		return gnu ? NULL : &s->rnglists;
	default:
		return NULL;
	}
}

bool dwarf_package_pick(const struct dwarf_sections *package, uint64_t id,
			struct dwarf_sections *out)
{
	struct index_head h;
	uint32_t row;
	if (!read_index_head(package, &h) || !find_row(package, &h, id, &row))
		return false;
	*out = (struct dwarf_sections){.str = package->str,
				       .line_str = package->line_str,
				       .alt = package->alt,
				       .swap = package->swap};
	for (uint32_t i = 0; i < h.columns; i++) {
		uint32_t kind = index_u32(package, h.kinds, i);
		struct str *to = column_slot(out, kind, h.gnu);
		struct str *from = column_slot((struct dwarf_sections *)package, kind, h.gnu);
		uint64_t cell = (uint64_t)row * h.columns + i;
		uint32_t offset = index_u32(package, h.offsets, cell);
		uint32_t size = index_u32(package, h.sizes, cell);
		if (!to || offset > from->n || size > from->n - offset)
			continue;
		*to = str_make(from->p + offset, size);
	}
	return true;
}

struct dwarf_unit *dwarf_data_split_unit(struct dwarf_data *d, struct dwarf_unit *skeleton)
{
	dwarf_data_scan(d);
	struct dwarf_unit *found = NULL;
	for (size_t i = 0; i < d->info_units; i++) {
		struct dwarf_unit *u = &d->units.v[i];
		if (u->type_die)
			continue;
		u->skeleton = skeleton;
		dwarf_unit_root(u);
		if (u->signature == skeleton->signature &&
		    u->address_size == skeleton->address_size)
			found = u;
	}
	return found;
}
