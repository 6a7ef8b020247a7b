#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "render/render.h"
#include "render/xml.h"
#include "svg_script.h"

#define SIDE 10.0         /* pixels left and right of the boxes */
#define CHAR_WIDTH 0.59   /* of an average character, relative to the font's size */
#define LABEL_MIN_CHARS 3 /* narrower boxes get no label */

struct svg {
	struct out *o;
	const struct tree *t;
	struct svg_options opt;
	double scale; /* pixels per unit of weight */
	uint32_t rows;
	double top, bottom, height;
	struct svg_result result;
	uint32_t *colors; /* by name: 1 + colour, 0 not yet known */
};

/* Pixels with up to four decimals: fine enough to zoom into the narrowest box that is drawn. */
static void put_px(struct out *o, double v)
{
	if (!(v > 0))
		v = 0;
	uint64_t n = (uint64_t)(v * 10000 + 0.5);
	out_u64(o, n / 10000);
	unsigned fraction = (unsigned)(n % 10000);
	if (!fraction)
		return;
	char digits[4];
	size_t len = 4;
	for (size_t i = 4; i-- > 0; fraction /= 10)
		digits[i] = (char)('0' + fraction % 10);
	while (digits[len - 1] == '0')
		len--;
	out_char(o, '.');
	out_bytes(o, digits, len);
}

/* 1,234,567 */
static void put_count(struct out *o, uint64_t v)
{
	char digits[20];
	size_t n = format_u64(digits, v);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out_char(o, ',');
		out_char(o, digits[i]);
	}
}

static void put_attr(struct out *o, const char *name, double v)
{
	out_char(o, ' ');
	out_cstr(o, name);
	out_cstr(o, "=\"");
	put_px(o, v);
	out_char(o, '"');
}

static void put_text(struct svg *s, const char *id, const char *style, double x, double y,
		     double size, const char *text)
{
	struct out *o = s->o;
	out_cstr(o, "<text");
	if (id)
		out_fmt(o, " id=\"%s\"", id);
	put_attr(o, "x", x);
	put_attr(o, "y", y);
	put_attr(o, "font-size", size);
	out_fmt(o, "%s%s>", *style ? " " : "", style);
	out_xml(o, str_of(text), SIZE_MAX);
	out_cstr(o, "</text>\n");
}

/* --- what is drawn -------------------------------------------------------------------------- */

static bool too_narrow(const struct svg *s, const struct tree_node *n)
{
	return (double)n->total * s->scale < s->opt.min_width || !n->total;
}

/* Counts what is drawn and left out, and how deep what is drawn goes. */
static void survey(struct svg *s)
{
	const struct tree_node *nodes = s->t->nodes.v;
	double missing = 0;
	for (uint32_t i = 0; i < s->t->nodes.n;) {
		const struct tree_node *n = &nodes[i];
		if (!too_narrow(s, n)) {
			s->result.drawn++;
			s->rows = MAX(s->rows, n->depth + 1);
			i++;
			continue;
		}
		if (n->total)
			s->result.left_out += n->end - i;
		missing += (double)n->total;
		i = n->end;
	}
	if (nodes[0].total)
		s->result.left_out_share = missing / (double)nodes[0].total;
}

static uint32_t color_of(struct svg *s, const struct tree_node *n)
{
	uint32_t *known = &s->colors[n->name.v];
	if (!*known)
		*known = 1 + palette_color(s->opt.palette, strtab_get(&s->t->names, n->name),
					   n->kind, n->flags, s->opt.similar);
	return *known - 1;
}

/* The name, cut to the box. */
static void put_label(struct svg *s, struct str name, double x, double y, double width)
{
	struct out *o = s->o;
	double room = (width - 4) / (s->opt.font_size * CHAR_WIDTH);
	if (room < LABEL_MIN_CHARS)
		return;
	size_t chars = (size_t)room;
	out_cstr(o, "<text");
	put_attr(o, "x", x + 2);
	put_attr(o, "y", y);
	out_char(o, '>');
	bool cut = name.n > chars && utf8_length(name) > chars;
	out_xml(o, name, cut ? chars - 2 : chars);
	out_cstr(o, cut ? "..</text>" : "</text>");
}

static double baseline(const struct svg *s)
{
	return (s->opt.frame_height - 1) / 2 + s->opt.font_size * 0.36;
}

static void put_box(struct svg *s, const struct tree_node *n, uint64_t from)
{
	struct out *o = s->o;
	struct str name = strtab_get(&s->t->names, n->name);
	uint64_t all = s->t->nodes.v[0].total;
	double x = SIDE + (double)from * s->scale;
	double width = (double)n->total * s->scale;
	uint32_t row = s->opt.icicle ? n->depth : s->rows - 1 - n->depth;
	double y = s->top + row * s->opt.frame_height;
	out_cstr(o, "<g><title>");
	out_xml(o, name, SIZE_MAX);
	out_cstr(o, " (");
	put_count(o, n->total);
	out_char(o, ' ');
	out_xml(o, str_of(s->opt.count_name), SIZE_MAX);
	bool inlined = n->flags & FRAME_INLINED;
	out_fmt(o, ", %.2f%%%s)</title><rect", 100 * (double)n->total / (double)all,
		inlined ? ", inlined" : "");
	put_attr(o, "x", x);
	put_attr(o, "y", y);
	put_attr(o, "width", width);
	put_attr(o, "height", s->opt.frame_height - 1);
	out_fmt(o, " fill=\"#%06x\"%s rx=\"2\"/>", color_of(s, n),
		inlined ? " fill-opacity=\".6\"" : "");
	put_label(s, name, x, y + baseline(s), width);
	out_cstr(o, "</g>\n");
}

/* Boxes in preorder. `starts` holds, by depth, where the next box below the current path begins. */
static void put_boxes(struct svg *s)
{
	const struct tree_node *nodes = s->t->nodes.v;
	uint64_t *starts = mem_calloc((size_t)s->t->max_depth + 2, sizeof *starts);
	for (uint32_t i = 0; i < s->t->nodes.n;) {
		const struct tree_node *n = &nodes[i];
		uint64_t from = starts[n->depth];
		starts[n->depth] += n->total;
		if (too_narrow(s, n)) {
			i = n->end;
			continue;
		}
		put_box(s, n, from);
		starts[n->depth + 1] = from;
		i++;
	}
	free(starts);
}

/* --- around it ------------------------------------------------------------------------------ */

static void put_style(struct svg *s)
{
	struct out *o = s->o;
	out_cstr(o, "<style type=\"text/css\">\n"
		    "text{font-family:");
	/* A font's name is all letters, digits, blanks, commas and hyphens. */
	for (const char *c = s->opt.font; *c; c++)
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= '0' && *c <= '9') || strchr(" ,-", *c))
			out_char(o, *c);
	out_fmt(o,
		",sans-serif;fill:#000}\n"
		"#frames text{font-size:%gpx;pointer-events:none}\n"
		"#frames g{cursor:pointer}\n"
		"#frames g:hover rect{stroke:#000;stroke-width:0.5}\n"
		"#unzoom,#search,#ignorecase{cursor:pointer}\n"
		"#search,#ignorecase{opacity:0.3}\n"
		"#search:hover,#ignorecase:hover,#unzoom:hover{opacity:1}\n"
		"</style>\n",
		s->opt.font_size);
}

static void put_head(struct svg *s)
{
	struct out *o = s->o;
	out_cstr(o, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
		    "<svg version=\"1.1\" xmlns=\"http://www.w3.org/2000/svg\"");
	put_attr(o, "width", s->opt.width);
	put_attr(o, "height", s->height);
	out_cstr(o, " viewBox=\"0 0 ");
	put_px(o, s->opt.width);
	out_char(o, ' ');
	put_px(o, s->height);
	out_fmt(o,
		"\">\n<!-- Flame graph made by kiln. Click zooms, Ctrl-F searches. -->\n"
		"<defs><linearGradient id=\"background\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"1\">"
		"<stop stop-color=\"#eeeeee\" offset=\"5%%\"/><stop stop-color=\"%s\" "
		"offset=\"95%%\"/></linearGradient></defs>\n",
		palette_background(s->opt.palette));
	put_style(s);
	out_cstr(o, "<script type=\"text/ecmascript\"><![CDATA[\n");
	out_cstr(o, svg_script);
	out_cstr(o, "]]></script>\n<rect x=\"0\" y=\"0\" width=\"100%\" height=\"100%\" "
		    "fill=\"url(#background)\"/>\n");
}

static void put_left_out(struct svg *s, double y)
{
	char text[160];
	snprintf(text, sizeof text,
		 "%" PRIu64 " of %" PRIu64
		 " frames, narrower than %g px, are not drawn; they cover "
		 "%.2f%%",
		 s->result.left_out, s->result.left_out + s->result.drawn, s->opt.min_width,
		 100 * s->result.left_out_share);
	put_text(s, "leftout", "opacity=\"0.6\"", SIDE, y, s->opt.font_size - 2, text);
}

static void put_texts(struct svg *s)
{
	double size = s->opt.font_size, right = s->opt.width - SIDE;
	double low = s->height - s->bottom + size * 1.6;
	put_text(s, "title", "text-anchor=\"middle\"", s->opt.width / 2, size * 2, size + 5,
		 s->opt.title);
	if (s->opt.subtitle)
		put_text(s, "subtitle", "text-anchor=\"middle\" opacity=\"0.6\"", s->opt.width / 2,
			 size * 4, size, s->opt.subtitle);
	put_text(s, "details", "", SIDE, low, size, " ");
	put_text(s, "unzoom", "style=\"display:none\"", SIDE, size * 2, size, "Reset Zoom");
	put_text(s, "search", "text-anchor=\"end\" style=\"display:none\"", right - size * 1.6,
		 size * 2, size, "Search");
	put_text(s, "ignorecase", "text-anchor=\"end\" style=\"display:none\"", right, size * 2,
		 size, "ic");
	put_text(s, "matched", "text-anchor=\"end\"", right, low, size, " ");
	if (s->result.left_out)
		put_left_out(s, s->height - size * 0.6);
}

static void apply_defaults(struct svg_options *opt)
{
	opt->title = opt->title ? opt->title : "Flame Graph";
	opt->count_name = opt->count_name ? opt->count_name : "samples";
	opt->name_type = opt->name_type ? opt->name_type : "Function:";
	opt->font = opt->font ? opt->font : "Verdana";
	opt->font_size = opt->font_size > 0 ? opt->font_size : 12;
	opt->width = opt->width > 0 ? opt->width : 1200;
	opt->frame_height = opt->frame_height > 0 ? opt->frame_height : 16;
}

struct svg_result render_svg(struct out *o, const struct tree *t, const struct svg_options *opt)
{
	struct svg s = {.o = o, .t = t, .opt = *opt, .rows = 1};
	apply_defaults(&s.opt);
	uint64_t all = t->nodes.v[0].total;
	s.scale = all ? MAX(s.opt.width - 2 * SIDE, 1) / (double)all : 0;
	survey(&s);
	double size = s.opt.font_size;
	s.top = size * (s.opt.subtitle ? 5 : 3);
	s.bottom = size * 2 + 10 + (s.result.left_out ? size * 1.5 : 0);
	s.height = s.top + s.rows * s.opt.frame_height + s.bottom;
	s.colors = mem_calloc(t->names.items.n, sizeof *s.colors);

	put_head(&s);
	put_texts(&s);
	out_cstr(o, "<g id=\"frames\" data-nametype=\"");
	out_xml(o, str_of(s.opt.name_type), SIZE_MAX);
	out_fmt(o, "\" data-icicle=\"%d\"", s.opt.icicle);
	put_attr(o, "data-char", size * CHAR_WIDTH);
	put_attr(o, "data-baseline", baseline(&s));
	out_cstr(o, ">\n");
	put_boxes(&s);
	out_cstr(o, "</g>\n</svg>\n");
	free(s.colors);
	return s.result;
}
