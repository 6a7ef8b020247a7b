/* Build ids: the name of a file's contents. */
#ifndef KILN_BUILD_ID_H
#define KILN_BUILD_ID_H

#include "base/base.h"
#include "base/str.h"

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t size; /* 0 = none */
	uint8_t bytes[BUILD_ID_MAX];
};

/* Both present and equal. Recorders pad short ids with zeros up to 20 bytes, so trailing zeros do
 * not count. */
bool build_id_eq(const struct build_id *a, const struct build_id *b);

/* Lower-case hex into buf (at least 2 * BUILD_ID_MAX + 1 bytes), NUL-terminated. */
void build_id_hex(const struct build_id *id, char *buf);
MUST_USE bool build_id_parse(struct str hex, struct build_id *out);

#endif
