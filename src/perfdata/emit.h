/* Bytes as perf.data has them, of our own byte order; only for the writer's files. */
#ifndef KILN_EMIT_H
#define KILN_EMIT_H

#include "base/out.h"
#include "perfdata/writer.h"

static inline void put_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof v);
}

static inline void put_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

static inline void put_zeros(struct out *o, size_t n)
{
	memset(out_room(o, n), 0, n);
	o->n += n;
}

/* The 8 bytes in front of every record; size includes them. */
void put_record_header(struct out *o, uint32_t type, uint16_t misc, size_t size);

/* In the form of the given size. */
void put_attr(struct out *o, const struct attr *a, uint32_t size);

/* One size for all, as the attrs of a file are an array. */
uint32_t attr_size_of(const struct writer_event *events, size_t count);

#endif
