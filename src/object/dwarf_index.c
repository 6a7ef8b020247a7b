#include "object/dwarf_index.h"

#include "object/dwarf_code.h"
#include "object/dwarf_const.h"
#include "object/dwarf_spans.h"

/* The spans that are open at a point of the sweep, at most one per candidate. What does not fit is
 * left out. */
struct open_spans {
	struct dwarf_span v[DWARF_CANDIDATES_MAX];
	unsigned n;
};

static void open_add(struct open_spans *o, struct dwarf_span s)
{
	for (unsigned i = 0; i < o->n; i++) {
		if (o->v[i].id == s.id) {
			o->v[i].high = MAX(o->v[i].high, s.high);
			return;
		}
	}
	if (o->n < DWARF_CANDIDATES_MAX)
		o->v[o->n++] = s;
}

static void open_drop(struct open_spans *o, uint64_t at)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < o->n; i++)
		if (o->v[i].high > at)
			o->v[kept++] = o->v[i];
	o->n = kept;
}

static void add_segment(struct dwarf_index *ix, uint64_t low, uint64_t high,
			const struct open_spans *o)
{
	struct dwarf_segment *last = ix->segments.n ? &vec_last(&ix->segments) : NULL;
	if (last && last->high == low && last->count == 1 && o->n == 1 &&
	    ix->candidates.v[last->first] == o->v[0].id) {
		last->high = high;
		return;
	}
	vec_push(&ix->segments, (struct dwarf_segment){.low = low,
						       .high = high,
						       .first = (uint32_t)ix->candidates.n,
						       .count = o->n});
	for (unsigned i = 0; i < o->n; i++)
		vec_push(&ix->candidates, o->v[i].id);
}

static void build(struct dwarf_index *ix, struct dwarf_spans *s)
{
	struct open_spans open = {.n = 0};
	uint64_t at = 0;
	dwarf_spans_sort(s);
	const struct dwarf_span *v = s->list.v;
	for (size_t i = 0, n = s->list.n; i < n || open.n;) {
		if (!open.n)
			at = v[i].low;
		for (; i < n && v[i].low <= at; i++)
			open_add(&open, v[i]);
		uint64_t end = i < n ? v[i].low : UINT64_MAX;
		for (unsigned k = 0; k < open.n; k++)
			end = MIN(end, open.v[k].high);
		add_segment(ix, at, end, &open);
		at = end;
		open_drop(&open, at);
	}
	vec_free(&s->list);
}

/* One set of .debug_aranges, which lists the code of one unit; false where the section ends or
 * lies. */
static bool read_set(struct cursor *all, struct dwarf_data *d, struct dwarf_spans *out)
{
	uint8_t offset_size;
	const uint8_t *start = all->p;
	uint64_t length = dwarf_initial_length(all, &offset_size);
	if (all->bad || length > cursor_left(all))
		return false;
	struct cursor c = cursor_sub(all, (size_t)length);
	uint16_t version = cursor_u16(&c);
	uint64_t info = dwarf_sized(&c, offset_size);
	uint8_t address_size = cursor_u8(&c), segment_size = cursor_u8(&c);
	struct dwarf_unit *u = dwarf_data_find(d, info);
	if (c.bad || version != 2 || segment_size || !u || u->offset != info || u->type_die ||
	    u->address_size != address_size)
		return true;
	size_t tuple = 2u * address_size, head = (size_t)(c.p - start);
	cursor_skip(&c, (tuple - head % tuple) % tuple);
	uint32_t id = (uint32_t)(u - d->units.v);
	for (;;) {
		uint64_t low = dwarf_sized(&c, address_size);
		uint64_t size = dwarf_sized(&c, address_size);
		if (c.bad || (!low && !size))
			return true;
		dwarf_spans_push(out, u, low, low + size, id);
		u->listed = true;
	}
}

void dwarf_index_build(struct dwarf_index *ix, struct dwarf_data *d)
{
	struct dwarf_spans spans = {0};
	struct cursor c = dwarf_cursor(d->s.aranges, 0, d->s.swap);
	while (cursor_left(&c) && read_set(&c, d, &spans))
		;
	for (size_t i = 0; i < d->info_units; i++) {
		struct dwarf_unit *u = &d->units.v[i];
		if (u->listed || u->type_die)
			continue;
		dwarf_unit_root(u);
		dwarf_spans_add_unit(&spans, u, (uint32_t)i);
	}
	build(ix, &spans);
}

/* A unit that may have code but does not say where. */
static bool silent(const struct dwarf_unit *u)
{
	return !u->listed && (u->tag == DW_TAG_compile_unit || u->tag == DW_TAG_skeleton_unit) &&
	       !(u->has_low && u->high) && !u->has_ranges;
}

void dwarf_index_build_silent(struct dwarf_index *ix, struct dwarf_data *d)
{
	struct dwarf_spans spans = {0};
	for (size_t i = 0; i < d->info_units; i++)
		if (silent(&d->units.v[i]))
			dwarf_unit_function_spans(&d->units.v[i], (uint32_t)i, &spans);
	build(ix, &spans);
}

void dwarf_index_free(struct dwarf_index *ix)
{
	vec_free(&ix->segments);
	vec_free(&ix->candidates);
}

const struct dwarf_segment *dwarf_index_find(const struct dwarf_index *ix, uint64_t addr,
					     size_t *hint)
{
	const struct dwarf_segment *v = ix->segments.v;
	size_t n = ix->segments.n;
	size_t i = *hint;
	if (i + 1 < n && v[i + 1].low <= addr)
		i++;
	if (i >= n || v[i].low > addr || (i + 1 < n && v[i + 1].low <= addr)) {
		size_t lo = 0, hi = n;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;
			if (v[mid].low <= addr)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (!lo)
			return NULL;
		i = lo - 1;
	}
	*hint = i;
	return addr < v[i].high ? &v[i] : NULL;
}
