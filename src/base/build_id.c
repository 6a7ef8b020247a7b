#include "base/build_id.h"

bool build_id_eq(const struct build_id *a, const struct build_id *b)
{
	if (!a->size || !b->size)
		return false;
	for (size_t i = 0; i < BUILD_ID_MAX; i++) {
		uint8_t x = i < a->size ? a->bytes[i] : 0;
		uint8_t y = i < b->size ? b->bytes[i] : 0;
		if (x != y)
			return false;
	}
	return true;
}

void build_id_hex(const struct build_id *id, char *buf)
{
	size_t n = MIN((size_t)id->size, (size_t)BUILD_ID_MAX);
	for (size_t i = 0; i < n; i++) {
		buf[2 * i] = "0123456789abcdef"[id->bytes[i] >> 4];
		buf[2 * i + 1] = "0123456789abcdef"[id->bytes[i] & 15];
	}
	buf[2 * n] = '\0';
}

bool build_id_parse(struct str hex, struct build_id *out)
{
	*out = (struct build_id){0};
	if (hex.n % 2 || hex.n < 2 || hex.n > 2 * BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < hex.n; i += 2) {
		uint64_t byte;
		if (!str_to_u64(str_make(hex.p + i, 2), 16, &byte))
			return false;
		out->bytes[i / 2] = (uint8_t)byte;
	}
	out->size = (uint8_t)(hex.n / 2);
	return true;
}
