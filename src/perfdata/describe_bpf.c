/*
 * BPF programs that were loaded. A program is kept as the kernel's struct bpf_prog_info with its
 * arrays behind it, the pointers turned into offsets; function names are in the BTF of its btf_id.
 */
#include "perfdata/describe_view.h"

/* Offsets into struct bpf_prog_info; the kernel only ever adds to its end. */
enum {
	INFO_ID = 4,
	INFO_NAME = 64,
	INFO_NAME_SIZE = 16,
	INFO_NR_KSYMS = 104,
	INFO_NR_LENS = 108,
	INFO_KSYMS = 112,
	INFO_LENS = 120,
	INFO_BTF_ID = 128,
	INFO_FUNC_SIZE = 132,
	INFO_FUNCS = 136,
	INFO_NR_FUNCS = 144,
	INFO_NR_TAGS = 180,
	INFO_TAGS = 184,
	INFO_MIN = 192,
};

enum { TAG_SIZE = 8, BTF_MAGIC = 0xeb9f };

/* The kernel allows 256 functions in a program. */
#define FUNCTIONS_MAX 256
/* Names are looked up by walking the BTF, which is small unless the file lies: after so many bytes
 * functions go without. */
#define WALK_MAX ((size_t)256 << 20)

struct program {
	const uint8_t *info;
	struct str data;
	struct str btf; /* empty when not recorded */
	size_t *walked;
};

/* Item i of an array in data, or NULL when it is not in there. */
static const uint8_t *item(const struct program *p, size_t info_offset, uint64_t i, uint64_t size)
{
	uint64_t offset = load64(p->info + info_offset), end;
	if (__builtin_mul_overflow(i, size, &end) || __builtin_add_overflow(end, offset, &offset) ||
	    __builtin_add_overflow(offset, size, &end) || end > p->data.n)
		return NULL;
	return (const uint8_t *)p->data.p + offset;
}

/* Bytes behind a BTF type of this kind with n members; the kinds are the kernel's. */
static size_t btf_extra(unsigned kind, size_t n)
{
	switch (kind) {
	case 1:  /* int */
	case 14: /* variable */
	case 17: /* declaration tag */
		return 4;
	case 3: /* array */
		return 12;
	case 4:  /* struct */
	case 5:  /* union */
	case 15: /* section */
	case 19: /* 64-bit enum */
		return n * 12;
	case 6:  /* enum */
	case 13: /* function prototype */
		return n * 8;
	default:
		return 0;
	}
}

static struct str btf_text(struct str btf, uint32_t strings, uint32_t offset)
{
	struct cursor c = cursor_of(btf.p, btf.n, false);
	cursor_skip(&c, (size_t)strings + offset);
	return cursor_cstr(&c);
}

/* The name of type `id`; empty when there is none. */
static struct str btf_name(struct str btf, uint32_t id)
{
	struct cursor c = cursor_of(btf.p, btf.n, false);
	uint16_t magic = cursor_u16(&c);
	cursor_skip(&c, 2); /* version, flags */
	uint32_t head = cursor_u32(&c), types = cursor_u32(&c), types_size = cursor_u32(&c);
	uint32_t strings = cursor_u32(&c);
	if (c.bad || magic != BTF_MAGIC)
		return STR("");
	c = cursor_of(btf.p, btf.n, false);
	cursor_skip(&c, (size_t)head + types);
	c = cursor_sub(&c, types_size);
	for (uint32_t i = 1; cursor_left(&c); i++) {
		uint32_t name = cursor_u32(&c), info = cursor_u32(&c);
		cursor_skip(&c, 4); /* size or type */
		if (c.bad)
			break;
		if (i == id)
			return btf_text(btf, head + strings, name);
		cursor_skip(&c, btf_extra(info >> 24 & 31, info & 0xffff));
	}
	return STR("");
}

/* What perf puts behind the tag. */
static struct str function_name(const struct program *p, uint32_t i, uint32_t count)
{
	if (p->btf.n) {
		uint32_t size = load32(p->info + INFO_FUNC_SIZE);
		const uint8_t *f = i < load32(p->info + INFO_NR_FUNCS) && size >= 8
					   ? item(p, INFO_FUNCS, i, size)
					   : NULL;
		*p->walked += p->btf.n;
		return f && *p->walked < WALK_MAX ? btf_name(p->btf, load32(f + 4)) : STR("");
	}
	if (count > 1)
		return STR("F");
	const char *name = (const char *)p->info + INFO_NAME;
	return str_make(name, strnlen(name, INFO_NAME_SIZE));
}

/* "bpf_prog_59f4a931744dcdc6_hello addr 0xffffffffc0022058 size 20" */
static void put_function(struct out *o, const struct program *p, uint32_t i, uint32_t count)
{
	const uint8_t *tag = item(p, INFO_TAGS, i, TAG_SIZE);
	const uint8_t *addr = item(p, INFO_KSYMS, i, 8), *len = item(p, INFO_LENS, i, 4);
	struct str name = function_name(p, i, count);
	out_cstr(o, " bpf_prog_");
	for (unsigned k = 0; k < TAG_SIZE; k++)
		out_fmt(o, "%02x", tag[k]);
	if (name.n) {
		out_char(o, '_');
		out_str(o, name);
	}
	out_fmt(o, " addr 0x%" PRIx64 " size %u\n", load64(addr), load32(len));
}

static void put_program(struct out *o, const struct program *p)
{
	uint32_t id = load32(p->info + INFO_ID), n = load32(p->info + INFO_NR_KSYMS);
	if (!n || n > FUNCTIONS_MAX || n != load32(p->info + INFO_NR_LENS) ||
	    n != load32(p->info + INFO_NR_TAGS) || !item(p, INFO_TAGS, n - 1, TAG_SIZE) ||
	    !item(p, INFO_KSYMS, n - 1, 8) || !item(p, INFO_LENS, n - 1, 4))
		return;
	out_fmt(o, "# bpf_prog_info %u:", id);
	if (n == 1) {
		put_function(o, p, 0, n);
		return;
	}
	out_char(o, '\n');
	for (uint32_t i = 0; i < n; i++) {
		out_fmt(o, "# \tsub_prog %u:", i);
		put_function(o, p, i, n);
	}
}

/* u32 count; each u32 id, u32 size, bytes. */
static struct str find_btf(const struct view *v, uint32_t id, size_t *walked)
{
	struct str all = perfdata_feature(v->pd, FEAT_BPF_BTF);
	struct cursor c = cursor_of(all.p, all.n, false);
	uint32_t n = cursor_u32(&c);
	for (uint32_t i = 0; i < n && !c.bad && *walked < WALK_MAX; i++) {
		*walked += 8;
		uint32_t found = cursor_u32(&c), size = cursor_u32(&c);
		const uint8_t *bytes = cursor_bytes(&c, size);
		if (bytes && found == id)
			return str_make((const char *)bytes, size);
	}
	return STR("");
}

/* u32 count; each u32 size of info, u32 size of data, u64 which arrays, info, data. */
void view_bpf_prog_info(struct view *v)
{
	struct cursor *c = &v->c;
	/* The structure is the kernel's own; perf does not read a foreign one either. */
	if (v->h->swapped)
		return;
	uint32_t n = cursor_u32(c);
	size_t walked = 0;
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		uint32_t info_size = cursor_u32(c), data_size = cursor_u32(c);
		cursor_skip(c, 8);
		struct program p = {.info = cursor_bytes(c, info_size), .walked = &walked};
		p.data = str_make((const char *)cursor_bytes(c, data_size), data_size);
		if (c->bad || info_size < INFO_MIN)
			return;
		uint32_t btf_id = load32(p.info + INFO_BTF_ID);
		p.btf = btf_id ? find_btf(v, btf_id, &walked) : STR("");
		put_program(v->o, &p);
	}
}

void view_bpf_btf(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->h->swapped; i++) {
		uint32_t id = cursor_u32(&v->c), size = cursor_u32(&v->c);
		cursor_skip(&v->c, size);
		if (v->c.bad)
			return;
		out_fmt(v->o, "# btf info of id %u\n", id);
	}
}
