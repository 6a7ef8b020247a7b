/* Symbols of the kernel's own files: vmlinux, and modules, which may be compressed. */
#include "object/elf_symbols.h"
#include "object/object.h"
#include "object/unpack.h"

/* The largest modules have some 100 MB with debug information. */
#define MODULE_MAX ((size_t)1 << 30)

/* _text, or _stext where there is no such symbol; 0: neither. */
static uint64_t text_address(const struct elf_file *f)
{
	struct elf_section table, strings;
	uint64_t stext = 0;
	if (!elf_section_find(f, ".symtab", &table) || !elf_section(f, table.link, &strings))
		return 0;
	for (size_t i = 1; i < table.data.n / elf_symbol_size(f); i++) {
		struct elf_symbol s;
		elf_symbol_at(f, table.data, i, &s);
		struct str rest = str_skip(strings.data, s.name);
		struct str name = str_make(rest.p, strnlen(rest.p, MIN(rest.n, sizeof "_stext")));
		if (str_is(name, "_text"))
			return s.value;
		if (str_is(name, "_stext"))
			stext = s.value;
	}
	return stext;
}

static bool tell_other(const char *path, const struct build_id *is, struct err *err)
{
	char hex[2 * BUILD_ID_MAX + 1];
	build_id_hex(is, hex);
	return err_set(
		err, ERR_INPUT,
		"%s is of another build than the kernel that was recorded (build id %s%.12s)", path,
		is->size ? "" : "none", is->size ? hex : "");
}

/* A build id that was recorded must be that of the file. */
static bool check_id(const struct elf_file *f, const char *path, const struct build_id *recorded,
		     struct symtab *t, struct err *err)
{
	if (!elf_build_id(f, &t->build_id))
		t->build_id.size = 0;
	return !recorded->size || build_id_eq(&t->build_id, recorded) ||
	       tell_other(path, &t->build_id, err);
}

bool symtab_load_vmlinux(struct symtab *t, const char *path, const struct build_id *recorded,
			 uint64_t *text, struct err *err)
{
	struct elf_file f;
	*t = (struct symtab){0};
	if (!file_map(path, &t->map, err))
		return false;
	if (!elf_open(&f, t->map.p, t->map.n))
		return err_set(err, ERR_INPUT, "%s is not an ELF file", path);
	if (!check_id(&f, path, recorded, t, err))
		return false;
	*text = text_address(&f);
	if (!symtab_from_elf(t, &(struct elf_sources){.syms = &f, .run = &f, .place = PLACE_VADDR}))
		return err_set(err, ERR_INPUT, "%s has no symbols", path);
	t->mangled = false;
	return true;
}

bool symtab_load_module(struct symtab *t, const char *path, const struct build_id *recorded,
			uint64_t base, struct err *err)
{
	struct elf_file f;
	enum packing how;
	*t = (struct symtab){0};
	if (!file_map(path, &t->map, err))
		return false;
	struct str bytes = str_make((const char *)t->map.p, t->map.n);
	if (packing_of(bytes, &how)) {
		if (!unpack(how, bytes, MODULE_MAX, &t->mini))
			return err_set(err, ERR_INPUT, "%s cannot be unpacked", path);
		bytes = str_make((const char *)t->mini.p, t->mini.n);
	}
	if (!elf_open(&f, bytes.p, bytes.n) || f.type != ET_REL)
		return err_set(err, ERR_INPUT, "%s is not a kernel module", path);
	if (!check_id(&f, path, recorded, t, err))
		return false;
	struct elf_sources from = {.syms = &f, .run = &f, .place = PLACE_TEXT, .text_base = base};
	if (!symtab_from_elf(t, &from))
		return err_set(err, ERR_INPUT, "%s has no symbols for code", path);
	t->mangled = false;
	return true;
}
