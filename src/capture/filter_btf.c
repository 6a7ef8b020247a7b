#include "capture/filter_btf.h"

#include "base/cursor.h"

/* A header of its own length (magic, version, flags, hdr_len, type_off, type_len, str_off,
 * str_len), the types one behind the other, the names. */
#define MAGIC 0xeb9f
#define MAX_TYPES (1U << 22)
#define MAX_DEPTH 8    /* of members without a name, and of typedefs */
#define MAX_STEPS 4096 /* members looked at for one name */

enum kind {
	KIND_INT = 1,
	KIND_PTR = 2,
	KIND_ARRAY = 3,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_TYPEDEF = 8,
	KIND_VOLATILE = 9,
	KIND_CONST = 10,
	KIND_RESTRICT = 11,
	KIND_FUNC = 12,
	KIND_FUNC_PROTO = 13,
	KIND_VAR = 14,
	KIND_DATASEC = 15,
	KIND_FLOAT = 16,
	KIND_DECL_TAG = 17,
	KIND_TYPE_TAG = 18,
	KIND_ENUM64 = 19,
};

struct type {
	uint32_t name;
	enum kind kind;
	uint32_t count;     /* of members */
	bool bit_fields;    /* a member's offset has its size in the upper 8 bits */
	uint32_t size;      /* bytes, or the type it is about */
	struct cursor more; /* what belongs to it behind the common part */
};

/* Bytes behind the common part; false for a kind that is not known. */
static bool size_of_rest(enum kind kind, uint32_t count, size_t *size)
{
	switch (kind) {
	case KIND_INT:
	case KIND_VAR:
	case KIND_DECL_TAG:
		*size = 4;
		return true;
	case KIND_ARRAY:
		*size = 12;
		return true;
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_DATASEC:
	case KIND_ENUM64:
		*size = (size_t)count * 12;
		return true;
	case KIND_ENUM:
	case KIND_FUNC_PROTO:
		*size = (size_t)count * 8;
		return true;
	default:
		*size = 0;
		return kind >= KIND_PTR && kind <= KIND_TYPE_TAG;
	}
}

static bool read_type(struct cursor *c, struct type *t)
{
	size_t size;
	t->name = cursor_u32(c);
	uint32_t info = cursor_u32(c);
	t->count = info & 0xffff;
	t->kind = (enum kind)(info >> 24 & 0x1f);
	t->bit_fields = info >> 31;
	t->size = cursor_u32(c);
	if (!size_of_rest(t->kind, t->count, &size))
		return cursor_fail(c);
	t->more = cursor_sub(c, size);
	return !c->bad;
}

static bool read_types(struct btf *b)
{
	struct cursor c = cursor_of(b->types, b->types_size, b->swap);
	struct type t;
	vec_push(&b->at, 0);
	while (cursor_left(&c) && b->at.n < MAX_TYPES) {
		vec_push(&b->at, (uint32_t)(c.p - b->types));
		if (!read_type(&c, &t))
			return false;
	}
	return !cursor_left(&c);
}

bool btf_open(struct btf *b, struct str bytes, struct err *err)
{
	struct cursor c = cursor_of(bytes.p, bytes.n, false);
	*b = (struct btf){0};
	uint16_t magic = cursor_u16(&c);
	c.swap = b->swap = magic == swap16(MAGIC);
	cursor_skip(&c, 2); /* version, flags */
	uint32_t header = cursor_u32(&c), type_off = cursor_u32(&c), type_len = cursor_u32(&c);
	uint32_t str_off = cursor_u32(&c), str_len = cursor_u32(&c);
	struct cursor body = cursor_of(bytes.p, bytes.n, b->swap);
	cursor_skip(&body, header);
	struct cursor types = body, names = body;
	cursor_skip(&types, type_off);
	cursor_skip(&names, str_off);
	b->types = cursor_bytes(&types, type_len);
	b->types_size = type_len;
	b->names = str_make((const char *)cursor_bytes(&names, str_len), str_len);
	if ((magic == MAGIC || b->swap) && !c.bad && !types.bad && !names.bad && read_types(b))
		return true;
	btf_close(b);
	return err_set(err, ERR_INPUT, "the kernel's description of its types is not understood");
}

void btf_close(struct btf *b)
{
	vec_free(&b->at);
}

static bool type_at(const struct btf *b, uint32_t id, struct type *t)
{
	if (!id || id >= b->at.n)
		return false;
	struct cursor c = cursor_of(b->types + b->at.v[id], b->types_size - b->at.v[id], b->swap);
	return read_type(&c, t);
}

static bool is_named(const struct btf *b, uint32_t offset, struct str name)
{
	return offset < b->names.n && b->names.n - offset > name.n &&
	       memcmp(b->names.p + offset, name.p, name.n) == 0 &&
	       b->names.p[offset + name.n] == '\0';
}

static uint32_t find(const struct btf *b, enum kind kind, const char *name)
{
	struct type t;
	for (size_t i = 1; i < b->at.n; i++)
		if (type_at(b, (uint32_t)i, &t) && t.kind == kind &&
		    is_named(b, t.name, str_of(name)))
			return (uint32_t)i;
	return 0;
}

uint32_t btf_struct(const struct btf *b, const char *name)
{
	return find(b, KIND_STRUCT, name);
}

uint32_t btf_function(const struct btf *b, const char *name)
{
	return find(b, KIND_FUNC, name);
}

/* The type behind typedefs and qualifiers. */
static bool resolve(const struct btf *b, uint32_t *id, struct type *t)
{
	for (int i = 0; i < MAX_DEPTH * 2; i++) {
		if (!type_at(b, *id, t))
			return false;
		switch (t->kind) {
		case KIND_TYPEDEF:
		case KIND_VOLATILE:
		case KIND_CONST:
		case KIND_RESTRICT:
		case KIND_TYPE_TAG:
			*id = t->size;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool bits_of(const struct btf *b, uint32_t id, uint64_t *bits)
{
	struct type t;
	if (!resolve(b, &id, &t))
		return false;
	switch (t.kind) {
	case KIND_INT:
	case KIND_STRUCT:
	case KIND_UNION:
	case KIND_ENUM:
	case KIND_ENUM64:
		*bits = (uint64_t)t.size * 8;
		return true;
	case KIND_PTR:
		*bits = 64;
		return true;
	default:
		return false;
	}
}

struct search {
	const struct btf *b;
	struct str name;
	unsigned steps;
	uint32_t type; /* of what was found */
	struct btf_field field;
};

static bool find_member(struct search *s, uint32_t id, uint64_t base, int depth)
{
	struct type t;
	if (depth > MAX_DEPTH || !resolve(s->b, &id, &t) ||
	    (t.kind != KIND_STRUCT && t.kind != KIND_UNION))
		return false;
	for (uint32_t i = 0; i < t.count && s->steps++ < MAX_STEPS; i++) {
		uint32_t name = cursor_u32(&t.more), type = cursor_u32(&t.more);
		uint32_t place = cursor_u32(&t.more);
		uint64_t bits = t.bit_fields ? place >> 24 : 0;
		uint64_t offset = base + (t.bit_fields ? place & 0xffffff : place);
		if (is_named(s->b, name, STR("")) && !bits) {
			if (find_member(s, type, offset, depth + 1))
				return true;
		} else if (is_named(s->b, name, s->name)) {
			s->type = type;
			s->field.offset = offset;
			s->field.size = bits;
			return bits || bits_of(s->b, type, &s->field.size);
		}
	}
	return false;
}

bool btf_member(const struct btf *b, uint32_t id, const char *path, struct btf_field *out)
{
	struct search s = {.b = b, .type = id};
	for (struct str rest = str_of(path); rest.p;) {
		s.name = str_split(rest, '.', &rest);
		s.steps = 0;
		if (!find_member(&s, s.type, s.field.offset, 0))
			return false;
	}
	*out = s.field;
	return true;
}
