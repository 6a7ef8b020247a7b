#include "object/dwarf_spans.h"

#include "object/sort.h"

void dwarf_spans_sort(struct dwarf_spans *s)
{
	size_t n = s->list.n;
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = s->list.v[i - 1].low <= s->list.v[i].low;
	if (sorted)
		return;
	struct sort_key *keys = mem_calloc(n, sizeof *keys);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){s->list.v[i].low, (uint32_t)i};
	sort_keys(keys, n);
	struct dwarf_span *v = mem_calloc(n, sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = s->list.v[keys[i].index];
	free(keys);
	free(s->list.v);
	s->list.v = v;
	s->list.cap = n;
}

/* A heap of the spans that are open, highest id on top. Those that have ended stay until they come
 * to the top. */
struct heap {
	VEC(struct dwarf_span) open;
};

static void heap_push(struct heap *h, struct dwarf_span x)
{
	vec_push(&h->open, x);
	size_t i = h->open.n - 1;
	for (; i && h->open.v[(i - 1) / 2].id < x.id; i = (i - 1) / 2)
		h->open.v[i] = h->open.v[(i - 1) / 2];
	h->open.v[i] = x;
}

static void heap_pop(struct heap *h)
{
	struct dwarf_span x = h->open.v[--h->open.n];
	size_t n = h->open.n, i = 0;
	for (size_t c = 1; c < n; c = 2 * i + 1) {
		if (c + 1 < n && h->open.v[c + 1].id > h->open.v[c].id)
			c++;
		if (h->open.v[c].id <= x.id)
			break;
		h->open.v[i] = h->open.v[c];
		i = c;
	}
	if (n)
		h->open.v[i] = x;
}

static void emit(struct dwarf_spans *out, struct dwarf_span x)
{
	struct dwarf_span *last = out->list.n ? &vec_last(&out->list) : NULL;
	if (last && last->high == x.low && last->id == x.id)
		last->high = x.high;
	else
		vec_push(&out->list, x);
}

void dwarf_spans_paint(struct dwarf_spans *s)
{
	dwarf_spans_sort(s);
	size_t n = s->list.n;
	const struct dwarf_span *v = s->list.v;
	bool disjoint = true;
	for (size_t i = 1; i < n && disjoint; i++)
		disjoint = v[i - 1].high <= v[i].low;
	if (disjoint)
		return;

	struct dwarf_spans out = {0};
	struct heap h = {0};
	uint64_t at = 0;
	for (size_t i = 0; i < n || h.open.n;) {
		if (!h.open.n)
			at = v[i].low;
		for (; i < n && v[i].low <= at; i++)
			heap_push(&h, v[i]);
		struct dwarf_span top = h.open.v[0];
		if (top.high <= at) {
			heap_pop(&h);
			continue;
		}
		uint64_t end = i < n ? MIN(top.high, v[i].low) : top.high;
		emit(&out, (struct dwarf_span){at, end, top.id});
		at = end;
	}
	vec_free(&h.open);
	free(s->list.v);
	*s = out;
}

const struct dwarf_span *dwarf_spans_find(const struct dwarf_spans *s, uint64_t addr)
{
	size_t lo = 0, hi = s->list.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (s->list.v[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < s->list.v[lo - 1].high ? &s->list.v[lo - 1] : NULL;
}
