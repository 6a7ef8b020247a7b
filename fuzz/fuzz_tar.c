/* Headers of tar files: what is read is what was written, and nothing is read outside the block. */
#include <stdlib.h>

#include "base/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char scratch[257], again_scratch[257];
	struct tar_entry e, again;
	if (size < TAR_BLOCK || !tar_parse((const char *)data, &e, scratch) || !e.type)
		return 0;
	struct out o;
	out_memory(&o);
	tar_header(&o, &e);
	const char *last = o.buf + o.n - TAR_BLOCK;
	if (!tar_parse(last, &again, again_scratch) || again.type != e.type ||
	    again.size != e.size || again.mode != e.mode)
		abort();
	if (e.name.n <= 100 && !str_eq(again.name, e.name))
		abort();
	(void)out_finish(&o);
	return 0;
}
