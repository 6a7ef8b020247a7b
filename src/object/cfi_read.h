/* DWARF's numbers of variable length, and the pointers of .eh_frame. */
#ifndef KILN_CFI_READ_H
#define KILN_CFI_READ_H

#include "base/cursor.h"

/* Bits that do not fit are dropped; a number without end makes the cursor bad. */
static inline uint64_t cfi_uleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

static inline int64_t cfi_sleb(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0;;) {
		uint8_t byte = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift < 64)
			v |= UINT64_MAX << shift;
		return (int64_t)v;
	}
}

/* DW_EH_PE_*: the low 4 bits say how it is stored, the next 3 what it is relative to. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_ULEB = 0x01,
	PE_U2 = 0x02,
	PE_U4 = 0x03,
	PE_U8 = 0x04,
	PE_SLEB = 0x09,
	PE_S2 = 0x0a,
	PE_S4 = 0x0b,
	PE_S8 = 0x0c,
	PE_STORED = 0x0f,
	PE_PCREL = 0x10,
	PE_TEXTREL = 0x20,
	PE_DATAREL = 0x30,
	PE_FUNCREL = 0x40,
	PE_ALIGNED = 0x50,
	PE_RELATIVE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

/* What relative pointers start from. */
struct cfi_bases {
	const uint8_t *data; /* the section's first byte … */
	uint64_t addr;       /* … and its address */
	uint64_t text, got, func;
};

/* False for encodings that make no sense in a file. Sets c->bad when the bytes end. */
static inline bool cfi_pointer(struct cursor *c, const struct cfi_bases *b, uint8_t encoding,
			       uint64_t *out)
{
	uint64_t at = b->addr + (uint64_t)(c->p - b->data);
	if (encoding == PE_ALIGNED) {
		cursor_skip(c, (size_t)(-at & 7));
		*out = cursor_u64(c);
		return !c->bad;
	}
	switch (encoding & PE_STORED) {
	case PE_ABSOLUTE:
	case PE_U8:
	case PE_S8:
		*out = cursor_u64(c);
		break;
	case PE_ULEB:
		*out = cfi_uleb(c);
		break;
	case PE_SLEB:
		*out = (uint64_t)cfi_sleb(c);
		break;
	case PE_U2:
		*out = cursor_u16(c);
		break;
	case PE_S2:
		*out = (uint64_t)(int64_t)(int16_t)cursor_u16(c);
		break;
	case PE_U4:
		*out = cursor_u32(c);
		break;
	case PE_S4:
		*out = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		break;
	default:
		return false;
	}
	switch (encoding & PE_RELATIVE) {
	case 0:
		break;
	case PE_PCREL:
		*out += at;
		break;
	case PE_TEXTREL:
		*out += b->text;
		break;
	case PE_DATAREL:
		*out += b->got;
		break;
	case PE_FUNCREL:
		*out += b->func;
		break;
	default:
		return false;
	}
	return !c->bad;
}

#endif
