/* Compressed bytes of ELF sections and files: zlib, gzip, zstd, xz. Each library is asked for here
 * only. */
#ifndef KILN_UNPACK_H
#define KILN_UNPACK_H

#include "base/file.h"

enum packing { PACKED_ZLIB, PACKED_GZIP, PACKED_ZSTD, PACKED_XZ };

/* At most `limit` bytes come out; false when there are more, when the bytes are damaged or when
 * this build cannot read them. Memory is touched only as far as bytes come out, so a limit taken
 * from a lying header costs nothing. Freed by file_unmap(). */
MUST_USE bool unpack(enum packing how, struct str in, size_t limit, struct mapped *out);

/* How a whole file is packed, by its first bytes; false: it is not. */
bool packing_of(struct str file, enum packing *how);

#endif
