/* Text for XML and HTML: whatever the bytes are, what comes out is well-formed and inert. */
#ifndef KILN_XML_H
#define KILN_XML_H

#include "base/out.h"
#include "base/str.h"

/* The next character of UTF-8 text, taken off its front; U+FFFD for a byte that belongs to none and
 * for characters that XML forbids or that turn text around on the screen. Line ends and tabs become
 * blanks. Wants s->n > 0. */
uint32_t utf8_next(struct str *s);

/* Characters, as utf8_next() counts them. */
size_t utf8_length(struct str s);

/* Up to `max` characters, with < > & " ' escaped. */
void out_xml(struct out *o, struct str s, size_t max);

#endif
