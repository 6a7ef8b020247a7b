/* Units: their headers, all read in one go, and their first DIEs. */
#include "object/dwarf_code.h"
#include "object/dwarf_const.h"
#include "object/dwarf_data.h"
#include "object/dwarf_spans.h"

void dwarf_data_init(struct dwarf_data *d, const struct dwarf_sections *s, struct dwarf_data *alt)
{
	*d = (struct dwarf_data){.s = *s, .alt = alt};
	pthread_mutex_init(&d->scan_lock, NULL);
	pthread_mutex_init(&d->lock, NULL);
	d->budget[DWARF_WORK_ABBREVS] = (int64_t)(4 * s->abbrev.n + 1);
	d->budget[DWARF_WORK_ROOTS] = (int64_t)(4 * s->abbrev.n + 1);
	d->budget[DWARF_WORK_DIES] = (int64_t)(32 * (s->info.n + s->types.n) + 1);
	d->budget[DWARF_WORK_RANGES] = (int64_t)(8 * (s->ranges.n + s->rnglists.n) + 1);
	d->budget[DWARF_WORK_LINES] = (int64_t)(2 * s->line.n + 1);
}

void dwarf_data_free(struct dwarf_data *d)
{
	for (size_t i = 0; i < d->units.n; i++)
		dwarf_code_free(d->units.v[i].code);
	for (size_t i = 0; i < d->lines.n; i++)
		dwarf_lines_free(d->lines.v[i]);
	vec_free(&d->units);
	vec_free(&d->lines);
	vec_free(&d->abbrevs);
	u64map_free(&d->abbrev_at);
	u64map_free(&d->lines_at);
	u64map_free(&d->types);
	arena_free(&d->arena);
	pthread_mutex_destroy(&d->scan_lock);
	pthread_mutex_destroy(&d->lock);
}

/* Reads the header at *offset and moves *offset behind the unit. False: here the list ends. */
static bool read_header(struct dwarf_data *d, uint64_t *offset, struct dwarf_unit *u)
{
	struct str section = u->in_types ? d->s.types : d->s.info;
	struct cursor c = dwarf_cursor(section, *offset, d->s.swap);
	u->data = d;
	u->offset = *offset;
	uint64_t length = dwarf_initial_length(&c, &u->offset_size);
	if (c.bad || length > cursor_left(&c))
		return false;
	u->end = *offset = (uint64_t)((const char *)c.p - section.p) + length;
	c.end = c.p + length;

	uint16_t version = cursor_u16(&c);
	u->version = (uint8_t)MIN(version, UINT8_MAX);
	uint8_t kind = u->in_types ? DW_UT_type : DW_UT_compile;
	if (u->version >= 5) {
		kind = cursor_u8(&c);
		u->address_size = cursor_u8(&c);
		u->abbrev_offset = dwarf_sized(&c, u->offset_size);
		if (kind != DW_UT_compile && kind != DW_UT_partial)
			u->signature = cursor_u64(&c);
	} else {
		u->abbrev_offset = dwarf_sized(&c, u->offset_size);
		u->address_size = cursor_u8(&c);
		if (u->in_types)
			u->signature = cursor_u64(&c);
	}
	if (kind == DW_UT_type || kind == DW_UT_split_type)
		u->type_die = dwarf_sized(&c, u->offset_size);
	u->dies = (uint64_t)((const char *)c.p - section.p);
	bool sizes = u->address_size == 2 || u->address_size == 4 || u->address_size == 8;
	if (c.bad || u->version < 2 || u->version > 5 || !sizes)
		u->dies = u->end; /* a unit without DIEs */
	return true;
}

/* Takes an attribute of the first DIE that needs no other. */
static void take_root(struct dwarf_unit *u, uint16_t attr, const struct dwarf_value *v)
{
	switch (attr) {
	case DW_AT_stmt_list:
		u->has_lines = true;
		u->lines = v->u;
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->u;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->u;
		break;
	case DW_AT_rnglists_base:
		u->rnglists_base = v->u;
		break;
	case DW_AT_GNU_ranges_base:
		u->gnu_ranges_base = v->u;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		u->has_split = true;
		break;
	case DW_AT_GNU_dwo_id:
		u->signature = v->u;
		break;
	}
}

static void read_root(struct dwarf_unit *u)
{
	struct str section = dwarf_unit_section(u);
	struct cursor c = dwarf_cursor(section, u->dies, u->data->s.swap);
	c.end = (const uint8_t *)section.p + u->end;
	struct dwarf_spec specs[DWARF_ROOT_SPECS];
	struct dwarf_abbrev root;
	const struct dwarf_abbrev *a = &root;
	uint64_t code = dwarf_uleb(&c);
	if (c.bad || !code)
		return;
	if (!dwarf_unit_root_abbrev(u, code, &root, specs)) {
		a = dwarf_abbrevs_find(dwarf_unit_abbrevs(u), code);
		if (!a)
			return;
	}
	u->tag = a->tag;
	struct dwarf_pc pc = {0};
	for (uint32_t i = 0; i < a->count && !c.bad; i++) {
		struct dwarf_value v;
		dwarf_value_read(u, &c, &a->specs[i], &v);
		dwarf_pc_take(&pc, a->specs[i].attr, &v);
		take_root(u, a->specs[i].attr, &v);
	}
	/* Only now are all bases known that these may need. */
	u->has_low = pc.has_low && dwarf_value_address(u, &pc.low, &u->low);
	if (u->has_low && pc.has_high && !dwarf_value_address(u, &pc.high, &u->high))
		u->high = u->low + pc.high.u;
	u->has_ranges = pc.has_ranges;
	u->ranges_form = pc.ranges.form;
	u->ranges = pc.ranges.u;
}

/* Split units do not say where their tables begin: behind the one header there is. */
static void set_implied_bases(struct dwarf_unit *u)
{
	if (u->version < 5)
		return;
	u->str_offsets_base = u->offset_size == 8 ? 16 : 8;
	u->rnglists_base = u->offset_size == 8 ? 20 : 12;
	u->addr_base = u->offset_size == 8 ? 16 : 8;
}

static void scan_section(struct dwarf_data *d, bool types)
{
	uint64_t offset = 0;
	size_t size = types ? d->s.types.n : d->s.info.n;
	while (offset < size) {
		struct dwarf_unit u = {.in_types = types};
		if (!read_header(d, &offset, &u))
			break;
		if (u.dies < u.end) {
			set_implied_bases(&u);
			vec_push(&d->units, u);
		}
	}
}

void dwarf_data_scan(struct dwarf_data *d)
{
	if (atomic_load_explicit(&d->scanned, memory_order_acquire))
		return;
	pthread_mutex_lock(&d->scan_lock);
	if (!d->scanned) {
		scan_section(d, false);
		d->info_units = d->units.n;
		scan_section(d, true);
		atomic_store_explicit(&d->scanned, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->scan_lock);
}

void dwarf_unit_root(struct dwarf_unit *u)
{
	if (LIKELY(atomic_load_explicit(&u->has_root, memory_order_acquire)))
		return;
	pthread_mutex_lock(&u->data->scan_lock);
	if (!u->has_root) {
		read_root(u);
		atomic_store_explicit(&u->has_root, true, memory_order_release);
	}
	pthread_mutex_unlock(&u->data->scan_lock);
}

struct dwarf_unit *dwarf_data_find(struct dwarf_data *d, uint64_t offset)
{
	dwarf_data_scan(d);
	size_t lo = 0, hi = d->info_units;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (d->units.v[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	struct dwarf_unit *u = lo ? &d->units.v[lo - 1] : NULL;
	return u && offset < u->end ? u : NULL;
}

struct dwarf_unit *dwarf_data_unit_at(struct dwarf_data *d, uint64_t offset)
{
	struct dwarf_unit *u = dwarf_data_find(d, offset);
	if (!u || offset < u->dies)
		return NULL;
	dwarf_unit_root(u);
	return u;
}

struct dwarf_unit *dwarf_data_type(struct dwarf_data *d, uint64_t signature)
{
	dwarf_data_scan(d);
	pthread_mutex_lock(&d->lock);
	if (!d->types_read) {
		for (size_t i = 0; i < d->units.n; i++)
			if (d->units.v[i].type_die)
				u64map_put(&d->types, d->units.v[i].signature, (uint32_t)i);
		d->types_read = true;
	}
	uint32_t *at = u64map_get(&d->types, signature);
	struct dwarf_unit *u = at ? &d->units.v[*at] : NULL;
	pthread_mutex_unlock(&d->lock);
	if (!u || u->type_die >= u->end - u->offset)
		return NULL;
	dwarf_unit_root(u);
	return u;
}
