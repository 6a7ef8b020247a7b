/* Makes jitdumps for tests, in either byte order. */
#ifndef KILN_TEST_JITDUMP_H
#define KILN_TEST_JITDUMP_H

#include "base/out.h"

struct dump_maker {
	struct out out;
	bool swap;
};

static inline void dump_u32(struct dump_maker *m, uint32_t v)
{
	v = m->swap ? swap32(v) : v;
	out_bytes(&m->out, &v, sizeof v);
}

static inline void dump_u64(struct dump_maker *m, uint64_t v)
{
	v = m->swap ? swap64(v) : v;
	out_bytes(&m->out, &v, sizeof v);
}

static inline void dump_begin(struct dump_maker *m, bool swap, uint64_t flags)
{
	out_memory(&m->out);
	m->swap = swap;
	dump_u32(m, 0x4a695444);
	dump_u32(m, 1);
	dump_u32(m, 40);
	dump_u32(m, 62);
	dump_u32(m, 0);
	dump_u32(m, 1234);
	dump_u64(m, 0);
	dump_u64(m, flags);
}

static inline void dump_record(struct dump_maker *m, uint32_t id, size_t body, uint64_t time)
{
	dump_u32(m, id);
	dump_u32(m, (uint32_t)(16 + body));
	dump_u64(m, time);
}

static inline void dump_load(struct dump_maker *m, uint64_t time, uint64_t addr, uint64_t size,
			     uint64_t index, const char *name)
{
	dump_record(m, 0, 40 + strlen(name) + 1 + size, time);
	dump_u32(m, 1234);
	dump_u32(m, 1234);
	dump_u64(m, addr);
	dump_u64(m, addr);
	dump_u64(m, size);
	dump_u64(m, index);
	out_bytes(&m->out, name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		out_char(&m->out, (char)(addr + i));
}

static inline void dump_move(struct dump_maker *m, uint64_t time, uint64_t from, uint64_t to,
			     uint64_t size, uint64_t index)
{
	dump_record(m, 1, 48, time);
	dump_u32(m, 1234);
	dump_u32(m, 1234);
	dump_u64(m, to);
	dump_u64(m, from);
	dump_u64(m, to);
	dump_u64(m, size);
	dump_u64(m, index);
}

static inline void dump_line(struct dump_maker *m, uint64_t addr, uint32_t line, uint32_t column,
			     const char *file, size_t file_size)
{
	dump_u64(m, addr);
	dump_u32(m, line);
	dump_u32(m, column);
	out_bytes(&m->out, file, file_size);
}

#endif
