#include "perfdata/attr.h"

#include <linux/perf_event.h>

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define ATTR_BYTES_MIN 64 /* the first version of the structure */

static uint8_t reverse_bits(uint8_t b)
{
	b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
	b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
	return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

/*
 * The flags are a row of bit fields, and a big-endian compiler lays them out from the high bit of
 * the first byte, a little-endian one from the low bit. So the bytes keep their places and the
 * bits inside each byte turn around; the one field of two bits (precise_ip) turns around with them.
 */
static uint64_t flags_from_bytes(const uint8_t *p, bool big_endian)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)(big_endian ? reverse_bits(p[i]) : p[i]) << (8 * i);
	if (big_endian) {
		uint64_t precise = v >> ATTR_PRECISE_SHIFT & 3;
		v &= ~((uint64_t)3 << ATTR_PRECISE_SHIFT);
		v |= (precise >> 1 | (precise & 1) << 1) << ATTR_PRECISE_SHIFT;
	}
	return v;
}

bool attr_decode(struct cursor *c, struct attr *out)
{
	*out = (struct attr){0};
	struct cursor head = *c;
	(void)cursor_u32(&head);
	uint32_t size = cursor_u32(&head);
	if (head.bad || size < ATTR_BYTES_MIN || size > cursor_left(c))
		return cursor_fail(c);

	/* Reads behind the end of an older, shorter attr give zeros, which is what is wanted. */
	struct cursor a = cursor_sub(c, size);
	out->type = cursor_u32(&a);
	out->size = cursor_u32(&a);
	out->config = cursor_u64(&a);
	out->sample_period = cursor_u64(&a);
	out->sample_type = cursor_u64(&a);
	out->read_format = cursor_u64(&a);
	out->flags = flags_from_bytes(cursor_bytes(&a, 8), a.swap != HOST_BIG_ENDIAN);
	out->wakeup_events = cursor_u32(&a);
	out->bp_type = cursor_u32(&a);
	out->config1 = cursor_u64(&a);
	out->config2 = cursor_u64(&a);
	out->branch_sample_type = cursor_u64(&a);
	out->sample_regs_user = cursor_u64(&a);
	out->sample_stack_user = cursor_u32(&a);
	out->clockid = (int32_t)cursor_u32(&a);
	out->sample_regs_intr = cursor_u64(&a);
	out->aux_watermark = cursor_u32(&a);
	out->sample_max_stack = cursor_u16(&a);
	(void)cursor_u16(&a);
	out->aux_sample_size = cursor_u32(&a);
	out->aux_action = cursor_u32(&a);
	out->sig_data = cursor_u64(&a);
	out->config3 = cursor_u64(&a);
	return true;
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof v);
}

static void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof v);
}

static void flags_to_bytes(uint8_t *p, uint64_t flags)
{
	uint8_t plain[8];
	for (unsigned i = 0; i < 8; i++)
		plain[i] = (uint8_t)(flags >> (8 * i));
	/* Turning around twice gives the start back, so the decoder also encodes. */
	uint64_t v = flags_from_bytes(plain, HOST_BIG_ENDIAN);
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

void attr_encode(const struct attr *a, uint8_t out[ATTR_BYTES])
{
	memset(out, 0, ATTR_BYTES);
	put32(out + 0, a->type);
	put32(out + 4, ATTR_BYTES);
	put64(out + 8, a->config);
	put64(out + 16, a->sample_period);
	put64(out + 24, a->sample_type);
	put64(out + 32, a->read_format);
	flags_to_bytes(out + 40, a->flags);
	put32(out + 48, a->wakeup_events);
	put32(out + 52, a->bp_type);
	put64(out + 56, a->config1);
	put64(out + 64, a->config2);
	put64(out + 72, a->branch_sample_type);
	put64(out + 80, a->sample_regs_user);
	put32(out + 88, a->sample_stack_user);
	put32(out + 92, (uint32_t)a->clockid);
	put64(out + 96, a->sample_regs_intr);
	put32(out + 104, a->aux_watermark);
	memcpy(out + 108, &a->sample_max_stack, sizeof a->sample_max_stack);
	put32(out + 112, a->aux_sample_size);
	put32(out + 116, a->aux_action);
	put64(out + 120, a->sig_data);
}

uint32_t attr_file_size(const struct attr *a)
{
	if (a->sig_data)
		return 128;
	return a->aux_sample_size || a->aux_action ? 120 : 112;
}

bool attr_id_in_sample(const struct attr *a, size_t *words_from_start)
{
	uint64_t t = a->sample_type;
	if (t & PERF_SAMPLE_IDENTIFIER) {
		*words_from_start = 0;
		return true;
	}
	*words_from_start = (size_t)__builtin_popcountll(
		t & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
	return t & PERF_SAMPLE_ID;
}

bool attr_id_in_trailer(const struct attr *a, size_t *words_from_end)
{
	uint64_t t = a->sample_type;
	if (!(a->flags & ATTR_SAMPLE_ID_ALL))
		return false;
	*words_from_end = 1;
	if (t & PERF_SAMPLE_IDENTIFIER)
		return true;
	*words_from_end += (size_t)__builtin_popcountll(t &
							(PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID));
	return t & PERF_SAMPLE_ID;
}
