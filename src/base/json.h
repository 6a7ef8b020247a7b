/* JSON out: what a text needs to stand between quotes. */
#ifndef KILN_JSON_H
#define KILN_JSON_H

#include "base/out.h"

/* A quoted string. Bytes that are no UTF-8 become U+FFFD, so that the result is valid JSON. */
void json_string(struct out *o, struct str s);

#endif
