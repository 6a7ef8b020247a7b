/* Payloads of header features, and the small pieces they and records are made of. */
#include "perfdata/emit.h"

void put_record_header(struct out *o, uint32_t type, uint16_t misc, size_t size)
{
	uint16_t tail[2] = {misc, (uint16_t)size};
	put_u32(o, type);
	out_bytes(o, tail, sizeof tail);
}

void put_attr(struct out *o, const struct attr *a, uint32_t size)
{
	uint8_t bytes[ATTR_BYTES];
	attr_encode(a, bytes);
	memcpy(bytes + 4, &size, sizeof size);
	out_bytes(o, bytes, size);
}

uint32_t attr_size_of(const struct writer_event *events, size_t count)
{
	uint32_t size = 0;
	for (size_t i = 0; i < count; i++)
		size = MAX(size, attr_file_size(&events[i].attr));
	return size;
}

void feature_string(struct out *o, const char *s)
{
	size_t n = strlen(s) + 1, padded = (size_t)round_up(n, 64);
	put_u32(o, (uint32_t)padded);
	out_bytes(o, s, n);
	put_zeros(o, padded - n);
}

void feature_cmdline(struct out *o, const char *const *argv, size_t argc)
{
	put_u32(o, (uint32_t)argc);
	for (size_t i = 0; i < argc; i++)
		feature_string(o, argv[i]);
}

void feature_event_desc(struct out *o, const struct writer_event *events, size_t count)
{
	uint32_t attr_size = attr_size_of(events, count);
	put_u32(o, (uint32_t)count);
	put_u32(o, attr_size);
	for (size_t i = 0; i < count; i++) {
		const struct writer_event *ev = &events[i];
		put_attr(o, &ev->attr, attr_size);
		put_u32(o, (uint32_t)ev->id_count);
		feature_string(o, ev->name);
		out_bytes(o, ev->ids, ev->id_count * sizeof *ev->ids);
	}
}

void feature_build_ids(struct out *o, const struct rec_build_id *ids, const uint16_t *misc,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct rec_build_id *id = &ids[i];
		/* perf's pad of the name to 64 leaves the record off the 8-byte grid. */
		size_t path = (size_t)round_up(id->path.n + 1, 64) + 4, size = 8 + 4 + 24 + path;
		if (size > UINT16_MAX)
			continue;
		put_record_header(o, RECORD_HEADER_BUILD_ID, misc[i] | MISC_BUILD_ID_SIZE, size);
		put_u32(o, (uint32_t)id->pid);
		out_bytes(o, id->build_id.bytes, id->build_id.size);
		put_zeros(o, BUILD_ID_MAX - id->build_id.size);
		put_u32(o, id->build_id.size); /* a byte and three of padding */
		out_str(o, id->path);
		put_zeros(o, path - id->path.n);
	}
}
