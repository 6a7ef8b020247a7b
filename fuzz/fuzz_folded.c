/* Folded text, and all that is made of it: tree, folded text again, SVG. */
#include <stdlib.h>

#include "ingest/import.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fold(struct str text, struct out *folded, struct out *svg)
{
	struct profile *p = profile_new();
	struct lines in;
	struct diags d = {0};
	struct err err;
	struct tree t;
	lines_open_memory(&in, text, "fuzz");
	if (!import_folded(p, &in, &d, &err))
		abort();
	lines_close(&in);
	tree_build(&t, p, &(struct tree_options){.weights = true, .verbatim = true});
	profile_free(p);
	uint64_t self = 0;
	for (size_t i = 0; i < t.nodes.n; i++)
		self += t.nodes.v[i].self;
	if (self != t.nodes.v[0].total)
		abort();
	render_folded(folded, &t);
	if (svg)
		(void)render_svg(svg, &t, &(struct svg_options){.min_width = 0.1});
	tree_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_make((const char *)data, size);
	struct out once, twice, svg;
	out_memory(&once);
	out_memory(&twice);
	out_memory(&svg);
	(void)input_sniff(data, size);
	fold(text, &once, &svg);
	/* What kiln prints it reads, and prints again. */
	fold(out_text(&once), &twice, NULL);
	if (!str_eq(out_text(&once), out_text(&twice)))
		abort();
	(void)out_finish(&once);
	(void)out_finish(&twice);
	(void)out_finish(&svg);
	return 0;
}
