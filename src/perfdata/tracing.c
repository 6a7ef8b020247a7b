#include "perfdata/tracing.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/mem.h"

struct tracing {
	VEC(struct str) formats;
	struct u64map by_id; /* -> index into formats */
};

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
static bool format_id(struct str format, uint64_t *id)
{
	struct str line;
	while (str_line(&format, &line))
		if (str_starts(line, "ID: "))
			return str_to_u64(str_skip(line, 4), 10, id);
	return false;
}

/* A count and that many format files. */
static void take_system(struct tracing *t, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct str format = take_file(c);
		uint64_t id;
		if (c->bad || !format_id(format, &id))
			continue;
		u64map_put(&t->by_id, id, (uint32_t)t->formats.n);
		vec_push(&t->formats, format);
	}
}

struct tracing *tracing_new(struct str payload, bool swap)
{
	struct tracing *t = mem_zalloc(sizeof *t);
	struct cursor c = cursor_of(payload.p, payload.n, swap);
	cursor_skip(&c, 10);   /* 23, 8, 68, "tracing" */
	(void)cursor_cstr(&c); /* version */
	cursor_skip(&c, 6);    /* byte order, size of long, page size */
	(void)cursor_cstr(&c); /* "header_page" */
	(void)take_file(&c);
	(void)cursor_cstr(&c); /* "header_event" */
	(void)take_file(&c);
	take_system(t, &c); /* ftrace's own */
	uint32_t systems = cursor_u32(&c);
	for (uint32_t i = 0; i < systems && !c.bad; i++) {
		(void)cursor_cstr(&c); /* its name */
		take_system(t, &c);
	}
	return t;
}

void tracing_free(struct tracing *t)
{
	if (!t)
		return;
	vec_free(&t->formats);
	u64map_free(&t->by_id);
	free(t);
}

struct str tracing_format(const struct tracing *t, uint64_t id)
{
	const uint32_t *index = u64map_get(&t->by_id, id);
	return index ? t->formats.v[*index] : STR("");
}

/* "char prev_comm[16]" -> "prev_comm", "__data_loc char[] name" -> "name" */
static struct str declared_name(struct str text)
{
	text = str_trim(text);
	if (str_ends(text, "]"))
		while (text.n && text.p[--text.n] != '[')
			;
	size_t i = text.n;
	while (i && text.p[i - 1] != ' ' && text.p[i - 1] != '*')
		i--;
	return str_skip(text, i);
}

void tracing_fields(const struct tracing *t, uint64_t id, struct out *o)
{
	struct str format = tracing_format(t, id), line, rest;
	bool own = false;
	const char *comma = "";
	while (str_line(&format, &line)) {
		struct str text = str_trim(line);
		if (str_starts(text, "print fmt:"))
			return;
		if (!str_starts(text, "field:")) {
			/* An empty line parts the fields all tracepoints have from its own. */
			own |= !text.n;
			continue;
		}
		if (!own)
			continue;
		out_cstr(o, comma);
		out_str(o, declared_name(str_split(str_skip(text, 6), ';', &rest)));
		comma = ",";
	}
}
