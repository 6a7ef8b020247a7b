/* Where ELF files keep their CFI. */
#include "object/cfi.h"
#include "object/cfi_read.h"

static struct cfi_section find_eh_frame(const struct elf_file *f)
{
	struct elf_section s;
	if (!elf_section_find(f, ".eh_frame", &s))
		return (struct cfi_section){.data = STR("")};
	return (struct cfi_section){.data = s.data, .addr = s.addr, .eh = true};
}

/* `made`: what it lives in when it was compressed. */
static struct cfi_section find_debug_frame(const struct elf_file *f, struct mapped *made)
{
	struct elf_section s;
	struct str data;
	if ((!elf_section_find(f, ".debug_frame", &s) &&
	     !elf_section_find(f, ".zdebug_frame", &s)) ||
	    !elf_section_unpack(f, &s, made, &data))
		return (struct cfi_section){.data = STR("")};
	return (struct cfi_section){.data = data, .addr = s.addr};
}

/* The bytes from a virtual address up to the end of its segment. */
static struct str bytes_at(const struct elf_file *f, uint64_t vaddr)
{
	const struct elf_load *l = elf_load_of(f, vaddr);
	if (!l)
		return STR("");
	uint64_t offset = l->offset + (vaddr - l->vaddr), size = l->size - (vaddr - l->vaddr);
	if (offset < l->offset || offset >= f->n)
		return STR("");
	return str_make((const char *)f->p + offset, (size_t)MIN(size, f->n - offset));
}

/* Files without section headers still say where .eh_frame is: in .eh_frame_hdr, which has a
 * program header of its own. */
static struct cfi_section find_by_segment(const struct elf_file *f)
{
	struct cfi_section none = {.data = STR("")};
	uint64_t vaddr = f->eh_frame_hdr, at;
	struct str hdr = vaddr ? bytes_at(f, vaddr) : STR("");
	struct cursor c = cursor_of(hdr.p, hdr.n, f->swap);
	struct cfi_bases bases = {.data = c.p, .addr = vaddr, .got = vaddr};
	uint8_t version = cursor_u8(&c), encoding = cursor_u8(&c);
	cursor_skip(&c, 2); /* encodings of the table that follows */
	if (c.bad || version != 1 || !cfi_pointer(&c, &bases, encoding, &at))
		return none;
	return (struct cfi_section){.data = bytes_at(f, at), .addr = at, .eh = true};
}

bool cfi_build_elf(struct cfi_table *t, const struct elf_file *run, const struct elf_file *debug)
{
	*t = (struct cfi_table){0};
	const struct arch *arch = arch_by_machine(run->machine);
	if (!arch || !run->is64 || run->swap)
		return false;
	struct cfi_input in = {.arch = arch, .loads = run->loads, .load_count = run->load_count};
	struct elf_section s;
	CLEANUP(file_unmap) struct mapped made = {0};
	in.sections[0] = find_eh_frame(run);
	if (!in.sections[0].data.n)
		in.sections[0] = find_by_segment(run);
	in.sections[1] = find_debug_frame(run, &made);
	if (!in.sections[1].data.n && debug && debug->is64 && !debug->swap)
		in.sections[1] = find_debug_frame(debug, &made);
	if (elf_section_find(run, ".text", &s))
		in.text = s.addr;
	if (elf_section_find(run, ".got.plt", &s) || elf_section_find(run, ".got", &s))
		in.got = s.addr;
	return cfi_build(t, &in);
}
