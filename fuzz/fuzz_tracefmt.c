/*
 * Tracing data and records for it. The input is both: the payload, and its last bytes, in pieces,
 * as records of every type it describes.
 */
#include <stdlib.h>

#include "event/tracefmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool resolve(void *ctx, uint64_t addr, struct str *name, uint64_t *start)
{
	(void)ctx;
	*name = STR("function");
	*start = addr & ~(uint64_t)0xff;
	return addr & 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diags diags = {0};
	struct err err = {0};
	struct tracefmt *t = tracefmt_new(str_make((const char *)data, size), &diags, &err);
	if (!t) {
		if (!err.text[0])
			abort();
		return 0;
	}
	tracefmt_set_resolver(t, resolve, NULL);
	uint8_t record[256];
	for (uint32_t id = 0; id < 4096; id++) {
		struct str name = tracefmt_name(t, id);
		if (!name.n)
			continue;
		size_t n = MIN(size, sizeof record);
		memcpy(record, data + size - n, n);
		uint16_t type = (uint16_t)id;
		memcpy(record, &type, sizeof type);
		for (size_t cut = n; cut > 2; cut /= 2) {
			/* Exactly as large as it says, so that a read behind it is seen. */
			uint8_t *copy = malloc(cut);
			struct out o;
			if (!copy)
				abort();
			memcpy(copy, record, cut);
			out_memory(&o);
			(void)tracefmt_print(t, &o, copy, cut);
			(void)out_finish(&o);
			free(copy);
		}
	}
	tracefmt_free(t);
	return 0;
}
