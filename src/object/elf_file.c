#include "object/elf_file.h"

#include "object/object.h"

#define SECTION_NAME_MAX 255
/* Linked files have some dozens; they are searched by name several times. */
#define SECTIONS_MAX (1u << 18)

/* The bytes [offset, offset + size), or empty when they are not all inside. */
static struct str elf_slice(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	if (offset > f->n || size > f->n - offset)
		return STR("");
	return str_make((const char *)f->p + offset, (size_t)size);
}

static struct cursor elf_cursor(const struct elf_file *f, uint64_t offset, uint64_t size)
{
	struct str s = elf_slice(f, offset, size);
	return cursor_of(s.p, s.n, f->swap);
}

/* An address, offset or size: as wide as the file's class. */
static uint64_t elf_word(const struct elf_file *f, struct cursor *c)
{
	return f->is64 ? cursor_u64(c) : cursor_u32(c);
}

static void elf_read_loads(struct elf_file *f, uint64_t phoff, uint32_t phnum, uint32_t phentsize)
{
	uint32_t need = f->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (phentsize < need)
		return;
	for (uint32_t i = 0; i < phnum && f->load_count < ELF_LOADS_MAX; i++) {
		uint64_t at = phoff + (uint64_t)i * phentsize;
		struct cursor c = elf_cursor(f, at, need);
		uint32_t type = cursor_u32(&c);
		uint32_t flags = f->is64 ? cursor_u32(&c) : 0;
		uint64_t offset = elf_word(f, &c);
		uint64_t vaddr = elf_word(f, &c);
		(void)elf_word(f, &c);
		uint64_t filesz = elf_word(f, &c);
		uint64_t memsz = elf_word(f, &c);
		if (!f->is64)
			flags = cursor_u32(&c);
		if (c.bad || at < phoff)
			return;
		uint64_t size = MAX(filesz, memsz);
		if (type == PT_GNU_EH_FRAME)
			f->eh_frame_hdr = vaddr;
		if (type != PT_LOAD || size == 0)
			continue;
		f->loads[f->load_count++] = (struct elf_load){.vaddr = vaddr,
							      .size = size,
							      .offset = offset,
							      .executable = flags & PF_X,
							      .writable = flags & PF_W};
	}
}

bool elf_open(struct elf_file *f, const void *p, size_t n)
{
	*f = (struct elf_file){.p = p, .n = n};
	if (n < EI_NIDENT || memcmp(p, ELFMAG, SELFMAG) != 0)
		return false;
	uint8_t class = f->p[EI_CLASS], order = f->p[EI_DATA];
	if ((class != ELFCLASS32 && class != ELFCLASS64) ||
	    (order != ELFDATA2LSB && order != ELFDATA2MSB))
		return false;
	f->is64 = class == ELFCLASS64;
	f->swap = order != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);

	struct cursor c = elf_cursor(f, EI_NIDENT, n - EI_NIDENT);
	f->type = cursor_u16(&c);
	f->machine = cursor_u16(&c);
	(void)cursor_u32(&c);  /* version */
	(void)elf_word(f, &c); /* entry */
	uint64_t phoff = elf_word(f, &c);
	f->shoff = elf_word(f, &c);
	(void)cursor_u32(&c); /* flags */
	(void)cursor_u16(&c); /* size of this header */
	uint16_t phentsize = cursor_u16(&c);
	uint32_t phnum = cursor_u16(&c);
	f->shentsize = cursor_u16(&c);
	f->shnum = cursor_u16(&c);
	f->shstrndx = cursor_u16(&c);
	if (c.bad)
		return false;

	/* Counts that do not fit into the header are in the first section. */
	struct elf_section first;
	uint32_t shnum = f->shnum;
	f->shnum = 1;
	f->shnum = shnum ? shnum : f->shoff && elf_section(f, 0, &first) ? (uint32_t)first.size : 0;
	f->shnum = MIN(f->shnum, SECTIONS_MAX);
	if (f->shstrndx == SHN_XINDEX)
		f->shstrndx = elf_section(f, 0, &first) ? first.link : 0;
	elf_read_loads(f, phoff, phnum, phentsize);
	return true;
}

/* All but the name. */
static bool elf_section_raw(const struct elf_file *f, uint32_t index, struct elf_section *out,
			    uint32_t *name)
{
	uint32_t need = f->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t at = f->shoff + (uint64_t)index * f->shentsize;
	if (index >= f->shnum || f->shentsize < need || at < f->shoff)
		return false;
	struct cursor c = elf_cursor(f, at, need);
	*name = cursor_u32(&c);
	*out = (struct elf_section){.name = STR("")};
	out->type = cursor_u32(&c);
	out->flags = elf_word(f, &c);
	out->addr = elf_word(f, &c);
	out->offset = elf_word(f, &c);
	out->size = elf_word(f, &c);
	out->link = cursor_u32(&c);
	(void)cursor_u32(&c);  /* info */
	(void)elf_word(f, &c); /* alignment */
	out->entsize = elf_word(f, &c);
	out->data = out->type == SHT_NOBITS ? STR("") : elf_slice(f, out->offset, out->size);
	return !c.bad;
}

bool elf_section(const struct elf_file *f, uint32_t index, struct elf_section *out)
{
	uint32_t name, unused;
	struct elf_section names;
	if (!elf_section_raw(f, index, out, &name))
		return false;
	if (f->shstrndx && elf_section_raw(f, f->shstrndx, &names, &unused)) {
		struct str s = str_skip(names.data, name);
		out->name = str_make(s.p, strnlen(s.p, MIN(s.n, SECTION_NAME_MAX)));
	}
	return true;
}

uint32_t elf_section_find(const struct elf_file *f, const char *name, struct elf_section *out)
{
	for (uint32_t i = 1; i < f->shnum && elf_section(f, i, out); i++)
		if (str_is(out->name, name))
			return i;
	*out = (struct elf_section){.name = STR(""), .data = STR("")};
	return 0;
}

const struct elf_load *elf_load_of(const struct elf_file *f, uint64_t vaddr)
{
	for (uint32_t i = 0; i < f->load_count; i++)
		if (vaddr >= f->loads[i].vaddr && vaddr - f->loads[i].vaddr < f->loads[i].size)
			return &f->loads[i];
	return NULL;
}

bool elf_offset_executable(const struct elf_file *f, uint64_t from, uint64_t to)
{
	if (f->load_count == 0)
		return true;
	for (uint32_t i = 0; i < f->load_count; i++) {
		const struct elf_load *l = &f->loads[i];
		if (l->executable && to > l->offset &&
		    (from < l->offset || from - l->offset < l->size))
			return true;
	}
	return false;
}

void elf_symbol_at(const struct elf_file *f, struct str table, size_t i, struct elf_symbol *out)
{
	size_t size = elf_symbol_size(f);
	struct cursor c = cursor_of(table.p + i * size, size, f->swap);
	out->name = cursor_u32(&c);
	if (f->is64) {
		out->info = cursor_u8(&c);
		out->other = cursor_u8(&c);
		out->shndx = cursor_u16(&c);
		out->value = cursor_u64(&c);
		out->size = cursor_u64(&c);
	} else {
		out->value = cursor_u32(&c);
		out->size = cursor_u32(&c);
		out->info = cursor_u8(&c);
		out->other = cursor_u8(&c);
		out->shndx = cursor_u16(&c);
	}
}

bool elf_vaddr_of(const struct elf_file *f, uint64_t offset, uint64_t *vaddr)
{
	const struct elf_load *found = NULL;
	for (uint32_t i = 0; i < f->load_count; i++) {
		const struct elf_load *l = &f->loads[i];
		if (offset >= l->offset && offset - l->offset < l->size &&
		    (!found || (l->executable && !found->executable)))
			found = l;
	}
	if (found)
		*vaddr = offset - found->offset + found->vaddr;
	return found;
}
