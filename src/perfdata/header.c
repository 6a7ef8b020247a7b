/* The header of a file or pipe, the attrs and where the features are. */
#include <stdio.h>

#include "perfdata/reader.h"

/* {offset, size} as they stand all over the header. */
struct section {
	uint64_t offset, size;
};

static struct section take_section(struct cursor *c)
{
	struct section s;
	s.offset = cursor_u64(c);
	s.size = cursor_u64(c);
	return s;
}

/* The part of a section that is really in the file. */
static struct str section_bytes(const struct mapped *m, struct section s)
{
	if (s.offset >= m->n)
		return (struct str){NULL, 0};
	return str_make((const char *)m->p + s.offset, (size_t)MIN(s.size, m->n - s.offset));
}

void event_add(struct perfdata *pd, const struct attr *attr, struct str id_bytes)
{
	size_t n = id_bytes.n / 8;
	uint64_t *ids = arena_alloc(&pd->arena, n * sizeof *ids + 8);
	struct cursor c = cursor_of(id_bytes.p, n * 8, pd->swap);
	uint32_t index = (uint32_t)pd->events.n;
	for (size_t i = 0; i < n; i++) {
		ids[i] = cursor_u64(&c);
		u64map_put(&pd->by_id, ids[i], index);
	}
	vec_push(&pd->events, (struct perfdata_event){.attr = *attr,
						      .scale = 1,
						      .ids = ids,
						      .id_count = n,
						      .leader = index,
						      .members = 1});
}

static void read_attrs(struct perfdata *pd, struct section s, uint64_t entry_size)
{
	const struct mapped *m = &pd->maps.v[0];
	struct str bytes = section_bytes(m, s);
	struct cursor c = cursor_of(bytes.p, bytes.n, pd->swap);
	uint64_t count = entry_size ? s.size / entry_size : 0;
	for (uint64_t i = 0; i < count; i++) {
		struct attr attr;
		uint64_t offset = s.offset + bytes.n - cursor_left(&c);
		bool whole = attr_decode(&c, &attr);
		struct section ids = take_section(&c);
		if (!whole || c.bad) {
			diag_partial(pd->diags, bytes.n < s.size ? DIAG_TRUNCATED : DIAG_CORRUPT,
				     "%s: the description of event %" PRIu64 " at offset 0x%" PRIx64
				     " is damaged",
				     pd->name, i + 1, offset);
			return;
		}
		struct str id_bytes = section_bytes(m, ids);
		if (id_bytes.n != ids.size)
			diag_partial(pd->diags, DIAG_TRUNCATED,
				     "%s: the ids of event %" PRIu64 " lie at offset 0x%" PRIx64
				     ", behind the end of the file",
				     pd->name, i + 1, ids.offset);
		/* Many attrs may name the same array; together they cannot be larger than the file.
		 */
		if (id_bytes.n > m->n - pd->id_bytes) {
			diag_partial(pd->diags, DIAG_CORRUPT,
				     "%s: the events claim more ids than fit in it", pd->name);
			id_bytes.n = 0;
		}
		pd->id_bytes += id_bytes.n;
		event_add(pd, &attr, id_bytes);
	}
}

/*
 * The feature bits were an array of unsigned long. Read back on the other byte order, that is a
 * question of word size, which is nowhere recorded: HOSTNAME, which every writer sets, tells.
 */
static void read_feature_bits(struct perfdata *pd, struct cursor *c)
{
	struct perfdata_header *h = &pd->header;
	struct cursor narrow = *c;
	for (size_t i = 0; i < ARRAY_LEN(h->features); i++)
		h->features[i] = cursor_u64(c);
	if (!pd->swap || perfdata_has(h, FEAT_HOSTNAME))
		return;
	uint64_t as_narrow[ARRAY_LEN(h->features)];
	for (size_t i = 0; i < ARRAY_LEN(as_narrow); i++) {
		uint64_t low = cursor_u32(&narrow);
		as_narrow[i] = low | (uint64_t)cursor_u32(&narrow) << 32;
	}
	if (as_narrow[0] >> FEAT_HOSTNAME & 1)
		memcpy(h->features, as_narrow, sizeof as_narrow);
}

static bool read_magic(struct perfdata *pd, struct cursor *c, uint64_t *size, struct err *err)
{
	const uint8_t *magic = cursor_bytes(c, 8);
	if (!magic || cursor_left(c) < 8)
		return err_set(err, ERR_INPUT, "%s is too short to be a perf.data file (%zu bytes)",
			       pd->name, pd->maps.v[0].n);
	if (memcmp(magic, "PERFILE2", 8) == 0) {
		pd->swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	} else if (memcmp(magic, "2ELIFREP", 8) == 0) {
		pd->swap = __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__;
	} else if (memcmp(magic, "PERFFILE", 8) == 0) {
		/* The first version had no byte order mark: its size field must do. */
		pd->swap = load64(c->p) > UINT32_MAX;
	} else {
		err_set(err, ERR_INPUT,
			"%s is not a perf.data file: it does not begin with PERFILE2", pd->name);
		return err_hint(err, "record one with `kiln record`, or name one with -i");
	}
	c->swap = pd->swap;
	*size = cursor_u64(c);
	return true;
}

static bool read_file_header(struct perfdata *pd, struct cursor *c, uint64_t header_bytes,
			     struct segment *data, struct err *err)
{
	struct perfdata_header *h = &pd->header;
	const struct mapped *m = &pd->maps.v[0];
	uint64_t attr_entry = cursor_u64(c);
	struct section attrs = take_section(c), records = take_section(c);
	(void)take_section(c); /* event types, of the first version */
	if (header_bytes >= HEADER_FILE)
		read_feature_bits(pd, c);
	if (c->bad)
		return err_set(err, ERR_INPUT, "%s ends inside its header, at offset 0x%zx",
			       pd->name, m->n);

	read_attrs(pd, attrs, attr_entry);
	if (records.offset > m->n)
		records.offset = m->n;
	h->data_offset = records.offset;
	h->data_size = records.size;
	h->feature_offset = records.offset + records.size;
	h->unfinished = records.size == 0;
	uint64_t there = m->n - records.offset;
	*data = (struct segment){
		.name = pd->name,
		.p = m->p + records.offset,
		.n = (size_t)(h->unfinished ? there : MIN(records.size, there)),
		.offset = records.offset,
		.expected = records.size,
		.to_eof = h->unfinished,
	};
	if (h->unfinished) {
		memset(h->features, 0, sizeof h->features); /* not written yet */
		diag_add(
			pd->diags, DIAG_UNFINISHED, 1,
			"%s was never finished: its recorder was killed; showing what it had written",
			pd->name);
	}
	return true;
}

bool header_read(struct perfdata *pd, struct segment *data, struct err *err)
{
	const struct mapped *m = &pd->maps.v[0];
	struct perfdata_header *h = &pd->header;
	struct cursor c = cursor_of(m->p, m->n, false);
	uint64_t size = 0;
	if (!read_magic(pd, &c, &size, err))
		return false;
	h->swapped = pd->swap;
	h->file_size = m->n;
	if (size == HEADER_PIPE) {
		h->pipe = true;
		*data = (struct segment){
			.name = pd->name,
			.p = m->p + HEADER_PIPE,
			.n = m->n - HEADER_PIPE,
			.offset = HEADER_PIPE,
			.expected = m->n - HEADER_PIPE,
		};
		return true;
	}
	if (size < HEADER_FILE_OLD)
		return err_set(err, ERR_INPUT,
			       "%s is damaged: its header claims to be %" PRIu64 " bytes long",
			       pd->name, size);
	return read_file_header(pd, &c, size, data, err);
}

void header_features(struct perfdata *pd)
{
	const struct perfdata_header *h = &pd->header;
	const struct mapped *m = &pd->maps.v[0];
	/* When the records already end early, the walk has said so. */
	if (h->pipe || h->unfinished || h->feature_offset > m->n)
		return;
	struct str table = section_bytes(m, (struct section){h->feature_offset, UINT64_MAX});
	struct cursor c = cursor_of(table.p, table.n, pd->swap);
	for (unsigned bit = 0; bit < ARRAY_LEN(pd->features); bit++) {
		if (!perfdata_has(h, bit))
			continue;
		struct section s = take_section(&c);
		struct str bytes = section_bytes(m, s);
		if (!c.bad && bytes.n == s.size) {
			pd->features[bit] = bytes;
			if (bit > FEAT_LAST_KNOWN)
				diag_add(pd->diags, DIAG_UNKNOWN_FEATURE, 1,
					 "%s has a header feature of an unknown kind: %u", pd->name,
					 bit);
			continue;
		}
		diag_partial(pd->diags, DIAG_TRUNCATED,
			     "%s: header feature %u at offset 0x%" PRIx64
			     " lies behind the end of the file",
			     pd->name, bit, c.bad ? h->feature_offset : s.offset);
		if (c.bad)
			return;
	}
}
