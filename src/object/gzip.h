/* gzip streams. Reading takes plain files, too. */
#ifndef KILN_GZIP_H
#define KILN_GZIP_H

#include "base/base.h"
#include "base/err.h"

struct gzip;

/* `name` is for messages and is borrowed; the descriptor is closed with the stream, also when
 * opening fails. */
struct gzip *gzip_write_open(int fd, const char *name, struct err *err);
struct gzip *gzip_read_open(int fd, const char *name, struct err *err);

MUST_USE bool gzip_write(struct gzip *g, const void *p, size_t n, struct err *err);
/* Exactly n bytes, or none at the end (*end); false when the stream is cut or damaged. */
MUST_USE bool gzip_read(struct gzip *g, void *p, size_t n, bool *end, struct err *err);

/* False when what is left could not be written. */
MUST_USE bool gzip_close(struct gzip *g, struct err *err);

#endif
