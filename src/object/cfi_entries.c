#include "object/cfi_entries.h"

/* Limits on what a lying file may cost: far above what linkers make. */
#define FDES_MAX (1u << 23)
#define CIES_MAX (1u << 17)
#define CIE_MAX 512 /* bytes; a CIE can be part of others, so its size must not matter */
#define AUGMENTATION_MAX 32

/* One entry: its body behind the id field. */
struct entry {
	struct cursor body;
	uint64_t id;    /* of an FDE: where its CIE is, as stored */
	uint64_t id_at; /* offset of that field */
	bool is_cie;
	bool wide; /* 64-bit DWARF */
};

enum outcome { ENTRY_END, ENTRY_SKIP, ENTRY_READ };

static enum outcome read_entry(const struct cfi_section *s, struct cursor *c, struct entry *e)
{
	if (cursor_left(c) < 4)
		return ENTRY_END;
	uint64_t length = cursor_u32(c);
	e->wide = length == UINT32_MAX;
	if (e->wide)
		length = cursor_u64(c);
	if (!length)
		return ENTRY_SKIP; /* the end, or padding between what several tools wrote */
	if (c->bad || length > cursor_left(c))
		return ENTRY_END;
	e->body = cursor_sub(c, (size_t)length);
	e->id_at = (uint64_t)(e->body.p - (const uint8_t *)s->data.p);
	/* .eh_frame has 32 bits here even when lengths have 64, as gcc and readelf see it. */
	bool wide_id = e->wide && !s->eh;
	e->id = wide_id ? cursor_u64(&e->body) : cursor_u32(&e->body);
	e->is_cie = e->id == (s->eh ? 0 : wide_id ? UINT64_MAX : UINT32_MAX);
	return e->body.bad ? ENTRY_SKIP : ENTRY_READ;
}

/* --- CIE -------------------------------------------------------------------------------------- */

static bool read_augmentation(struct cfi_entries *e, struct cfi_cie *cie, struct str letters,
			      struct cursor *c)
{
	uint64_t size = cfi_uleb(c), unused;
	if (c->bad || size > cursor_left(c))
		return false;
	struct cursor data = cursor_sub(c, (size_t)size);
	cie->augmented = true;
	for (size_t i = 1; i < letters.n; i++) {
		switch (letters.p[i]) {
		case 'R':
			cie->encoding = cursor_u8(&data);
			break;
		case 'L':
			(void)cursor_u8(&data);
			break;
		case 'P': {
			uint8_t encoding = cursor_u8(&data);
			if (encoding != PE_OMIT &&
			    !cfi_pointer(&data, &e->bases, encoding & ~PE_INDIRECT, &unused))
				return false;
			break;
		}
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* arm64: signed with the B key */
		case 'G': /* arm64: tagged frame */
			break;
		default:
			/* Unknown letters end what can be understood; the size says where the rest
			 * is. */
			return !data.bad;
		}
	}
	return !data.bad;
}

static bool read_cie(struct cfi_entries *e, struct cfi_cie *cie, struct cursor c)
{
	uint8_t version = cursor_u8(&c);
	struct cursor name = cursor_of(c.p, MIN(cursor_left(&c), AUGMENTATION_MAX), c.swap);
	struct str letters = cursor_cstr(&name);
	if (name.bad || (version != 1 && version != 3 && version != 4))
		return false;
	cursor_skip(&c, letters.n + 1);
	if (version == 4) {
		uint8_t address_size = cursor_u8(&c), segment_size = cursor_u8(&c);
		if (address_size != 8 || segment_size)
			return false;
	}
	if (str_starts(letters, "eh")) {
		(void)cursor_u64(&c); /* gcc 2's exception table */
		letters = str_skip(letters, 2);
	}
	cie->code_align = cfi_uleb(&c);
	cie->data_align = cfi_sleb(&c);
	uint64_t ra = version == 1 ? cursor_u8(&c) : cfi_uleb(&c);
	if (c.bad || ra != e->in->arch->dwarf.ra)
		return false;
	cie->encoding = PE_ABSOLUTE;
	if (letters.n && letters.p[0] == 'z') {
		if (!read_augmentation(e, cie, letters, &c))
			return false;
	} else if (letters.n) {
		return false;
	}
	cie->program = str_make((const char *)c.p, cursor_left(&c));
	return true;
}

/* Index + 1 of the CIE at an offset of the section; 0: there is none worth using. */
static uint32_t cie_at(struct cfi_entries *e, uint64_t offset)
{
	const uint32_t *known = u64map_get(&e->cie_at, offset);
	if (known)
		return e->cies.v[*known].good ? *known + 1 : 0;
	if (e->cies.n == CIES_MAX)
		return 0;
	struct cfi_cie cie = {0};
	struct str rest = str_skip(e->section->data, offset);
	struct cursor c = cursor_of(rest.p, rest.n, false);
	struct entry entry;
	if (read_entry(e->section, &c, &entry) == ENTRY_READ && entry.is_cie &&
	    cursor_left(&entry.body) <= CIE_MAX)
		cie.good = read_cie(e, &cie, entry.body);
	u64map_put(&e->cie_at, offset, (uint32_t)e->cies.n);
	vec_push(&e->cies, cie);
	return cie.good ? (uint32_t)e->cies.n : 0;
}

/* --- FDE -------------------------------------------------------------------------------------- */

/* Virtual addresses to those of the object; false when this is not code of the file. */
static bool place_fde(const struct cfi_entries *e, struct cfi_fde *f)
{
	const struct cfi_input *in = e->in;
	if (f->end <= f->start)
		return false;
	if (!in->load_count)
		return true;
	for (uint32_t i = 0; i < in->load_count; i++) {
		const struct elf_load *l = &in->loads[i];
		if (!l->executable || f->start < l->vaddr || f->start - l->vaddr >= l->size)
			continue;
		uint64_t size = MIN(f->end - f->start, l->size - (f->start - l->vaddr));
		f->delta = l->offset - l->vaddr;
		f->start += f->delta;
		f->end = f->start + size;
		return f->end > f->start;
	}
	return false;
}

static void read_fde(struct cfi_entries *e, struct entry *entry)
{
	uint64_t cie_offset = e->section->eh ? entry->id_at - entry->id : entry->id;
	uint32_t index = cie_at(e, cie_offset);
	struct cursor *c = &entry->body;
	uint64_t start, size;
	if (!index)
		return;
	const struct cfi_cie *cie = &e->cies.v[index - 1];
	if (!cfi_pointer(c, &e->bases, cie->encoding, &start) ||
	    !cfi_pointer(c, &e->bases, cie->encoding & PE_STORED, &size))
		return;
	if (cie->augmented)
		cursor_skip(c, (size_t)cfi_uleb(c));
	/* What the linker threw away keeps its entry in .debug_frame, at address 0. */
	if (c->bad || (!start && !e->section->eh && e->in->load_count))
		return;
	struct cfi_fde f = {.start = start,
			    .end = start + size < start ? UINT64_MAX : start + size,
			    .cie = index - 1};
	f.program = (uint32_t)(c->p - (const uint8_t *)e->section->data.p);
	f.program_size = (uint32_t)cursor_left(c);
	if (place_fde(e, &f))
		vec_push(&e->fdes, f);
}

void cfi_entries_read(struct cfi_entries *e, const struct cfi_input *in,
		      const struct cfi_section *section)
{
	*e = (struct cfi_entries){
		.in = in,
		.section = section,
		.bases = {.data = (const uint8_t *)section->data.p,
			  .addr = section->addr,
			  .text = in->text,
			  .got = in->got},
	};
	struct cursor c = cursor_of(section->data.p, MIN(section->data.n, UINT32_MAX), false);
	struct entry entry;
	enum outcome got;
	while (e->fdes.n < FDES_MAX && (got = read_entry(section, &c, &entry)) != ENTRY_END)
		if (got == ENTRY_READ && !entry.is_cie)
			read_fde(e, &entry);
}

void cfi_entries_free(struct cfi_entries *e)
{
	vec_free(&e->cies);
	vec_free(&e->fdes);
	u64map_free(&e->cie_at);
}
