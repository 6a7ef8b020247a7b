/*
 * The first pass over the records: sizes are checked once, chunk borders found, and what header
 * records say is taken in. It looks at the 8 bytes of each header only, and gives the pages back
 * behind itself.
 */
#include "perfdata/embedded.h"
#include "perfdata/reader.h"

static size_t outside_payload(const uint8_t *p, size_t size, uint32_t type, bool swap)
{
	struct cursor c = cursor_of(p + 8, size - 8, swap);
	uint64_t n = 0;
	if (type == RECORD_HEADER_TRACING_DATA)
		n = cursor_u32(&c);
	else if (type == RECORD_AUXTRACE)
		n = cursor_u64(&c);
	return c.bad || n > SIZE_MAX ? SIZE_MAX : (size_t)n;
}

/* Some writers compute the size of this record in 16 bits and wrap around; data_size is right. */
static size_t compressed2_span(const uint8_t *p, size_t left, bool swap)
{
	struct cursor c = cursor_of(p + 8, left - 8, swap);
	uint64_t n = cursor_u64(&c);
	if (c.bad || n > cursor_left(&c))
		return 0;
	return MIN((size_t)round_up(16 + n, 8), left);
}

/* Records perf itself writes in sizes that are no multiple of 8. */
static bool may_be_odd(uint32_t type)
{
	return type == RECORD_HEADER_TRACING_DATA || type == RECORD_HEADER_BUILD_ID ||
	       type == RECORD_HEADER_FEATURE || type == RECORD_COMPRESSED;
}

size_t tool_record_span(const uint8_t *p, size_t left, bool swap)
{
	uint32_t type = header_type(p, swap);
	size_t size = header_size(p, swap);
	if (type == RECORD_COMPRESSED2)
		return compressed2_span(p, left, swap);
	if (size < 8 || size > left)
		return 0;
	if (size % 8 && !may_be_odd(type))
		return 0;
	size_t extra = outside_payload(p, size, type, swap);
	return extra <= left - size ? size + extra : 0;
}

static void take_attr(struct perfdata *pd, const struct record *r)
{
	struct cursor c = record_cursor(r);
	struct attr attr;
	if (!attr_decode(&c, &attr)) {
		diag_partial(pd->diags, DIAG_BAD_RECORD,
			     "%s: the description of an event is damaged, at offset 0x%" PRIx64
			     ": ATTR (%u)",
			     pd->name, r->offset, RECORD_HEADER_ATTR);
		return;
	}
	struct str ids = str_make((const char *)c.p, cursor_left(&c));
	/* A file made from a pipe may say the same in its header. */
	uint64_t first = cursor_left(&c) >= 8 ? cursor_u64(&c) : 0;
	if (first && u64map_get(&pd->by_id, first))
		return;
	event_add(pd, &attr, ids);
}

static void take_update(struct perfdata *pd, const struct record *r)
{
	struct cursor c = record_cursor(r);
	struct pending_update u = {.kind = cursor_u64(&c), .id = cursor_u64(&c)};
	u.text = str_make((const char *)c.p, cursor_left(&c));
	if (!c.bad && u.kind == UPDATE_SYMBOLS)
		vec_push(&pd->embedded, u.text);
	else if (!c.bad)
		vec_push(&pd->updates, u);
}

static void take_feature(struct perfdata *pd, const struct record *r)
{
	struct cursor c = record_cursor(r);
	uint64_t bit = cursor_u64(&c);
	/* An empty one of a high number ends the row. */
	if (c.bad || bit >= ARRAY_LEN(pd->features) || !cursor_left(&c))
		return;
	pd->header.features[bit / 64] |= (uint64_t)1 << (bit % 64);
	pd->features[bit] = str_make((const char *)c.p, cursor_left(&c));
}

static void take_build_id(struct perfdata *pd, const struct record *r)
{
	struct rec_build_id id;
	if (record_build_id(r, &id))
		vec_push(&pd->build_ids, id);
}

/* Header records, and records nobody knows. */
static void take_in(struct perfdata *pd, const struct record *r, size_t span)
{
	switch (r->type) {
	case RECORD_HEADER_ATTR:
		take_attr(pd, r);
		break;
	case RECORD_EVENT_UPDATE:
		take_update(pd, r);
		break;
	case RECORD_HEADER_FEATURE:
		take_feature(pd, r);
		break;
	case RECORD_HEADER_BUILD_ID:
		take_build_id(pd, r);
		break;
	case RECORD_HEADER_TRACING_DATA:
		pd->header.tracing_data = str_make((const char *)r->body - 8 + r->size,
						   span - r->size);
		break;
	default:
		if (record_type_known(r->type))
			break;
		diag_add(pd->diags, DIAG_UNKNOWN_RECORD, 1,
			 "%s has a record of an unknown kind, skipped, at offset 0x%" PRIx64
			 ": UNKNOWN (%" PRIu32 ")",
			 pd->name, r->offset, r->type);
		break;
	}
}

/* Why the walk stops at `at`, which is no whole record. */
static void say_stop(struct perfdata *pd, const struct segment *s, const uint8_t *at)
{
	size_t left = (size_t)(s->p + s->n - at);
	uint64_t offset = s->offset + (uint64_t)(at - s->p);
	bool cut = s->n < s->expected;
	/* Nobody promised more: the recorder was killed while it wrote this record. */
	bool short_record = left < 8 || header_size(at, pd->swap) > left;
	bool hole = left >= 8 && !load64(at);
	if (s->to_eof && (short_record || hole))
		return;
	if (left < 8)
		diag_partial(pd->diags, cut || pd->header.pipe ? DIAG_TRUNCATED : DIAG_CORRUPT,
			     "%s ends inside the header of a record, at offset 0x%" PRIx64, s->name,
			     offset);
	else if (short_record)
		diag_partial(pd->diags, cut || pd->header.pipe ? DIAG_TRUNCATED : DIAG_CORRUPT,
			     "%s ends inside a record, at offset 0x%" PRIx64 ": %s (%" PRIu32 ")",
			     s->name, offset, record_type_name(header_type(at, pd->swap)),
			     header_type(at, pd->swap));
	else
		diag_partial(pd->diags, DIAG_CORRUPT,
			     "%s is damaged: a record of impossible size %u, at offset 0x%" PRIx64
			     ": %s (%" PRIu32 "); nothing behind it is read",
			     s->name, header_size(at, pd->swap), offset,
			     record_type_name(header_type(at, pd->swap)),
			     header_type(at, pd->swap));
}

static void end_chunk(struct perfdata *pd, const struct segment *s, const uint8_t *from,
		      const uint8_t *to)
{
	if (to == from)
		return;
	vec_push(&pd->chunks, (struct chunk){.p = from,
					     .n = (size_t)(to - from),
					     .offset = s->offset + (uint64_t)(from - s->p)});
	map_release(from, (size_t)(to - from));
}

static bool is_compressed(uint32_t type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2;
}

/* Everything up to the end, to damage, or to the first compressed record, which is returned. */
static const uint8_t *walk_plain(struct perfdata *pd, const struct segment *s)
{
	const uint8_t *at = s->p, *end = s->p + s->n, *from = at;
	const bool swap = pd->swap;
	const uint8_t *compressed = NULL;
	while (at < end) {
		size_t span = record_span(at, (size_t)(end - at), swap);
		if (UNLIKELY(!span)) {
			say_stop(pd, s, at);
			break;
		}
		uint32_t type = header_type(at, swap);
		if (UNLIKELY(type - 1 >= PERF_RECORD_MAX - 1)) {
			if (is_compressed(type) && !s->unpacked) {
				compressed = at;
				break;
			}
			struct record r = record_view(at, swap, s->offset + (uint64_t)(at - s->p));
			take_in(pd, &r, span);
		}
		at += span;
		if (UNLIKELY((size_t)(at - from) >= CHUNK_BYTES)) {
			end_chunk(pd, s, from, at);
			from = at;
		}
	}
	end_chunk(pd, s, from, at);
	if (at == end && s->n < s->expected)
		diag_partial(pd->diags, DIAG_TRUNCATED,
			     "%s is cut short: %" PRIu64
			     " bytes of records are missing, from offset "
			     "0x%" PRIx64 " on",
			     s->name, s->expected - s->n, s->offset + s->n);
	return compressed;
}

bool walk(struct perfdata *pd, const struct segment *s, struct err *err)
{
	const uint8_t *compressed = walk_plain(pd, s);
	if (!compressed)
		return true;
	pd->header.compressed = true;
	struct segment rest = *s, unpacked;
	rest.p = compressed;
	rest.n = (size_t)(s->p + s->n - compressed);
	rest.offset += (uint64_t)(compressed - s->p);
	rest.expected = s->n < s->expected ? rest.n + (s->expected - s->n) : rest.n;
	if (!spool_unpack(pd, &rest, &unpacked, err))
		return false;
	(void)walk_plain(pd, &unpacked);
	return true;
}
