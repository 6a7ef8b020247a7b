#include "perfdata/embedded.h"

#include "perfdata/emit.h"

#define VERSION 1
#define RECORD_MAX 60000 /* a record's size has 16 bits */
#define SYMBOL_MIN 18    /* bytes, without the name */

void embedded_writer_init(struct embedded_writer *w, uint64_t event)
{
	*w = (struct embedded_writer){.event = event};
	out_memory(&w->out);
}

void embedded_writer_free(struct embedded_writer *w)
{
	(void)out_finish(&w->out);
}

void embedded_begin(struct embedded_writer *w, const struct embedded_object *o)
{
	w->object = *o;
}

void embedded_open(struct embedded_writer *w)
{
	const struct embedded_object *o = &w->object;
	w->record_at = w->out.n;
	w->open = true;
	put_record_header(&w->out, RECORD_EVENT_UPDATE, 0, 0);
	put_u64(&w->out, UPDATE_SYMBOLS);
	put_u64(&w->out, w->event);
	put_u32(&w->out, VERSION);
	put_u32(&w->out, o->kind);
	put_u32(&w->out, o->flags);
	put_u32(&w->out, (uint32_t)o->pid);
	put_u32(&w->out, o->build_id.size);
	out_bytes(&w->out, o->build_id.bytes, BUILD_ID_MAX);
	out_str(&w->out, o->path);
	out_char(&w->out, '\0');
}

void embedded_end(struct embedded_writer *w)
{
	if (!w->open)
		return;
	size_t size = w->out.n - w->record_at;
	put_zeros(&w->out, (size_t)round_up(size, 8) - size);
	uint16_t padded = (uint16_t)(w->out.n - w->record_at);
	memcpy(w->out.buf + w->record_at + 6, &padded, sizeof padded);
	w->open = false;
}

void embedded_add(struct embedded_writer *w, const struct embedded_symbol *s)
{
	size_t size = SYMBOL_MIN + s->name.n + 1;
	if (w->object.path.n + size + 128 > RECORD_MAX)
		return; /* a name longer than any compiler makes */
	if (w->open && w->out.n - w->record_at + size > RECORD_MAX)
		embedded_end(w);
	if (!w->open)
		embedded_open(w);
	put_u64(&w->out, s->start);
	put_u64(&w->out, s->end);
	out_char(&w->out, (char)s->binding);
	out_char(&w->out, (char)s->type);
	out_str(&w->out, s->name);
	out_char(&w->out, '\0');
}

bool embedded_object(struct cursor *c, struct embedded_object *out)
{
	uint32_t version = cursor_u32(c), kind = cursor_u32(c);
	*out = (struct embedded_object){.kind = (enum embedded_kind)kind, .flags = cursor_u32(c)};
	out->pid = (int32_t)cursor_u32(c);
	uint32_t size = cursor_u32(c);
	const uint8_t *id = cursor_bytes(c, BUILD_ID_MAX);
	out->path = cursor_cstr(c);
	if (c->bad || version != VERSION || kind > EMBEDDED_CFI || size > BUILD_ID_MAX)
		return false;
	out->build_id.size = (uint8_t)size;
	memcpy(out->build_id.bytes, id, size);
	return true;
}

bool embedded_symbol(struct cursor *c, struct embedded_symbol *out)
{
	if (cursor_left(c) <= SYMBOL_MIN)
		return false;
	out->start = cursor_u64(c);
	out->end = cursor_u64(c);
	out->binding = cursor_u8(c);
	out->type = cursor_u8(c);
	out->name = cursor_cstr(c);
	return !c->bad && out->name.n && out->end > out->start;
}
