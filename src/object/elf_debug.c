/* Sections about debug information: links to other files, compressed contents. */
#include <zlib.h>

#include "object/elf_file.h"
#include "object/unpack.h"

/* The largest programs have a few gigabytes of debug information in one section. */
#define UNPACKED_MAX ((uint64_t)8 << 30)
/* Debug information becomes five times as large, text full of repeats perhaps fifty times. */
#define RATIO_MAX 256
#define RATIO_FREE ((uint64_t)1 << 20)

bool elf_debuglink(const struct elf_file *f, struct elf_debuglink *out)
{
	struct elf_section s;
	*out = (struct elf_debuglink){.name = STR("")};
	if (!elf_section_find(f, ".gnu_debuglink", &s))
		return false;
	struct cursor c = cursor_of(s.data.p, s.data.n, f->swap);
	struct str name = cursor_cstr(&c);
	cursor_skip(&c, (size_t)(round_up(name.n + 1, 4) - (name.n + 1)));
	uint32_t crc = cursor_u32(&c);
	if (c.bad || !name.n || memchr(name.p, '/', name.n))
		return false;
	*out = (struct elf_debuglink){name, crc};
	return true;
}

uint32_t elf_file_crc(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

bool elf_altlink(const struct elf_file *f, struct elf_altlink *out)
{
	struct elf_section s;
	*out = (struct elf_altlink){.name = STR("")};
	if (!elf_section_find(f, ".gnu_debugaltlink", &s))
		return false;
	struct cursor c = cursor_of(s.data.p, s.data.n, f->swap);
	out->name = cursor_cstr(&c);
	if (c.bad || !out->name.n)
		return false;
	out->id.size = (uint8_t)MIN(cursor_left(&c), BUILD_ID_MAX);
	const uint8_t *id = cursor_bytes(&c, out->id.size);
	if (out->id.size)
		memcpy(out->id.bytes, id, out->id.size);
	return true;
}

/* What the header in front of compressed bytes says. */
static bool compression(const struct elf_file *f, const struct elf_section *s, struct cursor *c,
			enum packing *how, uint64_t *size)
{
	*c = cursor_of(s->data.p, s->data.n, f->swap);
	*how = PACKED_ZLIB;
	if (!(s->flags & SHF_COMPRESSED)) { /* "ZLIB" and the size, big-endian always */
		c->swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
		const uint8_t *magic = cursor_bytes(c, 4);
		*size = cursor_u64(c);
		return !c->bad && !memcmp(magic, "ZLIB", 4);
	}
	uint32_t type = cursor_u32(c);
	if (f->is64)
		(void)cursor_u32(c);
	*size = f->is64 ? cursor_u64(c) : cursor_u32(c);
	(void)(f->is64 ? cursor_u64(c) : cursor_u32(c)); /* alignment */
	if (type == 2)                                   /* ELFCOMPRESS_ZSTD, newer than elf.h */
		*how = PACKED_ZSTD;
	return !c->bad && (type == ELFCOMPRESS_ZLIB || type == 2);
}

bool elf_section_unpack(const struct elf_file *f, const struct elf_section *s, struct mapped *made,
			struct str *out)
{
	struct cursor c;
	enum packing how;
	uint64_t size;
	*made = (struct mapped){0};
	*out = s->data;
	if (!(s->flags & SHF_COMPRESSED) && !str_starts(s->name, ".zdebug"))
		return true;
	if (!compression(f, s, &c, &how, &size) || size > UNPACKED_MAX ||
	    size > RATIO_FREE + (uint64_t)cursor_left(&c) * RATIO_MAX)
		return false;
	struct str packed = str_make((const char *)c.p, cursor_left(&c));
	if (!unpack(how, packed, (size_t)size, made) || made->n != size) {
		file_unmap(made);
		return false;
	}
	*out = str_make((const char *)made->p, made->n);
	return true;
}
