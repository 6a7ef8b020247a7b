#include "object/dwarf_abbrev.h"

#include "object/dwarf_const.h"
#include "object/dwarf_value.h"

static uint16_t narrow(uint64_t v)
{
	return v <= UINT16_MAX ? (uint16_t)v : 0;
}

/* One (attribute, form) pair; false at the end of the list. */
static bool read_spec(struct cursor *c, struct dwarf_spec *out)
{
	uint64_t attr = dwarf_uleb(c), form = dwarf_uleb(c);
	out->attr = narrow(attr);
	out->form = narrow(form);
	out->implicit = out->form == DW_FORM_implicit_const ? dwarf_sleb(c) : 0;
	return !c->bad && (attr || form);
}

/* Code, tag and children; false at the end of the table. */
static bool read_head(struct cursor *c, struct dwarf_abbrev *out)
{
	*out = (struct dwarf_abbrev){.code = dwarf_uleb(c), .sibling = UINT32_MAX};
	if (!out->code)
		return false;
	out->tag = narrow(dwarf_uleb(c));
	out->children = cursor_u8(c);
	return !c->bad;
}

static void add_size(const struct dwarf_unit *u, struct dwarf_abbrev *a, const struct dwarf_spec *s)
{
	if (s->attr == DW_AT_sibling && a->sibling == UINT32_MAX) {
		a->sibling = a->count;
		a->sibling_at = a->size;
	}
	a->has_pc |= s->attr == DW_AT_low_pc || s->attr == DW_AT_ranges;
	int size = dwarf_form_size(u, s->form);
	if (size < 0 || a->size > UINT16_MAX)
		a->size = DWARF_SIZE_VARIES;
	else
		a->size += (uint32_t)size;
	a->count++;
}

/* Passes over (attribute, form) pairs; most numbers are one byte. */
static void skip_specs(struct cursor *c)
{
	const uint8_t *p = c->p, *end = c->end;
	while (end - p >= 2) {
		/* Two bytes below 128, neither of a pair with more to it nor the end. */
		if (LIKELY(p[0] - 1u < 0x7f && p[1] - 1u < 0x7f &&
			   p[1] != DW_FORM_implicit_const)) {
			p += 2;
			continue;
		}
		struct dwarf_spec s;
		c->p = p;
		if (!read_spec(c, &s))
			return;
		p = c->p;
	}
	cursor_fail(c);
}

static bool find_root(const struct dwarf_unit *u, struct cursor *c, uint64_t code,
		      struct dwarf_abbrev *out, struct dwarf_spec specs[DWARF_ROOT_SPECS])
{
	for (; read_head(c, out); skip_specs(c)) {
		if (out->code != code)
			continue;
		struct dwarf_spec s;
		while (read_spec(c, &s)) {
			if (out->count < DWARF_ROOT_SPECS)
				specs[out->count] = s;
			add_size(u, out, &s);
		}
		return !c->bad && out->count <= DWARF_ROOT_SPECS;
	}
	return false;
}

bool dwarf_unit_root_abbrev(const struct dwarf_unit *u, uint64_t code, struct dwarf_abbrev *out,
			    struct dwarf_spec specs[DWARF_ROOT_SPECS])
{
	/* Each table is searched once where units have their own. Where many share one, the budget
	 * ends the searching, and the table is decoded. */
	if (!dwarf_data_spend(u->data, DWARF_WORK_ROOTS, 0))
		return false;
	struct cursor c = dwarf_cursor(u->data->s.abbrev, u->abbrev_offset, u->data->s.swap);
	const uint8_t *start = c.p;
	bool found = find_root(u, &c, code, out, specs);
	out->specs = specs;
	(void)dwarf_data_spend(u->data, DWARF_WORK_ROOTS, (uint64_t)(c.p - start));
	return found;
}

static int by_code(const void *a, const void *b)
{
	const struct dwarf_abbrev *x = a, *y = b;
	return x->code < y->code ? -1 : x->code > y->code;
}

static void decode(const struct dwarf_unit *u, struct dwarf_abbrevs *t, struct arena *arena)
{
	VEC(struct dwarf_abbrev) list = {0};
	VEC(struct dwarf_spec) specs = {0};
	struct cursor c = dwarf_cursor(u->data->s.abbrev, u->abbrev_offset, u->data->s.swap);
	const uint8_t *start = c.p;
	struct dwarf_abbrev a;
	t->dense = true;
	while (read_head(&c, &a)) {
		struct dwarf_spec s;
		while (read_spec(&c, &s)) {
			vec_push(&specs, s);
			add_size(u, &a, &s);
		}
		if (c.bad || a.count > DWARF_SPECS_MAX)
			break;
		t->dense &= a.code == list.n + 1;
		vec_push(&list, a);
	}
	(void)dwarf_data_spend(u->data, DWARF_WORK_ABBREVS, (uint64_t)(c.p - start));
	t->n = list.n;
	t->v = arena_alloc(arena, list.n * sizeof *t->v);
	struct dwarf_spec *kept = arena_alloc(arena, specs.n * sizeof *kept);
	if (specs.n)
		memcpy(kept, specs.v, specs.n * sizeof *kept);
	for (size_t i = 0; i < list.n; i++) {
		t->v[i] = list.v[i];
		t->v[i].specs = kept;
		kept += list.v[i].count;
	}
	if (!t->dense)
		qsort(t->v, t->n, sizeof *t->v, by_code);
	vec_free(&list);
	vec_free(&specs);
}

const struct dwarf_abbrevs *dwarf_unit_abbrevs(struct dwarf_unit *u)
{
	const struct dwarf_abbrevs *known = atomic_load_explicit(&u->abbrevs, memory_order_acquire);
	if (known)
		return known;
	struct dwarf_data *d = u->data;
	/* Sizes of forms depend on these three, so tables are not shared across them. */
	uint64_t key = u->abbrev_offset << 4 | (uint64_t)(u->address_size == 8) << 3 |
		       (uint64_t)(u->address_size == 2) << 2 |
		       (uint64_t)(u->offset_size == 8) << 1 | (u->version == 2);
	pthread_mutex_lock(&d->lock);
	uint32_t *at = u64map_get(&d->abbrev_at, key);
	struct dwarf_abbrevs *t = at ? d->abbrevs.v[*at] : NULL;
	if (!t) {
		t = arena_new(&d->arena, struct dwarf_abbrevs);
		if (dwarf_data_spend(d, DWARF_WORK_ABBREVS, 0))
			decode(u, t, &d->arena);
		u64map_put(&d->abbrev_at, key, (uint32_t)d->abbrevs.n);
		vec_push(&d->abbrevs, t);
	}
	pthread_mutex_unlock(&d->lock);
	atomic_store_explicit(&u->abbrevs, t, memory_order_release);
	return t;
}
