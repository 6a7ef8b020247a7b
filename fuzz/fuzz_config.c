/* perf's configuration text: what was read is the same when it is printed and read again. */
#include <stdlib.h>

#include "base/config_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_set first = {0}, again = {0};
	unsigned bad;
	if (size > CONFIG_MAX_BYTES)
		return 0;
	(void)!config_parse(&first, str_make((const char *)data, size), false, &bad);
	struct out o;
	out_memory(&o);
	bool printable = true;
	for (size_t i = 0; i < first.items.n; i++) {
		const struct config_item *item = &first.items.v[i];
		/* A quoted part of a section is not quoted again, and C ends texts at a NUL. */
		printable &= !memchr(item->value.p, 0, item->value.n) &&
			     !memchr(item->value.p, '\r', item->value.n);
		for (size_t k = 0; k < item->section.n; k++)
			printable &= strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.",
					    item->section.p[k]) &&
				     item->section.p[k];
	}
	if (printable) {
		config_print(&o, &first, false);
		if (!config_parse(&again, out_text(&o), false, &bad) ||
		    again.items.n != first.items.n)
			abort();
		for (size_t i = 0; i < first.items.n; i++)
			if (!str_eq(first.items.v[i].value, again.items.v[i].value))
				abort();
	}
	(void)out_finish(&o);
	config_free(&first);
	config_free(&again);
	return 0;
}
