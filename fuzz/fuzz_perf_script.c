/* The text of perf script, read kiln's way and the classic way. The first byte chooses options. */
#include <stdlib.h>

#include "ingest/import.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void render(const struct profile *p, struct tree_options opt)
{
	struct tree t;
	struct out o;
	out_memory(&o);
	opt.weights = true;
	tree_build(&t, p, &opt);
	uint64_t self = 0;
	for (size_t i = 0; i < t.nodes.n; i++)
		self += t.nodes.v[i].self;
	if (self != t.nodes.v[0].total)
		abort();
	render_folded(&o, &t);
	tree_free(&t);
	(void)out_finish(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bits = size ? data[0] : 0;
	struct str text = str_make((const char *)data + (size > 0), size - (size > 0));
	struct classic_options classic = {.pid = bits & 1,
					  .tid = bits & 2,
					  .kernel = bits & 4,
					  .jit = bits & 8,
					  .addrs = bits & 16,
					  .srcline = bits & 32,
					  .event = bits & 64 ? "cycles" : NULL};
	struct tree_options own = {.root = (enum tree_root)(bits & 3),
				   .mark_kernel = bits & 4,
				   .mark_jit = bits & 8,
				   .addresses = bits & 16,
				   .inverted = bits & 32,
				   .folded = true};
	struct lines in;
	struct diags d = {0};
	struct err err;
	(void)input_sniff(text.p, text.n);

	struct profile *p = profile_new();
	lines_open_memory(&in, text, "fuzz");
	if (!import_perf_script(p, &in, (enum import_detail)(bits % 3), &d, &err))
		abort();
	lines_close(&in);
	render(p, own);
	profile_free(p);

	p = profile_new();
	lines_open_memory(&in, text, "fuzz");
	if (!import_classic(p, &in, &classic, &d, &err))
		abort();
	lines_close(&in);
	render(p, (struct tree_options){.verbatim = true});
	profile_free(p);
	return 0;
}
