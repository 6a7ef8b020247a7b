/*
 * Records made by us: built in a buffer, written when it has grown. Every record ends in an empty
 * sample-id trailer of the length the events' attr promises.
 */
#ifndef KILN_EMIT_H
#define KILN_EMIT_H

#include <pthread.h>

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"

struct embed;
struct perfdata_writer;

struct emitter {
	struct out buf;
	struct perfdata_writer *writer;
	struct out
		*to; /* where records are kept instead of being written; NULL: they are written */
	size_t trailer;   /* bytes */
	size_t record_at; /* where in buf the record being built begins */
	bool failed;      /* a write failed: err is set, nothing more is written */
	struct err *err;
	struct embed *embed;   /* sees the records too; NULL: none */
	pthread_mutex_t *lock; /* over the writer, where several write; NULL: none do */
};

void emit_open(struct emitter *e, struct perfdata_writer *w, size_t trailer, struct err *err);

/* Writes what is left and frees the buffer; false when this or an earlier write failed. */
MUST_USE bool emit_close(struct emitter *e);

void emit_begin(struct emitter *e, uint32_t type, uint16_t misc);
/* Pads to 8 bytes, adds the trailer, sets the size. A record too long for its 16-bit size is
 * dropped. */
void emit_end(struct emitter *e);
/* As emit_end, for the tool's own record types, which have no trailer. */
void emit_end_bare(struct emitter *e);

static inline void emit_bytes(struct emitter *e, const void *p, size_t n)
{
	out_bytes(&e->buf, p, n);
}
static inline void emit_u16(struct emitter *e, uint16_t v)
{
	out_bytes(&e->buf, &v, sizeof v);
}
static inline void emit_u32(struct emitter *e, uint32_t v)
{
	out_bytes(&e->buf, &v, sizeof v);
}
static inline void emit_u64(struct emitter *e, uint64_t v)
{
	out_bytes(&e->buf, &v, sizeof v);
}
/* With its NUL. */
static inline void emit_text(struct emitter *e, struct str s)
{
	out_str(&e->buf, s);
	out_char(&e->buf, '\0');
}

#endif
