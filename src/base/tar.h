/* tar, as far as an archive of files and links needs it: ustar headers, and GNU's entries for names
 * that do not fit into one. Contents follow a header, filled up to whole blocks. */
#ifndef KILN_TAR_H
#define KILN_TAR_H

#include "base/out.h"
#include "base/str.h"

#define TAR_BLOCK 512

enum tar_type {
	TAR_FILE = '0',
	TAR_SYMLINK = '2',
	TAR_DIRECTORY = '5',
	TAR_LONG_LINK = 'K', /* its contents are the target of the next entry's link … */
	TAR_LONG_NAME = 'L', /* … or the next entry's name */
};

struct tar_entry {
	char type;
	uint64_t size; /* of the contents */
	uint32_t mode;
	int64_t time;
	struct str name, link;
};

/* The header of an entry, with those before it that its names need. */
void tar_header(struct out *o, const struct tar_entry *e);

/* What is needed behind contents of this size to fill their last block. */
static inline size_t tar_padding(uint64_t size)
{
	return (size_t)(-size & (TAR_BLOCK - 1));
}

/* One block; names stay borrowed from it or from *scratch (at least 257 bytes). False when its sum
 * is wrong or a number is none. The end of an archive (a block of zeros) has type 0. */
MUST_USE bool tar_parse(const char *block, struct tar_entry *e, char *scratch);

#endif
