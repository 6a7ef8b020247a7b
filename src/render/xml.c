#include "render/xml.h"

#define REPLACEMENT 0xfffdu

/* What XML 1.0 does not allow, control characters, and marks that reorder text: names are hostile.
 */
static uint32_t allowed(uint32_t c)
{
	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
	bool surrogate = c >= 0xd800 && c < 0xe000;
	bool bidi = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
	bool line = c == 0x2028 || c == 0x2029;
	bool none = (c & 0xfffe) == 0xfffe || c > 0x10ffff;
	return control || surrogate || bidi || line || none ? REPLACEMENT : c;
}

uint32_t utf8_next(struct str *s)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s->p;
	unsigned char b = p[0];
	size_t more = b < 0x80 ? 0 : (b & 0xe0) == 0xc0 ? 1 : (b & 0xf0) == 0xe0 ? 2 : 3;
	if (b >= 0x80 && (b < 0xc0 || b >= 0xf8))
		more = SIZE_MAX;
	if (more >= s->n) {
		*s = str_skip(*s, 1);
		return REPLACEMENT;
	}
	uint32_t c = more ? b & (0x3fu >> more) : b;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*s = str_skip(*s, 1);
			return REPLACEMENT;
		}
		c = c << 6 | (p[i] & 0x3f);
	}
	*s = str_skip(*s, more + 1);
	return c < least[more] ? REPLACEMENT : allowed(c);
}

size_t utf8_length(struct str s)
{
	size_t n = 0;
	for (; s.n; n++)
		(void)utf8_next(&s);
	return n;
}

static void put_utf8(struct out *o, uint32_t c)
{
	char b[4];
	if (c < 0x80) {
		out_char(o, (char)c);
		return;
	}
	size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	for (size_t i = more; i > 0; i--, c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	b[0] = (char)((0xf0u << (3 - more) & 0xff) | c);
	out_bytes(o, b, more + 1);
}

void out_xml(struct out *o, struct str s, size_t max)
{
	while (s.n && max--) {
		uint32_t c = utf8_next(&s);
		switch (c) {
		case '<':
			out_cstr(o, "&lt;");
			break;
		case '>':
			out_cstr(o, "&gt;");
			break;
		case '&':
			out_cstr(o, "&amp;");
			break;
		case '"':
			out_cstr(o, "&quot;");
			break;
		case '\'':
			out_cstr(o, "&#39;");
			break;
		default:
			put_utf8(o, c);
		}
	}
}
