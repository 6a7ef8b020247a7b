/* kiln flame: a flame graph as one SVG file. */
#include <math.h>
#include <stdio.h>

#include "analyze/tree.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "render/render.h"

static struct {
	struct input_options in;
	const char *output;
	const char *event;
	bool pid, tid;
	bool reverse;
	bool all;
	bool addrs;
	const char *colors;
	struct svg_options svg;
} opts = {.output = "flame.svg", .svg.min_width = 0.1, .in.inlines = INLINE_ALL};

static const struct option options[] = {
	{OPT_STRING, 'o', "output", "FILE",
	 "the picture; \"-\" is standard output (default: flame.svg)", .value = &opts.output},
	{OPT_GROUP, .help = "what is shown"},
	{OPT_STRING, 'e', "event", "NAME", "stacks of this event (default: the first)",
	 .value = &opts.event},
	{OPT_BOOL, 0, "pid", NULL, "keep processes apart: root is COMM-PID", .value = &opts.pid},
	{OPT_BOOL, 0, "tid", NULL, "keep threads apart: root is COMM-PID/TID", .value = &opts.tid},
	{OPT_BOOL, 0, "reverse", NULL, "merge stacks from the leaf: who calls this function?",
	 .value = &opts.reverse},
	{OPT_BOOL, 0, "all", NULL, "mark kernel, JIT and inlined functions: _[k] _[j] _[i]",
	 .value = &opts.all},
	{OPT_BOOL, 0, "addrs", NULL, "show the address where there is no symbol",
	 .value = &opts.addrs},
	{OPT_DOUBLE, 0, "minwidth", "PIXELS", "leave out narrower boxes (default: 0.1)",
	 .value = &opts.svg.min_width},
	{OPT_GROUP, .help = "how it looks"},
	{OPT_STRING, 0, "title", "TEXT", "the heading (default: Flame Graph)",
	 .value = &opts.svg.title},
	{OPT_STRING, 0, "subtitle", "TEXT", "a second line below it", .value = &opts.svg.subtitle},
	{OPT_DOUBLE, 0, "width", "PIXELS", "of the picture (default: 1200)",
	 .value = &opts.svg.width},
	{OPT_DOUBLE, 0, "height", "PIXELS", "of one box (default: 16)",
	 .value = &opts.svg.frame_height},
	{OPT_BOOL, 0, "icicle", NULL, "root at the top", .value = &opts.svg.icicle},
	{OPT_BOOL, 0, "inverted", NULL, "the same as --icicle", .value = &opts.svg.icicle},
	{OPT_STRING, 0, "colors", "NAME",
	 "hot mem io red green blue yellow purple aqua orange grey; by kind of code: java js perl "
	 "kernel",
	 .value = &opts.colors},
	{OPT_BOOL, 0, "hash", NULL, "names that begin alike get colours that are alike",
	 .value = &opts.svg.similar},
	{OPT_STRING, 0, "countname", "TEXT",
	 "what the weights are (default: samples, or the event's unit)",
	 .value = &opts.svg.count_name},
	{OPT_STRING, 0, "nametype", "TEXT", "in front of names (default: Function:)",
	 .value = &opts.svg.name_type},
	{OPT_STRING, 0, "fonttype", "NAME", "font (default: Verdana)", .value = &opts.svg.font},
	{OPT_DOUBLE, 0, "fontsize", "PIXELS", "size of the font (default: 12)",
	 .value = &opts.svg.font_size},
	{OPT_GROUP, .help = "input"},
	INPUT_FILE_OPTIONS(opts.in),
	STACK_OPTIONS(opts.in),
	{OPT_CALL, 0, "inline", NULL, "show inlined functions (default); --no-inline: do not",
	 .value = &opts.in.inlines, .call = take_inline},
	{0},
};

static const struct example examples[] = {
	{"kiln flame", "flame.svg of perf.data"},
	{"perf script | kiln flame -i - -o out.svg", "from text"},
	{"kiln flame -i out.folded --reverse --icicle",
	 "which functions are hot, and who calls them"},
	{0},
};

static bool check_number(const char *option, double v, double least, double most, struct err *err)
{
	if (isfinite(v) && v >= least && v <= most)
		return true;
	return err_set(err, ERR_USAGE, "--%s must be from %g to %g", option, least, most);
}

static bool check(struct err *err)
{
	struct svg_options *s = &opts.svg;
	if (!check_number("minwidth", s->min_width, 0, 10000, err) ||
	    (s->width != 0 && !check_number("width", s->width, 100, 1000000, err)) ||
	    (s->frame_height != 0 && !check_number("height", s->frame_height, 2, 200, err)) ||
	    (s->font_size != 0 && !check_number("fontsize", s->font_size, 1, 100, err)))
		return false;
	if (!opts.colors)
		return true;
	for (int i = 0; i < PALETTE_COUNT; i++) {
		if (!strcmp(opts.colors, palette_names[i])) {
			s->palette = (enum palette)i;
			return true;
		}
	}
	return err_set(err, ERR_USAGE, "there are no colors \"%s\"", opts.colors);
}

/* What the weight of an event counts: time for the clocks, else the event itself. */
static void count_name(const struct profile *p, event_id event, char *buf, size_t size)
{
	struct str name = profile_str(p, p->events.v[event.v].name);
	struct str unit = profile_str(p, p->events.v[event.v].unit);
	if (unit.n)
		name = unit;
	else if (str_starts(name, "cpu-clock") || str_starts(name, "task-clock"))
		name = STR("ns");
	else if (!p->events.v[event.v].tracepoint)
		name = str_split(name, ':', &unit);
	snprintf(buf, size, "%.*s", (int)name.n, name.p);
}

static bool draw(const struct tree *tree, struct diags *d, struct err *err)
{
	struct out o;
	if (!output_open(&o, opts.output, err))
		return false;
	struct svg_result r = render_svg(&o, tree, &opts.svg);
	if (!output_close(&o, opts.output, err))
		return false;
	if (r.left_out) {
		diag_add(d, DIAG_NOTE, 1,
			 "%" PRIu64 " of %" PRIu64
			 " frames are narrower than %g px and not drawn; they cover %.2f%%",
			 r.left_out, r.left_out + r.drawn, opts.svg.min_width,
			 100 * r.left_out_share);
		diag_hint(d, DIAG_NOTE, "--minwidth 0 draws them all");
	}
	return true;
}

static bool flame(struct diags *d, struct err *err)
{
	struct load_options load = {.input = &opts.in,
				    .detail = opts.tid   ? IMPORT_BY_THREAD
					      : opts.pid ? IMPORT_BY_PROCESS
							 : IMPORT_BY_COMM};
	struct tree_options shape = {.root = opts.tid   ? TREE_ROOT_COMM_TID
					     : opts.pid ? TREE_ROOT_COMM_PID
							: TREE_ROOT_COMM,
				     .inverted = opts.reverse,
				     .weights = true,
				     .mark_kernel = opts.all,
				     .mark_jit = opts.all,
				     .mark_inlined = opts.all,
				     .addresses = opts.addrs};
	struct loaded in;
	if (!load_input(&in, &load, d, err))
		return false;
	if (in.kind == INPUT_FOLDED) {
		shape.verbatim = true;
		shape.mark_kernel = shape.mark_jit = shape.mark_inlined = false;
	}
	bool ok = load_event(&in, opts.event, &shape.event, d, err);
	char unit[64] = "samples";
	struct tree tree;
	if (ok) {
		/* Periods that are all 0 weigh nothing: then samples are counted. */
		shape.weights = in.profile->events.v[shape.event.v].weight > 0;
		if (shape.weights)
			count_name(in.profile, shape.event, unit, sizeof unit);
		if (!opts.svg.count_name)
			opts.svg.count_name = unit;
		tree_build(&tree, in.profile, &shape);
	}
	load_close(&in);
	if (!ok)
		return false;
	ok = draw(&tree, d, err);
	tree_free(&tree);
	return ok;
}

static bool draw_input(struct diags *d, struct err *err)
{
	return check(err) && flame(d, err);
}

static int run(const struct command *cmd, const struct parsed *args)
{
	return load_run(cmd, args, &opts.in, draw_input);
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "Draw a flame graph: one interactive SVG file",
	.usage = "kiln flame [OPTIONS] [FILE]",
	.describe =
		"Each box is a function, as wide as its share of the weight; what it calls lies on "
		"top of it. Open the file in a browser: a click zooms, Ctrl-F searches by regular "
		"expression, Ctrl-I ignores case; the address bar keeps the state.",
	.examples = examples,
	.options = options,
	.run = run,
};
