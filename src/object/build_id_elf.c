/* Build ids out of ELF notes. */
#include <elf.h>

#include "object/elf_file.h"
#include "object/object.h"

static bool notes_build_id(struct cursor c, struct build_id *out)
{
	while (cursor_left(&c) >= 12) {
		uint32_t name_size = cursor_u32(&c);
		uint32_t size = cursor_u32(&c);
		uint32_t type = cursor_u32(&c);
		const uint8_t *name = cursor_bytes(&c, (size_t)round_up(name_size, 4));
		const uint8_t *id = cursor_bytes(&c, size);
		if (c.bad)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0 &&
		    size > 0) {
			out->size = (uint8_t)MIN(size, BUILD_ID_MAX);
			memcpy(out->bytes, id, out->size);
			return true;
		}
		cursor_skip(&c, MIN(round_up(size, 4) - size, cursor_left(&c)));
	}
	return false;
}

bool build_id_from_notes(const void *p, size_t n, struct build_id *out)
{
	*out = (struct build_id){0};
	return notes_build_id(cursor_of(p, n, false), out);
}

bool elf_build_id(const struct elf_file *f, struct build_id *out)
{
	static const char *const sections[] = {".note.gnu.build-id", ".notes", ".note"};
	*out = (struct build_id){0};
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		struct elf_section s;
		if (elf_section_find(f, sections[i], &s))
			return notes_build_id(cursor_of(s.data.p, s.data.n, f->swap), out);
	}
	return false;
}

bool object_build_id(const char *path, struct build_id *out, struct err *err)
{
	*out = (struct build_id){0};
	CLEANUP(file_unmap) struct mapped map = {0};
	struct elf_file f;
	if (!file_map(path, &map, err))
		return false;
	if (!elf_open(&f, map.p, map.n))
		return err_set(err, ERR_INPUT, "%s is not an ELF file", path);
	if (!elf_build_id(&f, out))
		return err_set(err, ERR_INPUT, "%s has no build id", path);
	return true;
}
