#include "perfdata/blob.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "perfdata/emit.h"

#define PIECE_MAX 48000 /* a record's size has 16 bits, and paths are long */
#define LEVEL 3
#define RATIO_MAX 8192 /* beyond this it is a bomb */

bool blob_write(struct embedded_writer *w, const struct embedded_object *o,
		const struct blob_piece *head, struct str file)
{
	size_t room = ZSTD_compressBound(file.n);
	char *packed = mem_alloc(room);
	size_t n = ZSTD_compress(packed, room, file.p, file.n, LEVEL);
	bool ok = !ZSTD_isError(n) && o->path.n < UINT16_MAX - PIECE_MAX - 512;
	embedded_begin(w, o);
	for (size_t at = 0; ok && at < n; at += PIECE_MAX) {
		size_t size = MIN(n - at, (size_t)PIECE_MAX);
		embedded_open(w);
		put_u32(&w->out, head->number);
		put_u32(&w->out, 0);
		put_u64(&w->out, head->since);
		for (int i = 0; i < 2; i++) {
			put_u64(&w->out, head->clock.monotonic[i]);
			put_u64(&w->out, head->clock.recording[i]);
		}
		put_u64(&w->out, file.n);
		put_u64(&w->out, n);
		put_u64(&w->out, at);
		put_u64(&w->out, size);
		out_bytes(&w->out, packed + at, size);
		embedded_end(w);
	}
	free(packed);
	return ok;
}

bool blob_read(struct cursor *c, struct blob_piece *out)
{
	*out = (struct blob_piece){.number = cursor_u32(c)};
	(void)cursor_u32(c);
	out->since = cursor_u64(c);
	for (int i = 0; i < 2; i++) {
		out->clock.monotonic[i] = cursor_u64(c);
		out->clock.recording[i] = cursor_u64(c);
	}
	out->whole = cursor_u64(c);
	out->packed = cursor_u64(c);
	out->at = cursor_u64(c);
	uint64_t n = cursor_u64(c);
	if (c->bad || n > cursor_left(c))
		return false;
	out->bytes = str_make((const char *)cursor_bytes(c, n), n);
	return true;
}

void blob_free(struct blob *b)
{
	free(b->packed);
	*b = (struct blob){0};
}

bool blob_add(struct blob *b, const struct blob_piece *piece)
{
	if (!piece->at) {
		blob_free(b);
		*b = (struct blob){.whole = piece->whole, .size = piece->packed};
	}
	if (piece->at != b->got || piece->whole != b->whole || piece->packed != b->size ||
	    piece->bytes.n > b->size - b->got)
		return false;
	/* Grows by what is really there, not by what is promised. */
	b->packed = mem_realloc(b->packed, b->got + piece->bytes.n + 1);
	memcpy(b->packed + b->got, piece->bytes.p, piece->bytes.n);
	b->got += piece->bytes.n;
	return true;
}

bool blob_unpack(const struct blob *b, struct str *out)
{
	if (!b->got || b->got != b->size || b->whole > BLOB_MAX || b->whole / RATIO_MAX > b->size)
		return false;
	char *p = mem_alloc(b->whole + 1);
	size_t n = ZSTD_decompress(p, b->whole, b->packed, b->size);
	if (ZSTD_isError(n) || n != b->whole) {
		free(p);
		return false;
	}
	p[n] = '\0';
	*out = str_make(p, n);
	return true;
}
