#include "capture/emit.h"

#include <sys/uio.h>

#include "capture/embed.h"
#include "perfdata/record.h"
#include "perfdata/writer.h"

#define FLUSH_AT (256 << 10)
#define HEADER_BYTES 8

void emit_open(struct emitter *e, struct perfdata_writer *w, size_t trailer, struct err *err)
{
	*e = (struct emitter){.writer = w, .trailer = trailer, .err = err};
	out_memory(&e->buf);
}

static void flush(struct emitter *e)
{
	struct iovec iov = {.iov_base = e->buf.buf, .iov_len = e->buf.n};
	if (e->lock)
		pthread_mutex_lock(e->lock);
	if (e->to)
		out_bytes(e->to, e->buf.buf, e->buf.n);
	else if (e->buf.n && !e->failed)
		e->failed = !perfdata_write(e->writer, &iov, 1, e->err);
	if (e->lock)
		pthread_mutex_unlock(e->lock);
	e->buf.n = 0;
}

bool emit_close(struct emitter *e)
{
	flush(e);
	(void)out_finish(&e->buf);
	return !e->failed;
}

static void emit_zeros(struct emitter *e, size_t n)
{
	memset(out_room(&e->buf, n), 0, n);
	e->buf.n += n;
}

void emit_begin(struct emitter *e, uint32_t type, uint16_t misc)
{
	e->record_at = e->buf.n;
	emit_u32(e, type);
	emit_u16(e, misc);
	emit_u16(e, 0);
}

static void show(struct emitter *e, size_t size)
{
	const uint8_t *p = (const uint8_t *)e->buf.buf + e->record_at;
	struct record r = {.type = load32(p),
			   .misc = load16(p + 4),
			   .size = (uint16_t)size,
			   .body = p + HEADER_BYTES,
			   .body_size = size - HEADER_BYTES};
	embed_see(e->embed, &r);
}

static void finish(struct emitter *e, size_t trailer)
{
	size_t size = e->buf.n - e->record_at;
	emit_zeros(e, (size_t)round_up(size, 8) - size + trailer);
	size = e->buf.n - e->record_at;
	if (size > UINT16_MAX) {
		e->buf.n = e->record_at;
		return;
	}
	uint16_t size16 = (uint16_t)size;
	memcpy(e->buf.buf + e->record_at + HEADER_BYTES - sizeof size16, &size16, sizeof size16);
	if (e->embed)
		show(e, size);
	if (e->buf.n >= FLUSH_AT)
		flush(e);
}

void emit_end(struct emitter *e)
{
	finish(e, e->trailer);
}

void emit_end_bare(struct emitter *e)
{
	finish(e, 0);
}
