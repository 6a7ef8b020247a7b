/*
 * For tests: makes perf.data bytes by hand, of either byte order, sharing no code with what is
 * tested.
 */
#ifndef KILN_TEST_MAKER_H
#define KILN_TEST_MAKER_H

#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "perfdata/record.h"

struct maker {
	struct out o;
	bool swap; /* as a machine of the other byte order would write it */
};

static inline void mk_init(struct maker *m, bool swap)
{
	out_memory(&m->o);
	m->swap = swap;
}

static inline void mk_u16(struct maker *m, uint16_t v)
{
	v = m->swap ? swap16(v) : v;
	out_bytes(&m->o, &v, sizeof v);
}

static inline void mk_u32(struct maker *m, uint32_t v)
{
	v = m->swap ? swap32(v) : v;
	out_bytes(&m->o, &v, sizeof v);
}

static inline void mk_u64(struct maker *m, uint64_t v)
{
	v = m->swap ? swap64(v) : v;
	out_bytes(&m->o, &v, sizeof v);
}

static inline void mk_zeros(struct maker *m, size_t n)
{
	memset(out_room(&m->o, n), 0, n);
	m->o.n += n;
}

/* Text, its NUL, and padding to a multiple. */
static inline void mk_text(struct maker *m, const char *s, size_t multiple)
{
	size_t n = strlen(s) + 1;
	out_bytes(&m->o, s, n);
	mk_zeros(m, (size_t)round_up(n, multiple) - n);
}

static inline void mk_put_u64(struct maker *m, size_t at, uint64_t v)
{
	v = m->swap ? swap64(v) : v;
	memcpy(m->o.buf + at, &v, sizeof v);
}

/* A little-endian compiler puts flag i at bit i; a big-endian one begins each byte at its high
 * bit. This test helper only ever runs on little-endian machines. */
static inline void mk_flags(struct maker *m, uint64_t flags)
{
	uint8_t bytes[8] = {0};
	for (unsigned i = 0; i < 64; i++) {
		unsigned from = i;
		/* The two bits of precise_ip are one number: high bit first. */
		if (m->swap && (i == 15 || i == 16))
			from = 31 - i;
		if (flags >> from & 1)
			bytes[i / 8] |= (uint8_t)(1 << (m->swap ? 7 - i % 8 : i % 8));
	}
	out_bytes(&m->o, bytes, sizeof bytes);
}

/* As a kernel with attrs of this size (64 … 144) would have it. */
static inline void mk_attr(struct maker *m, const struct attr *a, uint32_t size)
{
	size_t start = m->o.n;
	mk_u32(m, a->type);
	mk_u32(m, size);
	mk_u64(m, a->config);
	mk_u64(m, a->sample_period);
	mk_u64(m, a->sample_type);
	mk_u64(m, a->read_format);
	mk_flags(m, a->flags);
	mk_u32(m, a->wakeup_events);
	mk_u32(m, a->bp_type);
	mk_u64(m, a->config1);
	mk_u64(m, a->config2);
	mk_u64(m, a->branch_sample_type);
	mk_u64(m, a->sample_regs_user);
	mk_u32(m, a->sample_stack_user);
	mk_u32(m, (uint32_t)a->clockid);
	mk_u64(m, a->sample_regs_intr);
	mk_u32(m, a->aux_watermark);
	mk_u16(m, a->sample_max_stack);
	mk_u16(m, 0);
	mk_u32(m, a->aux_sample_size);
	mk_u32(m, a->aux_action);
	mk_u64(m, a->sig_data);
	mk_u64(m, a->config3);
	mk_u64(m, 0xeeeeeeeeeeeeeeee); /* a field of the future */
	m->o.n = start + size;
}

static inline size_t mk_record(struct maker *m, uint32_t type, uint16_t misc)
{
	size_t at = m->o.n;
	mk_u32(m, type);
	mk_u16(m, misc);
	mk_u16(m, 0);
	return at;
}

/* Pads to 8 and fills in the size. */
static inline void mk_end(struct maker *m, size_t record)
{
	mk_zeros(m, (size_t)round_up(m->o.n - record, 8) - (m->o.n - record));
	uint16_t size = (uint16_t)(m->o.n - record);
	size = m->swap ? swap16(size) : size;
	memcpy(m->o.buf + record + 6, &size, sizeof size);
}

/* The body of what was made, as a record. */
static inline struct record mk_view(const struct maker *m, uint32_t type, uint16_t misc)
{
	return (struct record){.type = type,
			       .misc = misc,
			       .size = (uint16_t)(m->o.n + 8),
			       .body = (const uint8_t *)m->o.buf,
			       .body_size = m->o.n,
			       .swap = m->swap};
}

/* Bytes as something with a path. The caller closes the descriptor. */
static inline int mk_path(const void *p, size_t n, char path[64])
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		_exit(98);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

#endif
