/* jitdumps: whatever is told can be asked for, and stays within the file. */
#include <stdlib.h>

#include "object/jit_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_code(const struct jit_table *t, const struct jit_code *c, const uint8_t *data,
		       size_t size)
{
	struct str file;
	uint32_t line, column;
	struct jit_frames frames;
	if (c->addr >= c->end || c->generation >= t->generations || c->load > t->loads.n)
		abort();
	if (jit_table_find(t, c->generation, c->addr) != c ||
	    jit_table_find(t, c->generation, c->end - 1) != c)
		abort();
	if (jit_code_line(t, c, c->end - 1, &file, &line, &column) && (!file.n || !line))
		abort();
	if (jit_code_frames(t, c, &frames) && (frames.eh_frame < data || frames.size > size ||
					       frames.eh_frame + frames.size > data + size))
		abort();
	const struct jit_load *l = &t->loads.v[c->load - 1];
	if (l->size && (l->bytes < data || l->bytes + l->size > data + size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_table t = {0};
	struct diags d = {0};
	struct err err = {0};
	if (jit_table_read_dump(&t, data, size, "dump", &d, &err)) {
		jit_table_seal(&t);
		for (size_t i = 0; i < t.codes.n; i++)
			check_code(&t, &t.codes.v[i], data, size);
	}
	jit_table_free(&t);
	return 0;
}
