/* An assembler for tiny DWARF sections, in any version, offset size, address size and byte order.
 */
#ifndef KILN_TEST_DWARF_H
#define KILN_TEST_DWARF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "object/dwarf.h"
#include "object/dwarf_const.h"

/* What units look like. */
struct shape {
	uint8_t version, offset_size, address_size;
	bool swap;
};

struct bytes {
	VEC(uint8_t) b;
	struct shape shape;
	size_t unit; /* where the current unit begins */
};

static inline struct str bytes_str(const struct bytes *o)
{
	return str_make((const char *)o->b.v, o->b.n);
}

static inline void patch(struct bytes *o, size_t at, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		o->b.v[at + (o->shape.swap ? size - 1 - i : i)] = (uint8_t)(i < 8 ? v >> 8 * i : 0);
}

static inline void put(struct bytes *o, uint64_t v, unsigned size)
{
	size_t at = o->b.n;
	for (unsigned i = 0; i < size; i++)
		vec_push(&o->b, 0);
	patch(o, at, v, size);
}

static inline void put_uleb(struct bytes *o, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put(o, (v & 0x7f) | 0x80, 1);
	put(o, v, 1);
}

static inline void put_sleb(struct bytes *o, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		put(o, ((uint64_t)v & 0x7f) | 0x80, 1);
	put(o, (uint64_t)v & 0x7f, 1);
}

/* Gives its offset. */
static inline uint64_t put_text(struct bytes *o, const char *s)
{
	size_t at = o->b.n;
	vec_append(&o->b, (const uint8_t *)s, strlen(s) + 1);
	return at;
}

static inline void put_addr(struct bytes *o, uint64_t v)
{
	put(o, v, o->shape.address_size);
}

static inline void put_offset(struct bytes *o, uint64_t v)
{
	put(o, v, o->shape.offset_size);
}

/* Code, tag, has children, then pairs of attribute and form, then 0. */
static inline void put_abbrev(struct bytes *o, uint64_t code, int tag, int children, ...)
{
	va_list ap;
	put_uleb(o, code);
	put_uleb(o, (uint64_t)tag);
	put(o, (uint64_t)children, 1);
	va_start(ap, children);
	for (int attr; (attr = va_arg(ap, int));) {
		int form = va_arg(ap, int);
		put_uleb(o, (uint64_t)attr);
		put_uleb(o, (uint64_t)form);
		if (form == DW_FORM_implicit_const)
			put_sleb(o, va_arg(ap, int));
	}
	va_end(ap);
	put(o, 0, 2);
}

/* A length to be known later, as all units and tables begin. */
static inline void length_begin(struct bytes *o)
{
	o->unit = o->b.n;
	if (o->shape.offset_size == 8)
		put(o, UINT32_MAX, 4);
	put_offset(o, 0);
}

static inline void length_end(struct bytes *o)
{
	size_t at = o->unit + (o->shape.offset_size == 8 ? 4 : 0);
	patch(o, at, o->b.n - at - o->shape.offset_size, o->shape.offset_size);
}

static inline void unit_begin(struct bytes *o, int kind, uint64_t abbrev, uint64_t id)
{
	length_begin(o);
	put(o, o->shape.version, 2);
	if (o->shape.version >= 5) {
		put(o, (uint64_t)kind, 1);
		put(o, o->shape.address_size, 1);
		put_offset(o, abbrev);
		if (kind != DW_UT_compile && kind != DW_UT_partial)
			put(o, id, 8);
	} else {
		put_offset(o, abbrev);
		put(o, o->shape.address_size, 1);
		if (kind == DW_UT_type)
			put(o, id, 8);
	}
}

/* The offset a reference inside the unit needs to come here. */
static inline uint64_t here(const struct bytes *o)
{
	return o->b.n - o->unit;
}

#define assert_text(s, text) assert_true(str_is(s, text))

#endif
