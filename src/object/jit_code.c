#include "object/jit_code.h"

#include <elf.h>
#include <stdlib.h>

#include "object/sort.h"

void jit_table_free(struct jit_table *t)
{
	vec_free(&t->codes);
	vec_free(&t->loads);
	vec_free(&t->lines);
	arena_free(&t->arena);
	strtab_free(&t->files);
	free(t->by_addr);
	free(t->first);
	free(t->owned);
	*t = (struct jit_table){0};
}

const char *jit_name(struct arena *a, struct str name)
{
	name.n = MIN(name.n, (size_t)SYMBOL_NAME_MAX);
	char *copy = arena_alloc(a, name.n + 1);
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		copy[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	copy[name.n] = '\0';
	return copy;
}

/* --- generations ------------------------------------------------------------------------------ */

/* How many codes have been laid over each stretch of addresses so far: a segment tree over all
 * start and end points. What is laid over a stretch is always more than anything there, so a node
 * needs only the largest number below it and the one that holds for all of it. */
struct paint {
	uint64_t *coords;
	size_t leaves; /* a power of two */
	uint32_t *most, *all;
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static size_t coord_index(const struct paint *p, size_t count, uint64_t addr)
{
	const uint64_t *hit = bsearch(&addr, p->coords, count, sizeof addr, compare_u64);
	return (size_t)(hit - p->coords);
}

static uint32_t paint_most(const struct paint *p, size_t node, size_t lo, size_t hi, size_t from,
			   size_t to)
{
	if (from >= hi || to <= lo)
		return 0;
	if (from <= lo && hi <= to)
		return p->most[node];
	size_t mid = lo + (hi - lo) / 2;
	uint32_t a = paint_most(p, 2 * node, lo, mid, from, to);
	uint32_t b = paint_most(p, 2 * node + 1, mid, hi, from, to);
	return MAX(p->all[node], MAX(a, b));
}

static void paint_over(struct paint *p, size_t node, size_t lo, size_t hi, size_t from, size_t to,
		       uint32_t value)
{
	if (from >= hi || to <= lo)
		return;
	p->most[node] = MAX(p->most[node], value);
	if (from <= lo && hi <= to) {
		p->all[node] = value;
		return;
	}
	size_t mid = lo + (hi - lo) / 2;
	paint_over(p, 2 * node, lo, mid, from, to, value);
	paint_over(p, 2 * node + 1, mid, hi, from, to, value);
}

static size_t collect_coords(struct paint *p, const struct jit_table *t)
{
	size_t n = 0, count = 2 * t->codes.n;
	p->coords = mem_calloc(count, sizeof *p->coords);
	for (size_t i = 0; i < t->codes.n; i++) {
		p->coords[2 * i] = t->codes.v[i].addr;
		p->coords[2 * i + 1] = t->codes.v[i].end;
	}
	qsort(p->coords, count, sizeof *p->coords, compare_u64);
	for (size_t i = 0; i < count; i++)
		if (!n || p->coords[n - 1] != p->coords[i])
			p->coords[n++] = p->coords[i];
	return n;
}

static void tell_generations(struct jit_table *t)
{
	struct paint p = {.leaves = 1};
	size_t count = collect_coords(&p, t);
	while (p.leaves < count)
		p.leaves *= 2;
	p.most = mem_calloc(2 * p.leaves, sizeof *p.most);
	p.all = mem_calloc(2 * p.leaves, sizeof *p.all);
	for (size_t i = 0; i < t->codes.n; i++) {
		struct jit_code *c = &t->codes.v[i];
		size_t from = coord_index(&p, count, c->addr), to = coord_index(&p, count, c->end);
		c->generation = paint_most(&p, 1, 0, p.leaves, from, to);
		paint_over(&p, 1, 0, p.leaves, from, to, c->generation + 1);
		t->generations = MAX(t->generations, c->generation + 1);
	}
	free(p.coords);
	free(p.most);
	free(p.all);
}

void jit_table_seal(struct jit_table *t)
{
	size_t n = t->codes.n;
	t->generations = 0;
	if (n)
		tell_generations(t);
	struct sort_key *keys = mem_calloc(n + 1, sizeof *keys);
	t->by_addr = mem_calloc(n + 1, sizeof *t->by_addr);
	t->first = mem_calloc((size_t)t->generations + 1, sizeof *t->first);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){t->codes.v[i].addr, (uint32_t)i};
	sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		keys[i].key = t->codes.v[keys[i].index].generation;
	sort_keys(keys, n); /* stable */
	for (size_t i = n; i-- > 0;) {
		t->by_addr[i] = keys[i].index;
		t->first[keys[i].key] = (uint32_t)i;
	}
	t->first[t->generations] = (uint32_t)n;
	free(keys);
}

/* --- questions -------------------------------------------------------------------------------- */

void jit_table_symbols(const struct jit_table *t, uint32_t generation, struct symtab *out)
{
	*out = (struct symtab){0};
	if (generation >= t->generations)
		return;
	for (size_t i = t->first[generation]; i < t->first[generation + 1]; i++) {
		const struct jit_code *c = &t->codes.v[t->by_addr[i]];
		vec_push(&out->syms, (struct symbol){.start = c->addr,
						     .end = c->end,
						     .name = c->name,
						     .binding = STB_GLOBAL,
						     .type = STT_FUNC});
	}
}

const struct jit_code *jit_table_find(const struct jit_table *t, uint32_t generation, uint64_t addr)
{
	if (generation >= t->generations)
		return NULL;
	size_t begin = t->first[generation], lo = begin, hi = t->first[generation + 1];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->codes.v[t->by_addr[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct jit_code *c = lo > begin ? &t->codes.v[t->by_addr[lo - 1]] : NULL;
	return c && addr < c->end ? c : NULL;
}

static bool take_number(struct str *s, uint32_t *out)
{
	size_t n = s->n;
	uint64_t v;
	while (n && s->p[n - 1] >= '0' && s->p[n - 1] <= '9')
		n--;
	if (n < 2 || s->p[n - 1] != ':' || !str_to_u64(str_skip(*s, n), 10, &v) || !v ||
	    v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	s->n = n - 1;
	return true;
}

bool jit_name_line(struct str name, struct str *file, uint32_t *line, uint32_t *column)
{
	uint32_t last, before;
	*column = 0;
	if (!take_number(&name, &last))
		return false;
	if (take_number(&name, &before)) {
		*line = before;
		*column = last;
	} else {
		*line = last;
	}
	const char *blank = memrchr(name.p, ' ', name.n);
	*file = blank ? str_skip(name, (size_t)(blank + 1 - name.p)) : STR("");
	return file->n > 0;
}

bool jit_code_line(const struct jit_table *t, const struct jit_code *c, uint64_t addr,
		   struct str *file, uint32_t *line, uint32_t *column)
{
	const struct jit_load *l = c->load ? &t->loads.v[c->load - 1] : NULL;
	size_t lo = 0, hi = l ? l->line_count : 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->lines.v[l->line_first + mid].offset <= addr - c->addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return jit_name_line(str_of(c->name), file, line, column);
	const struct jit_line *hit = &t->lines.v[l->line_first + lo - 1];
	*file = str_of(hit->file);
	*line = hit->line;
	*column = hit->column;
	return true;
}

bool jit_code_frames(const struct jit_table *t, const struct jit_code *c, struct jit_frames *out)
{
	const struct jit_load *l = c->load ? &t->loads.v[c->load - 1] : NULL;
	if (!l || !l->eh_frame)
		return false;
	/* Where perf puts it into the file it makes: behind the code, on the next multiple of 8. */
	*out = (struct jit_frames){.eh_frame = l->eh_frame,
				   .size = l->eh_frame_size,
				   .at = c->addr + round_up(l->size, 8)};
	return true;
}
