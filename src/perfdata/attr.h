/*
 * struct attr: perf_event_attr as kiln sees it. The kernel's structure is a row of bit fields whose
 * layout depends on byte order and whose size depends on the kernel; here the flags are one word
 * with the bit numbers of a little-endian kernel, and every field exists. Decoded from any size
 * (older: the missing fields are zero; newer: the rest is ignored), encoded to 128 bytes, which
 * perf 5.13 and later accept, or to the smallest size that holds what is used.
 */
#ifndef KILN_ATTR_H
#define KILN_ATTR_H

#include "base/base.h"
#include "base/cursor.h"

#define FORMAT_LOST (1U << 4) /* PERF_FORMAT_LOST, since 6.0: older headers do not name it */

enum attr_flag {
	ATTR_DISABLED = 1 << 0,
	ATTR_INHERIT = 1 << 1,
	ATTR_PINNED = 1 << 2,
	ATTR_EXCLUSIVE = 1 << 3,
	ATTR_EXCLUDE_USER = 1 << 4,
	ATTR_EXCLUDE_KERNEL = 1 << 5,
	ATTR_EXCLUDE_HV = 1 << 6,
	ATTR_EXCLUDE_IDLE = 1 << 7,
	ATTR_MMAP = 1 << 8,
	ATTR_COMM = 1 << 9,
	ATTR_FREQ = 1 << 10,
	ATTR_INHERIT_STAT = 1 << 11,
	ATTR_ENABLE_ON_EXEC = 1 << 12,
	ATTR_TASK = 1 << 13,
	ATTR_WATERMARK = 1 << 14,
	ATTR_PRECISE_SHIFT = 15, /* two bits: precise_ip */
	ATTR_MMAP_DATA = 1 << 17,
	ATTR_SAMPLE_ID_ALL = 1 << 18,
	ATTR_EXCLUDE_HOST = 1 << 19,
	ATTR_EXCLUDE_GUEST = 1 << 20,
	ATTR_EXCLUDE_CALLCHAIN_KERNEL = 1 << 21,
	ATTR_EXCLUDE_CALLCHAIN_USER = 1 << 22,
	ATTR_MMAP2 = 1 << 23,
	ATTR_COMM_EXEC = 1 << 24,
	ATTR_USE_CLOCKID = 1 << 25,
	ATTR_CONTEXT_SWITCH = 1 << 26,
	ATTR_WRITE_BACKWARD = 1 << 27,
	ATTR_NAMESPACES = 1 << 28,
	ATTR_KSYMBOL = 1 << 29,
	ATTR_BPF_EVENT = 1 << 30,
};
/* Bits above what an enum constant (int) holds. */
#define ATTR_AUX_OUTPUT ((uint64_t)1 << 31)
#define ATTR_CGROUP ((uint64_t)1 << 32)
#define ATTR_TEXT_POKE ((uint64_t)1 << 33)
#define ATTR_BUILD_ID ((uint64_t)1 << 34)
#define ATTR_INHERIT_THREAD ((uint64_t)1 << 35)
#define ATTR_REMOVE_ON_EXEC ((uint64_t)1 << 36)
#define ATTR_SIGTRAP ((uint64_t)1 << 37)

struct attr {
	uint32_t type;
	uint32_t size; /* as found in the input; ATTR_BYTES when made here */
	uint64_t config;
	uint64_t sample_period; /* a frequency when ATTR_FREQ is set */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags;
	uint32_t wakeup_events; /* bytes when ATTR_WATERMARK is set */
	uint32_t bp_type;
	uint64_t config1; /* bp_addr, kprobe_func, uprobe_path */
	uint64_t config2; /* bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
};

#define ATTR_BYTES 128

static inline unsigned attr_precise(const struct attr *a)
{
	return (unsigned)(a->flags >> ATTR_PRECISE_SHIFT) & 3;
}

/* Reads one attr from the front of c, which is left behind attr.size bytes (never less than 64:
 * a size of 0 or below 64 is malformed and gives false). */
MUST_USE bool attr_decode(struct cursor *c, struct attr *out);

/* The native 128-byte form, e.g. for perf_event_open(2); its size field is ATTR_BYTES. */
void attr_encode(const struct attr *a, uint8_t out[ATTR_BYTES]);

/* The smallest size (112, 120 or 128: those of 4.8, 5.5 and 5.13) that holds what this attr uses.
 * perf refuses files with attrs larger than the ones it was built with, so files use this. */
uint32_t attr_file_size(const struct attr *a);

/* Where the event id (IDENTIFIER or ID) lies in a sample body and, counted from the end, in the
 * trailer of other records; in units of 8 bytes. False when such records carry no id. */
bool attr_id_in_sample(const struct attr *a, size_t *words_from_start);
bool attr_id_in_trailer(const struct attr *a, size_t *words_from_end);

#endif
