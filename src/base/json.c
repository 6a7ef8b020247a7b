#include "base/json.h"

/* Bytes of the UTF-8 sequence at p, of which n bytes are there; 0 when it is none. */
static size_t utf8_length(const uint8_t *p, size_t n)
{
	size_t want = p[0] < 0x80   ? 1
		      : p[0] < 0xc2 ? 0
		      : p[0] < 0xe0 ? 2
		      : p[0] < 0xf0 ? 3
		      : p[0] < 0xf5 ? 4
				    : 0;
	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what lies above U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return want;
}

void json_string(struct out *o, struct str s)
{
	out_char(o, '"');
	for (size_t i = 0; i < s.n;) {
		size_t n = utf8_length((const uint8_t *)s.p + i, s.n - i);
		uint8_t c = (uint8_t)s.p[i];
		if (!n)
			out_cstr(o, "\\ufffd");
		else if (c == '"' || c == '\\')
			out_fmt(o, "\\%c", c);
		else if (c < ' ')
			out_fmt(o, "\\u%04x", c);
		else
			out_bytes(o, s.p + i, n);
		i += MAX(n, (size_t)1);
	}
	out_char(o, '"');
}
