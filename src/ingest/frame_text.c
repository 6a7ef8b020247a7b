#include "ingest/frame_text.h"

#include "ingest/event_text.h"

/* Straight into the buffer: most of the output is frames. `p` has room. */
static char *put_padded_hex(char *p, uint64_t v)
{
	memset(p, ' ', 16);
	size_t i = 16;
	do {
		p[--i] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return p + 16;
}

static char *put_str(char *p, struct str s)
{
	memcpy(p, s.p, s.n);
	return p + s.n;
}

void frame_text_hex(struct out *o, uint64_t v)
{
	(void)put_padded_hex(out_room(o, 16), v);
	o->n += 16;
}

static struct str frame_dso(const struct profile *prof, const struct profile_frame *f)
{
	return f->object.v ? profile_str(prof, prof->objects.v[f->object.v].path)
			   : STR("[unknown]");
}

/* " sym+0xoff (dso)" with the parts that are wanted. */
static char *put_place(char *p, const struct profile *prof, const struct profile_frame *f,
		       struct str name, struct str dso, uint32_t fields)
{
	if (fields & TEXT_SYM) {
		*p++ = ' ';
		p = put_str(p, name);
		const struct profile_func *func = &prof->funcs.v[f->func.v];
		if ((fields & TEXT_SYMOFF) && f->func.v && !func->clones) {
			p = put_str(p, STR("+0x"));
			p += format_hex(p, f->addr - func->start);
		}
	}
	if (fields & TEXT_DSO) {
		p = put_str(p, STR(" ("));
		p = put_str(p, dso);
		*p++ = ')';
	}
	return p;
}

/* perf's texts where a line is not known. It says nothing for an address in no object, and "??:0"
 * only in stacks that it has unwound itself. */
static void print_line(struct out *o, const struct profile *prof, const struct profile_frame *f,
		       uint32_t fields)
{
	bool unwound = (fields & TEXT_NO_LINE) && f->kind == CODE_USER;
	if (!f->object.v || (!unwound && str_is(profile_str(prof, f->srcline), "??:0")))
		return;
	out_cstr(o, "\n  ");
	if (f->srcline.v) {
		out_str(o, profile_str(prof, f->srcline));
		return;
	}
	out_str(o, profile_str(prof, prof->objects.v[f->object.v].name));
	out_fmt(o, "[%" PRIx64 "]", f->addr);
}

void frame_text(struct out *o, const struct profile *p, frame_id id, uint64_t ip, uint32_t fields)
{
	frame_text_hex(o, ip);
	frame_text_place(o, p, id, fields);
	if (fields & TEXT_SRCLINE)
		print_line(o, p, profile_frame_at(p, id), fields);
}

void frame_text_line(struct out *o, const struct profile *prof, frame_id id, uint64_t ip,
		     uint32_t fields)
{
	if (UNLIKELY(fields & TEXT_SRCLINE)) {
		out_char(o, '\t');
		frame_text(o, prof, id, ip, fields);
		out_char(o, '\n');
		return;
	}
	const struct profile_frame *f = profile_frame_at(prof, id);
	struct str name = profile_frame_name(prof, id);
	struct str dso = frame_dso(prof, f);
	char *start = out_room(o, 64 + name.n + dso.n), *p = start;
	*p++ = '\t';
	p = put_padded_hex(p, ip);
	p = put_place(p, prof, f, name, dso, fields);
	*p++ = '\n';
	o->n += (size_t)(p - start);
}

void frame_text_inlined(struct out *o, const struct profile *p, frame_id id,
			const struct profile_frame *own, uint32_t fields)
{
	const struct profile_frame *f = profile_frame_at(p, id);
	if (!(f->flags & FRAME_INLINED)) {
		frame_text_line(o, p, id, own->addr, fields);
		return;
	}
	out_char(o, '\t');
	frame_text_hex(o, own->addr);
	if (fields & TEXT_SYM) {
		out_char(o, ' ');
		out_str(o, profile_frame_name(p, id));
		const struct profile_func *func = &p->funcs.v[own->func.v];
		if ((fields & TEXT_SYMOFF) && own->func.v && !func->clones)
			out_fmt(o, "+0x%" PRIx64, own->addr - func->start);
	}
	if (fields & TEXT_SRCLINE)
		print_line(o, p, f, fields);
	out_cstr(o, " (inlined)\n");
}

void frame_text_place(struct out *o, const struct profile *p, frame_id id, uint32_t fields)
{
	const struct profile_frame *f = profile_frame_at(p, id);
	struct str name = profile_frame_name(p, id), dso = frame_dso(p, f);
	char *start = out_room(o, 64 + name.n + dso.n);
	o->n += (size_t)(put_place(start, p, f, name, dso, fields) - start);
}
