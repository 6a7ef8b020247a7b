/* The TRACING_DATA payload: a header, then format files, each with its size before it. */
#include "event/tracefmt.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"
#include "event/trace_format.h"

struct tracefmt {
	struct arena arena;
	struct trace_context ctx;
	VEC(struct trace_format) formats;
	uint16_t by_id[UINT16_MAX + 1]; /* index + 1 */
};

/* --- reading the payload --------------------------------------------------------------------- */

static void add_format(struct tracefmt *t, struct str system, struct str text, struct diags *d)
{
	struct trace_format f;
	if (!trace_format_parse(&f, system, text, t->ctx.long_size, &t->arena) ||
	    t->formats.n == UINT16_MAX) {
		diag_add(d, DIAG_BAD_FEATURE, 1,
			 "a tracepoint format of %.*s in the recorded tracing data does not parse",
			 (int)MIN(system.n, 64), system.p);
		return;
	}
	if (f.failed)
		diag_add(d, DIAG_NOTE, 1,
			 "the print format of %.*s is not understood, its fields are shown as they "
			 "are",
			 (int)MIN(f.name.n, 128), f.name.p);
	vec_push(&t->formats, f);
	t->by_id[f.id] = (uint16_t)t->formats.n;
}

static struct str read_sized(struct cursor *c, uint64_t size)
{
	const uint8_t *p = size <= SIZE_MAX ? cursor_bytes(c, (size_t)size) : NULL;
	if (!p)
		cursor_fail(c);
	return p ? str_make((const char *)p, (size_t)size) : STR("");
}

static void read_files(struct tracefmt *t, struct cursor *c, struct str system, struct diags *d)
{
	uint32_t count = cursor_u32(c);
	for (uint32_t i = 0; i < count && !c->bad; i++) {
		struct str text = read_sized(c, cursor_u64(c));
		if (!c->bad)
			add_format(t, system, text, d);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = (uint64_t)((const struct trace_choice *)a)->value;
	uint64_t y = (uint64_t)((const struct trace_choice *)b)->value;
	return (x > y) - (x < y);
}

/* One line per text: "0xffffffff81234567 : "text\n"". */
static void read_strings(struct tracefmt *t, struct str text)
{
	VEC(struct trace_choice) list = {0};
	struct str line;
	while (str_line(&text, &line)) {
		struct str rest, address = str_trim(str_split(line, ':', &rest));
		uint64_t addr;
		if (!rest.n || !str_to_u64(address, 16, &addr))
			continue;
		rest = str_skip(rest, 1);
		if (str_starts(rest, "\""))
			rest = str_skip(rest, 1);
		if (str_ends(rest, "\""))
			rest.n--;
		if (str_ends(rest, "\\n"))
			rest.n -= 2;
		vec_push(&list, (struct trace_choice){(int64_t)addr, arena_str(&t->arena, rest)});
	}
	if (list.n) {
		struct trace_choice *sorted = arena_alloc(&t->arena, list.n * sizeof *sorted);
		memcpy(sorted, list.v, list.n * sizeof *sorted);
		qsort(sorted, list.n, sizeof *sorted, by_value);
		t->ctx.strings = sorted;
		t->ctx.string_count = list.n;
	}
	vec_free(&list);
}

static bool read_header(struct tracefmt *t, struct cursor *c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint8_t *p = cursor_bytes(c, sizeof magic - 1);
	if (!p || memcmp(p, magic, sizeof magic - 1) != 0)
		return false;
	(void)cursor_cstr(c); /* version */
	bool big = cursor_u8(c);
	t->ctx.swap = c->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->ctx.long_size = cursor_u8(c);
	(void)cursor_u32(c); /* page size */
	return !c->bad && (t->ctx.long_size == 4 || t->ctx.long_size == 8);
}

/* A name of n bytes with its NUL, then a file. */
static void skip_named(struct cursor *c, const char *name)
{
	const uint8_t *p = cursor_bytes(c, strlen(name) + 1);
	if (!p || memcmp(p, name, strlen(name) + 1) != 0)
		cursor_fail(c);
	(void)read_sized(c, cursor_u64(c));
}

static void read_all(struct tracefmt *t, struct cursor *c, struct diags *d)
{
	skip_named(c, "header_page");
	skip_named(c, "header_event");
	read_files(t, c, STR("ftrace"), d);
	uint32_t systems = cursor_u32(c);
	for (uint32_t i = 0; i < systems && !c->bad; i++) {
		struct str system = cursor_cstr(c);
		read_files(t, c, system, d);
	}
	(void)read_sized(c, cursor_u32(c)); /* kallsyms: the resolver knows better */
	struct str strings = read_sized(c, cursor_u32(c));
	if (!c->bad)
		read_strings(t, strings);
}

struct tracefmt *tracefmt_new(struct str tracing_data, struct diags *d, struct err *err)
{
	struct tracefmt *t = mem_zalloc(sizeof *t);
	struct cursor c = cursor_of(tracing_data.p, tracing_data.n, false);
	if (!read_header(t, &c)) {
		tracefmt_free(t);
		err_set(err, ERR_INPUT,
			"the recorded tracing data does not begin like tracing data");
		return NULL;
	}
	read_all(t, &c, d);
	if (c.bad)
		diag_partial(d, DIAG_BAD_FEATURE,
			     "the recorded tracing data ends early: %zu tracepoint formats read",
			     t->formats.n);
	return t;
}

void tracefmt_free(struct tracefmt *t)
{
	if (!t)
		return;
	vec_free(&t->formats);
	arena_free(&t->arena);
	free(t);
}

/* --- asking ---------------------------------------------------------------------------------- */

void tracefmt_set_resolver(struct tracefmt *t, tracefmt_resolve resolve, void *ctx)
{
	t->ctx.resolve = resolve;
	t->ctx.resolve_ctx = ctx;
}

static const struct trace_format *format_of(const struct tracefmt *t, uint64_t id)
{
	uint16_t i = id <= UINT16_MAX ? t->by_id[id] : 0;
	return i ? &t->formats.v[i - 1] : NULL;
}

bool tracefmt_print(const struct tracefmt *t, struct out *o, const void *raw, size_t size)
{
	struct trace_record r = {&t->ctx, raw, size};
	/* common_type, the first field of every event. */
	const struct trace_format *f = format_of(t, trace_record_number(&r, 0, 2));
	if (!f || size < 2)
		return false;
	trace_print_record(f, &r, o);
	return true;
}

bool tracefmt_number(const struct tracefmt *t, const void *raw, size_t size, const char *field,
		     int64_t *out)
{
	struct trace_record r = {&t->ctx, raw, size};
	const struct trace_format *f = format_of(t, trace_record_number(&r, 0, 2));
	for (uint32_t i = 0; f && size >= 2 && i < f->field_count; i++) {
		const struct trace_field *have = &f->fields[i];
		if (!str_is(have->name, field) || have->array || have->dynamic || have->size > 8 ||
		    have->offset > size || have->size > size - have->offset)
			continue;
		uint64_t v = trace_record_number(&r, have->offset, have->size);
		unsigned unused = 64 - 8 * have->size;
		*out = have->is_signed && have->size ? (int64_t)(v << unused) >> unused
						     : (int64_t)v;
		return true;
	}
	return false;
}

struct str tracefmt_name(const struct tracefmt *t, uint64_t id)
{
	const struct trace_format *f = format_of(t, id);
	return f ? f->name : STR("");
}
