#include "perfdata/tracing.h"

#include "base/cursor.h"

/* u64 size and bytes */
static struct str take_file(struct cursor *c)
{
	uint64_t n = cursor_u64(c);
	if (n > cursor_left(c)) {
		cursor_fail(c);
		return STR("");
	}
	return str_make((const char *)cursor_bytes(c, (size_t)n), (size_t)n);
}

/* A format file has a line "ID: 372". */
static bool format_is(struct str format, uint64_t id)
{
	struct str line;
	uint64_t found;
	while (str_line(&format, &line))
		if (str_starts(line, "ID: "))
			return str_to_u64(str_skip(line, 4), 10, &found) && found == id;
	return false;
}

/* A count and that many format files. */
static bool search_system(struct cursor *c, uint64_t id, struct str *out)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct str format = take_file(c);
		if (!format_is(format, id))
			continue;
		*out = format;
		return true;
	}
	return false;
}

struct str tracing_format(struct str payload, bool swap, uint64_t id)
{
	struct cursor c = cursor_of(payload.p, payload.n, swap);
	struct str found = STR("");
	cursor_skip(&c, 10);   /* 23, 8, 68, "tracing" */
	(void)cursor_cstr(&c); /* version */
	cursor_skip(&c, 6);    /* byte order, size of long, page size */
	(void)cursor_cstr(&c); /* "header_page" */
	(void)take_file(&c);
	(void)cursor_cstr(&c); /* "header_event" */
	(void)take_file(&c);
	if (search_system(&c, id, &found)) /* ftrace's own */
		return found;
	uint32_t systems = cursor_u32(&c);
	for (uint32_t i = 0; i < systems && !c.bad; i++) {
		(void)cursor_cstr(&c); /* its name */
		if (search_system(&c, id, &found))
			return found;
	}
	return STR("");
}

/* "char prev_comm[16]" -> "prev_comm" */
static struct str declared_name(struct str declaration)
{
	struct str rest;
	declaration = str_trim(str_split(declaration, '[', &rest));
	size_t i = declaration.n;
	while (i && declaration.p[i - 1] != ' ' && declaration.p[i - 1] != '*')
		i--;
	return str_skip(declaration, i);
}

void tracing_fields(struct str payload, bool swap, uint64_t id, struct out *o)
{
	struct str format = tracing_format(payload, swap, id), line;
	bool own = false, first = true;
	while (str_line(&format, &line)) {
		struct str text = str_trim(line), declaration;
		if (str_starts(text, "print fmt:"))
			return;
		/* An empty line parts the fields all tracepoints have from its own. */
		if (!str_starts(text, "field:")) {
			own |= !first || !text.n;
			continue;
		}
		if (!own)
			continue;
		declaration = str_split(str_skip(text, 6), ';', &(struct str){0});
		if (!first)
			out_char(o, ',');
		out_str(o, declared_name(declaration));
		first = false;
	}
}
