#include "perfdata/pack.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "perfdata/emit.h"
#include "perfdata/record.h"

#define RECORD_HEADER 8
/* Readers count on records of a multiple of 8 bytes only where they are not compressed. */
#define PAYLOAD_MAX (UINT16_MAX - RECORD_HEADER - 8)

/* Stacks come again and again, but not soon: low levels find a few percent more with a larger
 * window and table than they have for text, and are not slower. */
#define FAST_LEVEL 2
#define WINDOW_BITS 21
#define HASH_BITS 17

struct packer {
	ZSTD_CCtx *zstd;
	uint64_t in, out;
	uint8_t payload[PAYLOAD_MAX];
};

struct packer *packer_open(unsigned level)
{
	struct packer *p = mem_zalloc(sizeof *p);
	p->zstd = ZSTD_createCCtx();
	bool fast = level <= FAST_LEVEL;
	if (!p->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, (int)level)) ||
	    (fast &&
	     (ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, WINDOW_BITS)) ||
	      ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_hashLog, HASH_BITS))))) {
		packer_close(p);
		return NULL;
	}
	return p;
}

void packer_close(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

static bool pack_piece(struct packer *p, const uint8_t *bytes, size_t n, struct out *records,
		       struct err *err)
{
	ZSTD_inBuffer in = {.src = bytes, .size = n};
	size_t left;
	do {
		ZSTD_outBuffer out = {.dst = p->payload, .size = sizeof p->payload};
		left = ZSTD_compressStream2(p->zstd, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return err_set(err, ERR_SYSTEM, "cannot compress: %s",
				       ZSTD_getErrorName(left));
		if (!out.pos)
			continue;
		put_record_header(records, RECORD_COMPRESSED, 0, RECORD_HEADER + out.pos);
		out_bytes(records, p->payload, out.pos);
		p->out += out.pos;
	} while (left);
	p->in += n;
	return true;
}

bool packer_pack(struct packer *p, const uint8_t *bytes, size_t n, struct out *records,
		 struct err *err)
{
	for (size_t at = 0; at < n; at += PACK_PIECE)
		if (!pack_piece(p, bytes + at, MIN(n - at, (size_t)PACK_PIECE), records, err))
			return false;
	return true;
}

void packer_count(const struct packer *p, uint64_t *in, uint64_t *out)
{
	*in += p->in;
	*out += p->out;
}

void packer_feature(unsigned level, uint64_t in, uint64_t out, struct out *o)
{
	put_u32(o, 1); /* version */
	put_u32(o, 1); /* zstd */
	put_u32(o, level);
	put_u32(o, out ? (uint32_t)MIN(in / out, (uint64_t)UINT32_MAX) : 1);
	put_u32(o, PACK_PIECE);
}
