/*
 * jitdump: the binary file in which a JIT compiler tells what it made where and when, with the code
 * itself, its source lines and how to unwind it (perf's jitdump-specification.txt).
 *
 * What real writers do beyond the text: e_machine 0 (CPython), a tid that is part of a pointer and
 * lines of number 0 in a file without name (Erlang), file names whose first bytes are garbage with
 * NULs (V8), so that a row of lines cannot simply be walked.
 */
#include "base/cursor.h"
#include "object/jit_code.h"

#define MAGIC 0x4a695444u /* "JiTD" */
#define HEADER_MIN 40
#define PREFIX 16
#define FLAG_TSC 1u

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct reader {
	struct jit_table *t;
	struct u64map by_index;      /* code_index -> index in codes of its latest place */
	struct cursor debug, unwind; /* bodies that belong to the next LOAD */
	uint64_t bad;
};

static bool is_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((uint8_t)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	return s.n > 0;
}

/* V8 counts from 0x40 bytes before the code: where perf once put it in a file of its own. */
#define V8_SHIFT 0x40

static bool is_v8(struct str name)
{
	static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_starts(name, kinds[i]))
			return true;
	return false;
}

/* Whether the next line can begin here: its address lies in the code, behind the last one. */
static bool line_follows(struct cursor c, const struct jit_load *l, uint64_t last)
{
	uint64_t at = cursor_u64(&c) - l->addr;
	return !c.bad && at >= last && at <= l->size + V8_SHIFT;
}

/* The name that ends a line. Of V8's the first bytes may be garbage with NULs among it; then the
 * next line is looked for, and the name is not one. */
static struct str line_file(struct cursor *c, const struct jit_load *l, uint64_t last, bool is_last)
{
	struct str name = cursor_cstr(c);
	bool whole = is_last || line_follows(*c, l, last);
	for (size_t n = 0; !whole && !c->bad && n < 4096; n++) {
		(void)cursor_cstr(c);
		whole = !c->bad && line_follows(*c, l, last);
		name = STR("");
	}
	return name;
}

/* The lines of the record before this LOAD. */
static void take_lines(struct reader *r, struct jit_load *l, const char *name)
{
	struct jit_table *t = r->t;
	struct cursor c = r->debug;
	struct str file = STR(""), own = STR("");
	uint64_t addr = cursor_u64(&c), count = cursor_u64(&c), at = 0;
	uint32_t unused[2];
	uint64_t shift = is_v8(str_of(name)) && line_follows(c, l, V8_SHIFT) ? V8_SHIFT : 0;
	l->line_first = (uint32_t)t->lines.n;
	if (c.bad || addr != l->addr)
		return;
	(void)!jit_name_line(str_of(name), &own, &unused[0], &unused[1]);
	for (uint64_t i = 0; i < count && line_follows(c, l, at); i++) {
		at = cursor_u64(&c) - addr;
		uint32_t line = cursor_u32(&c), column = cursor_u32(&c);
		struct str told = line_file(&c, l, at, i + 1 == count);
		if (!(told.n == 1 && (uint8_t)told.p[0] == 0xff)) /* else: as the one before */
			file = is_text(told) ? told : own;
		if (!line || line > INT32_MAX || !file.n)
			continue;
		struct str kept = strtab_get(&t->files, strtab_intern(&t->files, file));
		vec_push(&t->lines, (struct jit_line){at - shift, line, column, kept.p});
		l->line_count++;
	}
}

/* The section comes first and its search table behind it, as perf takes it and V8 and CPython write
 * it, though the specification has it the other way round: the table begins with its version, 1, a
 * section with the length of its first entry. */
static void take_frames(struct reader *r, struct jit_load *l)
{
	struct cursor c = r->unwind;
	uint64_t size = cursor_u64(&c), table = cursor_u64(&c);
	(void)cursor_u64(&c); /* bytes that were mapped */
	const uint8_t *p = c.bad || size > cursor_left(&c) ? NULL : cursor_bytes(&c, size);
	if (!p || table >= size)
		return;
	bool table_first = table >= 4 && p[0] == 1 && p[size - table] != 1;
	l->eh_frame = table_first ? p + table : p;
	l->eh_frame_size = size - table;
}

static void add_code(struct reader *r, uint64_t addr, uint64_t size, uint64_t time,
		     const char *name, uint32_t load, uint64_t index)
{
	uint64_t end;
	if (!size || __builtin_add_overflow(addr, size, &end) || r->t->codes.n >= UINT32_MAX / 4)
		return;
	u64map_put(&r->by_index, index, (uint32_t)r->t->codes.n);
	vec_push(&r->t->codes,
		 (struct jit_code){
			 .addr = addr, .end = end, .time = time, .name = name, .load = load});
}

static bool take_load(struct reader *r, struct cursor *c, uint64_t time)
{
	cursor_skip(c, 8 + 8); /* pid and tid, vma */
	uint64_t addr = cursor_u64(c), size = cursor_u64(c), index = cursor_u64(c);
	/* The code ends the record; what lies before it is the name. */
	if (c->bad || size > cursor_left(c))
		return false;
	struct str name = cursor_text(c, cursor_left(c) - size);
	struct jit_load load = {.addr = addr, .bytes = c->p, .size = size};
	const char *shown = jit_name(&r->t->arena, name);
	take_lines(r, &load, shown);
	take_frames(r, &load);
	vec_push(&r->t->loads, load);
	add_code(r, addr, size, time, shown, (uint32_t)r->t->loads.n, index);
	return true;
}

static bool take_move(struct reader *r, struct cursor *c, uint64_t time)
{
	cursor_skip(c, 8 + 8 + 8); /* pid and tid, vma, where it was */
	uint64_t addr = cursor_u64(c), size = cursor_u64(c), index = cursor_u64(c);
	const uint32_t *known = c->bad ? NULL : u64map_get(&r->by_index, index);
	if (!known)
		return false;
	struct jit_code old = r->t->codes.v[*known];
	add_code(r, addr, MIN(size, old.end - old.addr), time, old.name, old.load, index);
	return true;
}

static bool take_record(struct reader *r, uint32_t id, struct cursor *c, uint64_t time)
{
	bool ok = true;
	switch (id) {
	case CODE_LOAD:
		ok = take_load(r, c, time);
		r->debug = r->unwind = (struct cursor){0};
		break;
	case CODE_MOVE:
		ok = take_move(r, c, time);
		break;
	case CODE_DEBUG_INFO:
		r->debug = *c;
		break;
	case CODE_UNWINDING_INFO:
		r->unwind = *c;
		break;
	default: /* the end, and what newer writers may add */
		break;
	}
	return ok;
}

static bool take_header(struct jit_table *t, struct cursor *c, const char *name, struct err *err)
{
	const uint8_t *begin = c->p;
	uint32_t magic = cursor_u32(c);
	c->swap = magic == swap32(MAGIC);
	uint32_t version = cursor_u32(c), size = cursor_u32(c);
	t->machine = cursor_u32(c);
	(void)cursor_u32(c);
	t->pid = cursor_u32(c);
	(void)cursor_u64(c); /* when it was begun, by one clock or another */
	t->tsc_time = cursor_u64(c) & FLAG_TSC;
	if (c->bad || (magic != MAGIC && !c->swap) || size < HEADER_MIN)
		return err_set(err, ERR_INPUT, "%s is not a jitdump", name);
	if (version != 1)
		return err_set(err, ERR_INPUT, "%s is a jitdump of version %u, not 1", name,
			       version);
	c->p = begin;
	cursor_skip(c, size);
	return true;
}

bool jit_table_read_dump(struct jit_table *t, const void *bytes, size_t n, const char *name,
			 struct diags *d, struct err *err)
{
	struct cursor c = cursor_of(bytes, n, false);
	struct reader r = {.t = t};
	if (!take_header(t, &c, name, err))
		return false;
	while (cursor_left(&c) >= PREFIX) {
		uint32_t id = cursor_u32(&c), size = cursor_u32(&c);
		uint64_t time = cursor_u64(&c);
		if (size < PREFIX) {
			r.bad++;
			break;
		}
		/* Half a record at the end: it is still being written, or was never finished. */
		if (size - PREFIX > cursor_left(&c))
			break;
		struct cursor body = cursor_sub(&c, size - PREFIX);
		r.bad += !take_record(&r, id, &body, time);
	}
	if (r.bad)
		diag_add(d, DIAG_BAD_MAP_FILE, r.bad, "%s: damaged records, skipped", name);
	u64map_free(&r.by_index);
	return true;
}
