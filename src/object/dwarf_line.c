#include "object/dwarf_line.h"

#include "object/dwarf_const.h"
#include "object/dwarf_name.h"
#include "object/sort.h"

/* Registers of the line machine (those that matter), and where its rows go. */
struct machine {
	const struct dwarf_line_header *h;
	struct dwarf_lines *t;
	struct dwarf_row row;
	uint64_t op_index;
	size_t first;  /* row that began this sequence */
	bool unsorted; /* addresses went backwards in this sequence */
	bool relocatable;
	uint64_t max; /* highest address */
};

static void machine_reset(struct machine *m)
{
	m->row = (struct dwarf_row){.file = 1, .line = 1};
	m->op_index = 0;
	m->first = m->t->rows.n;
	m->unsorted = false;
}

static void machine_advance(struct machine *m, uint64_t operations)
{
	const struct dwarf_line_header *h = m->h;
	if (h->max_ops > 1) {
		uint64_t ops = m->op_index + operations;
		m->row.addr += h->min_inst_length * (ops / h->max_ops);
		m->op_index = ops % h->max_ops;
	} else {
		m->row.addr += h->min_inst_length * operations;
	}
}

/* Of rows at one address the last holds, as for addr2line and llvm-symbolizer; a row that repeats
 * the one before (only its is_stmt differs) says nothing. */
static void machine_emit(struct machine *m)
{
	struct dwarf_row *row = &m->row;
	row->addr &= m->max;
	if (m->t->rows.n > m->first) {
		struct dwarf_row *last = &vec_last(&m->t->rows);
		if (last->addr == row->addr) {
			*last = *row;
			row->discriminator = 0;
			return;
		}
		m->unsorted |= row->addr < last->addr;
		if (last->line == row->line && last->file == row->file &&
		    last->column == row->column && last->discriminator == row->discriminator &&
		    row->addr > last->addr) {
			row->discriminator = 0;
			return;
		}
	}
	vec_push(&m->t->rows, *row);
	row->discriminator = 0;
}

static void sort_rows(struct dwarf_row *rows, size_t n)
{
	struct sort_key *keys = mem_calloc(n, sizeof *keys);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){rows[i].addr, (uint32_t)i};
	sort_keys(keys, n);
	struct dwarf_row *copy = mem_dup(rows, n * sizeof *rows);
	for (size_t i = 0; i < n; i++)
		rows[i] = copy[keys[i].index];
	free(copy);
	free(keys);
}

static void machine_end_sequence(struct machine *m)
{
	struct dwarf_lines *t = m->t;
	size_t count = t->rows.n - m->first;
	if (m->unsorted)
		sort_rows(t->rows.v + m->first, count);
	uint64_t high = m->row.addr & m->max;
	uint64_t low = count ? t->rows.v[m->first].addr : high;
	/* The linker has dropped it, or it holds no byte. */
	bool dead = low >= high || low >= m->max - 1 || (low == 0 && !m->relocatable);
	if (dead)
		t->rows.n = m->first;
	else
		vec_push(&t->sequences, (struct dwarf_sequence){low, high, m->first, count});
	machine_reset(m);
}

static void run_extended(struct machine *m, struct cursor *c, struct str comp_dir)
{
	uint64_t length = dwarf_uleb(c);
	struct cursor op = cursor_sub(c, MIN(length, cursor_left(c)));
	if (!length)
		return;
	switch (cursor_u8(&op)) {
	case DW_LNE_end_sequence:
		machine_end_sequence(m);
		break;
	case DW_LNE_set_address:
		m->row.addr = dwarf_sized(&op, (unsigned)MIN(cursor_left(&op), 8));
		m->op_index = 0;
		break;
	case DW_LNE_define_file:
		dwarf_lines_define_file(m->t, &op, comp_dir);
		break;
	case DW_LNE_set_discriminator:
		m->row.discriminator = (uint32_t)dwarf_uleb(&op);
		break;
	}
}

static void run_standard(struct machine *m, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_LNS_copy:
		machine_emit(m);
		break;
	case DW_LNS_advance_pc:
		machine_advance(m, dwarf_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->row.line += (uint32_t)dwarf_sleb(c);
		break;
	case DW_LNS_set_file:
		m->row.file = (uint32_t)dwarf_uleb(c);
		break;
	case DW_LNS_set_column:
		m->row.column = (uint32_t)dwarf_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		machine_advance(m, (255u - m->h->opcode_base) / m->h->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->row.addr += cursor_u16(c);
		m->op_index = 0;
		break;
	default: /* flags, the ISA, and what may come: numbers that are not needed */
		for (uint8_t i = 0; i < m->h->opcode_lengths[op - 1]; i++)
			(void)dwarf_uleb(c);
	}
}

static void run(struct machine *m, struct cursor c, struct str comp_dir)
{
	const struct dwarf_line_header *h = m->h;
	machine_reset(m);
	while (!c.bad && c.p < c.end) {
		uint8_t op = *c.p++;
		if (op >= h->opcode_base) {
			op -= h->opcode_base;
			machine_advance(m, op / h->line_range);
			m->row.line += (uint32_t)(h->line_base + op % h->line_range);
			machine_emit(m);
		} else if (op) {
			run_standard(m, &c, op);
		} else {
			run_extended(m, &c, comp_dir);
		}
	}
	m->t->rows.n = m->first; /* a sequence without end is none */
}

/* Sorts the sequences and cuts what overlaps, as addr2line does: the one that begins first is
 * whole, of those that begin together the longest. */
static void order_sequences(struct dwarf_lines *t)
{
	size_t n = t->sequences.n, kept = 0;
	if (!n)
		return;
	struct sort_key *keys = mem_calloc(n, sizeof *keys);
	struct dwarf_sequence *old = mem_dup(t->sequences.v, n * sizeof *old);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){~old[i].high, (uint32_t)i};
	sort_keys(keys, n);
	for (size_t i = 0; i < n; i++)
		keys[i].key = old[keys[i].index].low;
	sort_keys(keys, n);
	uint64_t end = 0;
	for (size_t i = 0; i < n; i++) {
		struct dwarf_sequence s = old[keys[i].index];
		if (s.high <= end)
			continue;
		s.low = MAX(s.low, end);
		end = s.high;
		t->sequences.v[kept++] = s;
	}
	t->sequences.n = kept;
	free(old);
	free(keys);
}

static void read_lines(struct dwarf_lines *t, struct dwarf_unit *u)
{
	struct dwarf_line_header h;
	if (!dwarf_line_header_read(u, &h) || !h.line_range || !h.opcode_base)
		return;
	uint64_t size = cursor_left(&h.program) + cursor_left(&h.tables);
	if (!dwarf_data_spend(u->data, DWARF_WORK_LINES, size))
		return;
	struct str comp_dir = dwarf_unit_comp_dir(u);
	dwarf_lines_read_files(t, u, &h, comp_dir);
	struct machine m = {.h = &h,
			    .t = t,
			    .relocatable = u->data->s.relocatable,
			    .max = UINT64_MAX >> (64 - 8 * u->address_size)};
	run(&m, h.program, comp_dir);
	order_sequences(t);
}

const struct dwarf_lines *dwarf_unit_lines(struct dwarf_unit *u)
{
	struct dwarf_data *d = u->data;
	uint64_t key = u->has_lines ? u->lines : UINT64_MAX;
	pthread_mutex_lock(&d->lock);
	uint32_t *at = u64map_get(&d->lines_at, key);
	struct dwarf_lines *t = at ? d->lines.v[*at] : NULL;
	if (!t) {
		t = arena_new(&d->arena, struct dwarf_lines);
		pthread_mutex_init(&t->lock, NULL);
		t->read = !u->has_lines;
		u64map_put(&d->lines_at, key, (uint32_t)d->lines.n);
		vec_push(&d->lines, t);
	}
	pthread_mutex_unlock(&d->lock);
	pthread_mutex_lock(&t->lock);
	if (!t->read)
		read_lines(t, u);
	t->read = true;
	pthread_mutex_unlock(&t->lock);
	return t;
}

void dwarf_lines_free(struct dwarf_lines *t)
{
	vec_free(&t->rows);
	vec_free(&t->sequences);
	vec_free(&t->dirs);
	vec_free(&t->files);
	pthread_mutex_destroy(&t->lock);
}

const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *t, uint64_t addr)
{
	size_t lo = 0, hi = t->sequences.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->sequences.v[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr >= t->sequences.v[lo - 1].high)
		return NULL;
	const struct dwarf_sequence *s = &t->sequences.v[lo - 1];
	lo = s->first, hi = s->first + s->count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->rows.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > s->first ? &t->rows.v[lo - 1] : NULL;
}

const struct dwarf_file *dwarf_lines_file(const struct dwarf_lines *t, uint64_t number)
{
	uint64_t i = number - t->first_file;
	return number >= t->first_file && i < t->files.n ? &t->files.v[i] : NULL;
}
