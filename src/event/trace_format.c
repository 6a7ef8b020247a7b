/*
 * A format file:
 *
 *	name: sched_wakeup
 *	ID: 320
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		…
 *	(an empty line ends the fields that all events have)
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: "comm=%s pid=%d", REC->comm, REC->pid
 */
#include "event/trace_format.h"

#include "base/vec.h"
#include "event/trace_expr.h"

/* No real one comes near; time and memory for one record follow the size of its format. */
#define FORMAT_MAX ((size_t)256 << 10)

static bool contains(struct str s, const char *word)
{
	return memmem(s.p, s.n, word, strlen(word)) != NULL;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Takes the last word off the end. */
static struct str take_last_word(struct str *s)
{
	*s = str_trim(*s);
	size_t n = s->n;
	while (n && is_name(s->p[n - 1]))
		n--;
	struct str word = str_skip(*s, n);
	s->n = n;
	return word;
}

static uint32_t element_size(struct str type)
{
	static const struct {
		const char *name;
		uint32_t size;
	} types[] = {{"u8", 1},  {"u16", 2}, {"u32", 4}, {"u64", 8}, {"s8", 1},
		     {"s16", 2}, {"s32", 4}, {"s64", 8}, {"char", 1}};
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (str_is(type, types[i].name))
			return types[i].size;
	return 0;
}

/* "unsigned short common_type", "char comm[16]", "__data_loc char[] name". */
static bool parse_declaration(struct trace_field *f, struct str decl, uint8_t long_size)
{
	struct str brackets = STR(""), behind = STR(""), type = decl;
	const char *open = memchr(decl.p, '[', decl.n);
	uint32_t dynamic_element = 0;
	if (open) {
		const char *close = memrchr(decl.p, ']', decl.n);
		if (!close || close < open)
			return false;
		brackets = str_make(open + 1, (size_t)(close - open - 1));
		behind = str_trim(str_make(close + 1, decl.n - (size_t)(close + 1 - decl.p)));
		type = str_make(decl.p, (size_t)(open - decl.p));
		f->array = true;
	}
	if (behind.n) {
		f->name = behind;
		struct str words = type;
		dynamic_element = element_size(take_last_word(&words));
	} else {
		f->name = take_last_word(&type);
	}
	if (!f->name.n)
		return false;
	f->pointer = contains(type, "*");
	f->is_long = contains(type, "long");
	f->string = f->array &&
		    (contains(type, "char") || contains(type, "u8") || contains(type, "s8"));
	f->relative = str_starts(type, "__rel_loc");
	f->dynamic = f->relative || str_starts(type, "__data_loc");

	uint64_t count = trace_atom_value(take_last_word(&brackets));
	if (!f->array)
		f->element = f->size;
	else if (count)
		f->element = (uint32_t)(f->size / count);
	else if (f->dynamic)
		f->element = dynamic_element;
	else
		f->element = f->string ? 1 : f->is_long ? long_size : 0;
	return true;
}

/* "field:DECLARATION;\toffset:8;\tsize:16;\tsigned:0;" */
static bool parse_field(struct trace_field *f, struct str line, uint8_t long_size)
{
	struct str decl = STR(""), rest = line;
	*f = (struct trace_field){0};
	while (rest.n) {
		struct str value, part = str_trim(str_split(rest, ';', &rest));
		struct str key = str_split(part, ':', &value);
		value = str_trim(value);
		if (!value.n)
			continue;
		uint64_t number = trace_atom_value(value);
		if (str_is(key, "field") || str_is(key, "field special"))
			decl = value;
		else if (number > UINT16_MAX)
			return false;
		else if (str_is(key, "offset"))
			f->offset = (uint32_t)number;
		else if (str_is(key, "size"))
			f->size = (uint32_t)number;
		else if (str_is(key, "signed"))
			f->is_signed = number != 0;
	}
	return parse_declaration(f, decl, long_size);
}

const struct trace_field *trace_format_field(const struct trace_format *f, struct str name)
{
	for (uint32_t i = 0; i < f->field_count; i++)
		if (str_eq(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

static bool parse_fields(struct trace_format *f, struct str *text, struct arena *arena)
{
	VEC(struct trace_field) fields = {0};
	struct str line, before = *text;
	bool good = true, common = true;
	while (good && str_line(text, &line)) {
		struct str s = str_trim(line);
		if (str_starts(s, "print fmt:")) {
			*text = before;
			break;
		}
		if (str_starts(s, "field")) {
			struct trace_field field;
			good = parse_field(&field, s, f->long_size);
			vec_push(&fields, field);
		} else if (!s.n && common && fields.n) {
			f->first_field = (uint32_t)fields.n;
			common = false;
		}
		before = *text;
	}
	f->field_count = (uint32_t)fields.n;
	f->fields = arena_alloc(arena, fields.n * sizeof *f->fields);
	if (fields.n)
		memcpy(f->fields, fields.v, fields.n * sizeof *f->fields);
	vec_free(&fields);
	return good;
}

bool trace_format_parse(struct trace_format *f, struct str system, struct str text,
			uint8_t long_size, struct arena *arena)
{
	*f = (struct trace_format){.long_size = long_size};
	struct str line, value, name = STR("");
	bool have_id = false;
	if (text.n > FORMAT_MAX)
		return false;
	text = arena_str(arena, text);
	while (str_line(&text, &line)) {
		struct str key = str_split(str_trim(line), ':', &value);
		if (str_is(key, "name")) {
			name = str_trim(value);
		} else if (str_is(key, "ID")) {
			uint64_t id;
			have_id = str_to_u64(str_trim(value), 10, &id) && id <= UINT16_MAX;
			f->id = have_id ? (uint32_t)id : 0;
		} else if (str_is(key, "format")) {
			break;
		}
	}
	if (!have_id || !name.n || !parse_fields(f, &text, arena))
		return false;
	f->name = str_of(
		arena_printf(arena, "%.*s:%.*s", (int)system.n, system.p, (int)name.n, name.p));
	text = str_trim(text);
	if (str_starts(text, "print fmt:"))
		trace_format_compile(f, str_skip(text, strlen("print fmt:")), arena);
	else
		f->failed = true;
	return true;
}
