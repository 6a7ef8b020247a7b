/* For tests: a kernel's description of its types, made by hand. */
#ifndef KILN_TEST_BTF_H
#define KILN_TEST_BTF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/out.h"
#include "capture/filter_btf.h"

enum { INT = 1, STRUCT = 4, UNION = 5, TYPEDEF = 8, FUNC = 12, FUNC_PROTO = 13 };

struct types {
	struct out types, names;
	uint32_t count;
	bool swap;
};

static inline void put32(struct types *t, uint32_t v)
{
	v = t->swap ? swap32(v) : v;
	out_bytes(&t->types, &v, sizeof v);
}

static inline uint32_t name(struct types *t, const char *text)
{
	uint32_t at = (uint32_t)t->names.n;
	out_bytes(&t->names, text, strlen(text) + 1);
	return *text ? at : 0;
}

static inline uint32_t type(struct types *t, const char *text, uint32_t kind, uint32_t count,
			    bool bits, uint32_t size)
{
	put32(t, name(t, text));
	put32(t, kind << 24 | count | (uint32_t)bits << 31);
	put32(t, size);
	return ++t->count;
}

static inline void member(struct types *t, const char *text, uint32_t of, uint32_t place)
{
	put32(t, name(t, text));
	put32(t, of);
	put32(t, place);
}

static inline uint32_t integer(struct types *t, const char *text, uint32_t bits)
{
	uint32_t id = type(t, text, INT, 0, false, bits / 8);
	put32(t, bits);
	return id;
}

#define SAMPLE_WORDS 24

/* The members that filters look at, at other places than in any kernel; returns the bytes. */
static inline struct str make_types(struct out *o, bool swap, bool prepares)
{
	struct types t = {.swap = swap};
	out_memory(&t.types);
	out_memory(&t.names);
	out_char(&t.names, '\0');
	uint32_t u64 = integer(&t, "long", 64), u32 = integer(&t, "int", 32);
	uint32_t u16 = integer(&t, "short", 16);
	uint32_t named = type(&t, "u64", TYPEDEF, 0, false, u64);
	uint32_t tid = type(&t, "", STRUCT, 2, false, 8);
	member(&t, "pid", u32, 0);
	member(&t, "tid", u32, 32);
	uint32_t cpu = type(&t, "", STRUCT, 2, false, 8);
	member(&t, "cpu", u32, 0);
	member(&t, "reserved", u32, 32);
	uint32_t parts = type(&t, "", STRUCT, 3, false, 8);
	member(&t, "var1_dw", u32, 0);
	member(&t, "var2_w", u16, 32);
	member(&t, "var3_w", u16, 48);
	uint32_t weight = type(&t, "perf_sample_weight", UNION, 2, false, 8);
	member(&t, "full", named, 0);
	member(&t, "", parts, 0);
	static const struct {
		const char *name;
		uint32_t bits;
	} fields[] = {
		{"mem_op", 5},   {"mem_lvl", 14},    {"mem_snoop", 5},  {"mem_lock", 2},
		{"mem_dtlb", 7}, {"mem_lvl_num", 4}, {"mem_remote", 1}, {"mem_snoopx", 2},
		{"mem_blk", 3},  {"mem_hops", 3},
	};
	uint32_t source_bits = type(&t, "", STRUCT, ARRAY_LEN(fields), true, 8), at = 0;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		member(&t, fields[i].name, u64, fields[i].bits << 24 | at);
		at += fields[i].bits;
	}
	uint32_t source = type(&t, "perf_mem_data_src", UNION, 2, false, 8);
	member(&t, "val", u64, 0);
	member(&t, "", source_bits, 0);
	type(&t, "perf_sample_data", STRUCT, 14, false, SAMPLE_WORDS * 8);
	member(&t, "cgroup", named, 1 * 64);
	member(&t, "data_page_size", named, 2 * 64);
	member(&t, "code_page_size", named, 3 * 64);
	member(&t, "phys_addr", named, 4 * 64);
	member(&t, "data_src", source, 5 * 64);
	member(&t, "weight", weight, 6 * 64);
	member(&t, "txn", named, 7 * 64);
	member(&t, "period", named, 8 * 64);
	member(&t, "addr", named, 9 * 64);
	member(&t, "time", named, 10 * 64);
	member(&t, "cpu_entry", cpu, 11 * 64);
	member(&t, "tid_entry", tid, 12 * 64);
	member(&t, "id", named, 13 * 64);
	member(&t, "ip", named, 14 * 64);
	type(&t, "bpf_perf_event_data_kern", STRUCT, 3, false, 24);
	member(&t, "regs", named, 0);
	member(&t, "event", named, 64);
	member(&t, "data", named, 128);
	uint32_t proto = type(&t, "", FUNC_PROTO, 0, false, 0);
	type(&t, "bpf_cast_to_kern_ctx", FUNC, 0, false, proto);
	if (prepares)
		type(&t, "perf_prepare_header", FUNC, 0, false, proto);

	struct types h = {.swap = swap};
	out_memory(&h.types);
	uint16_t magic = swap ? swap16(0xeb9f) : 0xeb9f;
	out_bytes(&h.types, &magic, 2);
	out_bytes(&h.types, "\1\0", 2);
	put32(&h, 24);
	put32(&h, 0);
	put32(&h, (uint32_t)t.types.n);
	put32(&h, (uint32_t)t.types.n);
	put32(&h, (uint32_t)t.names.n);
	*o = h.types;
	out_bytes(o, t.types.buf, t.types.n);
	out_bytes(o, t.names.buf, t.names.n);
	(void)out_finish(&t.types);
	(void)out_finish(&t.names);
	return out_text(o);
}

static inline void open_types(struct btf *b, struct out *o, bool swap, bool prepares)
{
	struct err err = {0};
	if (!btf_open(b, make_types(o, swap, prepares), &err))
		fail_msg("%s", err.text);
}

#endif
