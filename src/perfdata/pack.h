/* Compression of records on their way to a file: one zstd stream through COMPRESSED records. */
#ifndef KILN_PACK_H
#define KILN_PACK_H

#include "base/err.h"
#include "base/out.h"

/* A reader has to have room for what one COMPRESSED record unpacks to; the header says how much. */
#define PACK_PIECE (256U << 10)

struct packer;

struct packer *packer_open(unsigned level);
void packer_close(struct packer *p);

/* Appends the records that hold these bytes; a reader that has them has all of the bytes. */
MUST_USE bool packer_pack(struct packer *p, const uint8_t *bytes, size_t n, struct out *records,
			  struct err *err);

/* Adds the bytes it was given and made. */
void packer_count(const struct packer *p, uint64_t *in, uint64_t *out);

/* The payload of the COMPRESSED feature. */
void packer_feature(unsigned level, uint64_t in, uint64_t out, struct out *o);

#endif
