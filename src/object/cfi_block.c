#include "object/cfi_block.h"

#include <stdlib.h>

static const char magic[8] = "kilncfi";
#define BLOCK_VERSION 1
#define BLOCK_ORDER 0x01020304u /* another machine's number has other bytes */

/* Bytes of each part. */
struct layout {
	uint64_t rows, pages, rules, saves, exprs, end;
};

static struct layout layout_of(const struct cfi_table *t)
{
	struct layout l = {.rows = CFI_HEADER_SIZE};
	l.pages = l.rows + (uint64_t)t->row_count * sizeof *t->rows;
	l.rules = l.pages + round_up(((uint64_t)t->page_count + 1) * sizeof *t->pages, 8);
	l.saves = l.rules + round_up((uint64_t)t->rule_count * sizeof *t->rules, 8);
	l.exprs = l.saves + (uint64_t)t->save_count * sizeof *t->saves;
	l.end = l.exprs + round_up(t->expr_size, 8);
	return l;
}

static void point_into(struct cfi_table *t, const uint8_t *p)
{
	struct layout l = layout_of(t);
	t->rows = (const struct cfi_row *)(const void *)(p + l.rows);
	t->pages = (const uint32_t *)(const void *)(p + l.pages);
	t->rules = (const struct cfi_rule *)(const void *)(p + l.rules);
	t->saves = (const struct cfi_save *)(const void *)(p + l.saves);
	t->exprs = p + l.exprs;
}

/* --- making ----------------------------------------------------------------------------------- */

/* 1 KiB each, or larger when a few functions lie far from each other. */
static void choose_pages(struct cfi_table *t, uint32_t last_pc)
{
	t->page_shift = 10;
	while ((last_pc >> t->page_shift) > (uint64_t)t->row_count + 1024)
		t->page_shift++;
	t->page_count = (last_pc >> t->page_shift) + 1;
}

static void fill_pages(uint32_t *pages, const struct cfi_table *t, const struct cfi_row *rows)
{
	uint32_t row = 0;
	for (uint64_t page = 0; page < t->page_count; page++) {
		while (row < t->row_count && rows[row].pc < page << t->page_shift)
			row++;
		pages[page] = row;
	}
	pages[t->page_count] = t->row_count;
}

void cfi_block_make(struct cfi_table *t, const struct cfi_pool *pool, const struct cfi_rows *rows)
{
	*t = (struct cfi_table){.arch = pool->arch,
				.base = rows->base,
				.row_count = (uint32_t)rows->n,
				.rule_count = (uint32_t)pool->rules.n,
				.save_count = (uint32_t)pool->saves.n,
				.expr_size = (uint32_t)pool->exprs.n};
	choose_pages(t, rows->v[rows->n - 1].pc);
	struct layout l = layout_of(t);
	t->block_size = (size_t)l.end;
	uint8_t *p = mem_zalloc(t->block_size);
	t->block = p;
	memcpy(p + l.rows, rows->v, rows->n * sizeof *rows->v);
	fill_pages((uint32_t *)(void *)(p + l.pages), t, rows->v);
	memcpy(p + l.rules, pool->rules.v, pool->rules.n * sizeof *pool->rules.v);
	if (pool->saves.n)
		memcpy(p + l.saves, pool->saves.v, pool->saves.n * sizeof *pool->saves.v);
	if (pool->exprs.n)
		memcpy(p + l.exprs, pool->exprs.v, pool->exprs.n);
	point_into(t, p);
}

/* --- the header ------------------------------------------------------------------------------- */

struct header {
	char magic[8];
	uint32_t version, order;
	uint64_t checksum, base;
	uint32_t machine, page_shift;
	uint32_t row_count, page_count, rule_count, save_count, expr_size;
	uint8_t id_size, id[BUILD_ID_MAX], unused[7];
	uint64_t size;
};
_Static_assert(sizeof(struct header) == CFI_HEADER_SIZE, "the header's size is part of the format");

/* Over the header, as if it had none, and all that follows. */
static uint64_t checksum(struct header h, const uint8_t *p, size_t n)
{
	h.checksum = 0;
	return hash_words((const uint64_t *)(const void *)p, n / 8, hash_bytes(&h, sizeof h, 0));
}

void cfi_block_header(const struct cfi_table *t, const struct build_id *id,
		      uint8_t out[CFI_HEADER_SIZE])
{
	struct header h = {.version = BLOCK_VERSION,
			   .order = BLOCK_ORDER,
			   .base = t->base,
			   .machine = t->arch->e_machine,
			   .page_shift = t->page_shift,
			   .row_count = t->row_count,
			   .page_count = t->page_count,
			   .rule_count = t->rule_count,
			   .save_count = t->save_count,
			   .expr_size = t->expr_size,
			   .id_size = id->size,
			   .size = t->block_size};
	memcpy(h.magic, magic, sizeof magic);
	memcpy(h.id, id->bytes, BUILD_ID_MAX);
	h.checksum = checksum(h, t->block + sizeof h, t->block_size - sizeof h);
	memcpy(out, &h, sizeof h);
}

struct str cfi_block(struct cfi_table *t, const struct build_id *id)
{
	cfi_block_header(t, id, t->block);
	return str_make((const char *)t->block, t->block_size);
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool good_save(const struct arch *a, const struct cfi_save *s)
{
	return s->reg < a->dwarf.count && s->base < a->dwarf.count && s->how <= CFI_IS_EXPR;
}

static bool good_rule(const struct cfi_table *t, const struct cfi_rule *r)
{
	return r->cfa <= CFI_EXPRESSION && r->reg < t->arch->dwarf.count &&
	       r->first_save <= t->save_count && r->save_count <= t->save_count - r->first_save;
}

/* Rows and pages are checked where they are used: there are too many. */
static bool good_contents(const struct cfi_table *t)
{
	for (uint32_t i = 0; i < t->rule_count; i++)
		if (!good_rule(t, &t->rules[i]))
			return false;
	for (uint32_t i = 0; i < t->save_count; i++)
		if (!good_save(t->arch, &t->saves[i]))
			return false;
	return true;
}

bool cfi_open_block(struct cfi_table *t, const uint8_t *p, size_t n, const struct build_id *id)
{
	struct header h;
	*t = (struct cfi_table){0};
	if (n < sizeof h || ((uintptr_t)p & 7))
		return false;
	memcpy(&h, p, sizeof h);
	struct build_id have = {.size = MIN(h.id_size, BUILD_ID_MAX)};
	memcpy(have.bytes, h.id, have.size);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != BLOCK_VERSION ||
	    h.order != BLOCK_ORDER || h.size != n || !build_id_eq(&have, id) ||
	    h.machine > UINT16_MAX || h.page_shift > 31)
		return false;
	*t = (struct cfi_table){.arch = arch_by_machine((uint16_t)h.machine),
				.base = h.base,
				.page_shift = h.page_shift,
				.row_count = h.row_count,
				.page_count = h.page_count,
				.rule_count = h.rule_count,
				.save_count = h.save_count,
				.expr_size = h.expr_size};
	if (!t->arch || layout_of(t).end != n || !t->row_count || !t->rule_count ||
	    checksum(h, p + sizeof h, n - sizeof h) != h.checksum)
		return false;
	point_into(t, p);
	return good_contents(t);
}

/* --- use -------------------------------------------------------------------------------------- */

void cfi_free(struct cfi_table *t)
{
	free(t->block);
	file_unmap(&t->map);
	*t = (struct cfi_table){0};
}

const struct cfi_rule *cfi_find(const struct cfi_table *t, uint64_t addr)
{
	uint64_t pc = addr - t->base, page = pc >> t->page_shift;
	if (addr < t->base || page >= t->page_count)
		return NULL;
	uint32_t lo = t->pages[page], hi = t->pages[page + 1];
	if (hi > t->row_count || lo > hi)
		return NULL;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (t->rows[mid].pc <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	uint32_t rule = lo ? t->rows[lo - 1].rule : 0;
	return rule && rule < t->rule_count ? &t->rules[rule] : NULL;
}

struct str cfi_expression(const struct cfi_table *t, int32_t value)
{
	if (value < 0 || t->expr_size < 2 || (uint32_t)value > t->expr_size - 2)
		return STR("");
	uint16_t n = load16(t->exprs + value);
	if (n > t->expr_size - 2 - (uint32_t)value)
		return STR("");
	return str_make((const char *)t->exprs + value + 2, n);
}
